// Five hundred random cells of the page's tables, recomputed from the records by this file alone: nothing here comes
// from report/page/ or report/lib/. SEED=n repeats a run.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { ROOT, buildFile, plain, record } from './browser.mjs';

const MULTI = path.join(ROOT, 'multi/results');

const COUNT = 500;
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
let state = seed;
const random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};

const page = fs.readFileSync(buildFile(), 'utf8');
// {place, device, name of the row, name of the column, text} of every cell in tables of these places.
function cellsOf(place) {
  const start = page.search(new RegExp(`<(figure id="[^"]*" data-figure|div data-table)="${place}">`));
  assert.ok(start > 0, place);
  const rest = page.slice(start + 1);
  const end = rest.search(/<(figure id="[^"]*" data-figure|div data-table)="|<h2/);
  const parts = rest.slice(0, end).split(/(?=<div data-device=")/);
  return parts.flatMap((part) => {
    const device = /^<div data-device="([^"]+)"/.exec(part)?.[1] ?? null;
    return [...part.matchAll(/<table>(.*?)<\/table>/gs)].flatMap(([, table]) => {
      const head = table.split('</thead>')[0].split('<tr>').at(-1);
      const groups = [...table.split('</thead>')[0].matchAll(/colspan="(\d+)">([^<]*)</g)].flatMap(([, span, name]) =>
        Array(Number(span)).fill(plain(name)),
      );
      const columns = [...head.matchAll(/<th[^>]*>(.*?)<\/th>/gs)].map(([, text]) => plain(text));
      return [...table.split('<tbody>')[1].matchAll(/<tr>(.*?)<\/tr>/gs)].flatMap(([, line]) => {
        const texts = [...line.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, text]) => plain(text));
        return texts
          .slice(1)
          .map((text, i) => ({ place, device, row: texts[0], column: columns[i + 1], group: groups[i + 1] ?? '', text, cells: texts }));
      });
    });
  });
}

const UNITS = { K: 1e3, M: 1e6, G: 1e9 };
const RAISED = '\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079';
const power = (text) => [...text.slice(1)].reduce((sum, digit) => 10 * sum + RAISED.indexOf(digit), 0);
function sizeOf(text) {
  if (/[KMG]$/.test(text)) return Math.round(parseFloat(text) * UNITS[text.at(-1)]);
  return /^2[^\d,]/.test(text) ? 2 ** power(text) : Number(text.replace(/,/g, ''));
}
const ok = (found, wanted) =>
  (found?.rows ?? []).filter((one) => one.status === 'ok' && Object.entries(wanted).every(([key, value]) => one[key] === value));
const fastest = (found, wanted) => Math.min(...ok(found, wanted).map((one) => one.median_ms));

// The first record with at least two sizes of the version, as the chart takes it.
function scaling(what, device, version, n) {
  for (const name of [`scaling_${what}`, `scaling_all_${what}`, 'scaling_host']) {
    const found = record(device, name);
    const rows = ok(found, { version, what, input: 'uniform' });
    if (new Set(rows.map((one) => one.n)).size > 1) return fastest(found, { version, what, input: 'uniform', n });
  }
  return Infinity;
}

// The number that a cell must show; undefined: not checked here.
const EXPECTED = {
  'scaling-keys': ({ device, row, column }) => scaling('keys', device, column.replace(', ms', ''), sizeOf(row)),
  'scaling-pairs': ({ device, row, column }) => scaling('pairs', device, column.replace(', ms', ''), sizeOf(row)),
  'beside-cub': ({ device, row, column }) => {
    const [version, what] = column.split(', ');
    return scaling(what, device, 'cub_ref', sizeOf(row)) / scaling(what, device, version, sizeOf(row));
  },
  ...Object.fromEntries(
    ['keys', 'pairs'].map((what) => [
      `inputs-${what}`,
      ({ device, row, column }) => {
        const found = record(device, `inputs_${what}`);
        const n = found.rows.some((one) => one.n === 8e6) ? 8e6 : found.rows[0].n;
        return fastest(found, { version: column.replace(', ms', ''), what, input: row, n });
      },
    ]),
  ),
  'both-chips': ({ row, column, group }) => {
    const [gpu, what] = group.split(', ');
    const device = { H200: 'H200', H100: 'H100_80GB_HBM3' }[gpu];
    const time = (version) => fastest(record(device, `scaling_${what}`), { version, what, input: 'uniform', n: sizeOf(row) });
    if (column === 'ratio') return time('cub_ref') / time('radix_v9');
    return time(column === 'CUB' ? 'cub_ref' : column);
  },
  'worklog-chips': ({ row, column, group }) => {
    const n = sizeOf(group.replace(' pairs', ''));
    const time = (gpu) =>
      fastest(record({ H200: 'H200', H100: 'H100_80GB_HBM3' }[gpu], n === 1e8 ? 'worklog' : 'hw4'), { version: row, what: 'pairs', n });
    const [gpu, first] = column.split(' / ');
    return first ? time(gpu) / time(first) : time(gpu);
  },
  ...Object.fromEntries(
    ['keys', 'pairs']
      .filter((what) => ['H200', 'H100_80GB_HBM3'].some((device) => record(device, `second_${what}`)))
      .map((what) => [
        `second-${what}`,
        ({ device, row, column }) =>
          fastest(record(device, `second_${what}`), { version: column.replace(', ms', ''), what, input: 'uniform', n: sizeOf(row) }),
      ]),
  ),
  opening: ({ device, row, column, group }) => {
    const n = sizeOf(group.replace(' pairs', ''));
    const time = (version) => fastest(record(device, n === 1e8 ? 'worklog' : 'hw4'), { version, what: 'pairs', n });
    if (column === 'ms') return time(row);
    if (column === '% of Thrust') return (100 * time('thrust_ref')) / time(row);
    return column === '% of CUB' ? (100 * time('cub_ref')) / time(row) : undefined;
  },
  'hw4-total': ({ device, row, column }) => {
    const version = row.replace(' (CPU)', '');
    if (column !== 'ours: total, ms' || /^seq/.test(version)) return undefined;
    const rows = [record(device, 'hw4'), record(device, `hw4_${version}`)];
    return Math.min(...rows.map((found) => fastest(found, { version, what: 'pairs' })));
  },
  'bottomup-time': ({ device, row, column, index }) => {
    const test = { 7: 1, 9: 2 }[index];
    return test && /^Test/.test(column)
      ? fastest(record(device, `merge_bottomup_test${test}`), { n: sizeOf(row), what: 'keys' })
      : undefined;
  },
  'mppsort-speed': ({ device, row, column }) => {
    const found = record(device, 'mppsort');
    const time = (version) => fastest(found, { version, what: 'keys', n: sizeOf(row) });
    if (column === 'MPP median, ms') return time('mppsort');
    if (column === 'Thrust median, ms') return time('thrust_ref');
    return column === 'speed-up (median)' ? time('thrust_ref') / time('mppsort') : undefined;
  },
  'multi-scaling': ({ row, column, cells }) => {
    const [what, n] = [cells[1], sizeOf(cells[2])];
    const rows = fs
      .readdirSync(path.join(MULTI, 'H200_x4'))
      .filter((file) => /^(strong|weak)/.test(file) && file.endsWith(`_${row}.json`))
      .flatMap((file) => JSON.parse(fs.readFileSync(path.join(MULTI, 'H200_x4', file), 'utf8')).rows);
    const found = rows.find((one) => one.n === n && one.what === what);
    return {
      ms: found.median_ms,
      'Gkeys/s': n / found.median_ms / 1e6,
      'one GPU, its share, ms': found.one_device_share_ms,
      'Thrust and NCCL, ms': found.thrust_nccl_ms,
    }[column];
  },
  'questions-v4': ({ device, row, column }) =>
    fastest(record(device, 'scaling_all_pairs'), { version: column.replace(', ms', ''), what: 'pairs', n: sizeOf(row), input: 'uniform' }),
  'questions-v3': ({ device, row, column }) => {
    const found = ['worklog', 'scaling_all_pairs'].map((name) => record(device, name)).find(Boolean);
    const three = (n) => ['radix_v2', 'radix_v3', 'radix_v4'].every((version) => ok(found, { version, n, what: 'pairs' }).length > 0);
    const n = Math.max(...found.rows.map((one) => one.n).filter(three));
    return ok(found, { version: row, n, what: 'pairs' })[0].stages_ms[column];
  },
};
// A cell shows three digits, a percentage two or a whole number.
function agrees(text, expected) {
  if (text === '\u2013') return !Number.isFinite(expected) || expected === 0; // a time over none is 0
  const shown = Number(text.replace(/[,%]|ms/g, ''));
  const places = /\.(\d+)/.exec(text)?.[1].length ?? 0;
  return Math.abs(shown - expected) <= 0.5001 * 10 ** -places;
}

test(`${COUNT} random cells show what the records have (SEED=${seed})`, () => {
  const all = Object.keys(EXPECTED).map((place) => {
    const cells = cellsOf(place).map((cell, i, list) => {
      const first = list.findIndex((one) => one.row === cell.row && one.device === cell.device);
      return { ...cell, index: i - first + 1 };
    });
    return cells.map((cell) => ({ ...cell, expected: EXPECTED[place](cell) })).filter((cell) => cell.expected !== undefined);
  });
  Object.keys(EXPECTED).forEach((place, i) => assert.ok(all[i].length > 0, `no cell of ${place}`));
  // In turns from each place, so that the large tables do not get all.
  const chosen = [];
  while (chosen.length < COUNT && all.some((list) => list.length > 0))
    for (const list of all)
      if (list.length > 0 && chosen.length < COUNT) chosen.push(...list.splice(Math.floor(random() * list.length), 1));
  assert.equal(chosen.length, COUNT);
  const wrong = chosen.filter((cell) => !agrees(cell.text, cell.expected));
  assert.deepEqual(wrong, []);
  assert.ok(chosen.filter((cell) => cell.text !== '\u2013').length > COUNT / 2, 'most cells have a number');
});
test('the headlines of the article, and the count of noisy rows', () => {
  const article = plain(fs.readFileSync(buildFile('index.html'), 'utf8')).replace(/\s+/g, ' ');
  const time = (name, version, n) => fastest(record('H200', name), { version, what: 'pairs', n });
  const [first, last] = ['radix_v1', 'radix_v9'].map((version) => time('worklog', version, 1e8));
  const [, title1, title2] = /From ([\d.,]+) ms to ([\d.,]+) ms: sorting 100 million pairs/.exec(article);
  assert.ok(agrees(title1, first) && agrees(title2, last));
  const gain = (pattern) => pattern.exec(article)[1];
  // The median of the processes that have a record, the lower one of two.
  const over = (library, name, n) => {
    const names = [name, `repeat_2_${name}`, `repeat_3_${name}`].filter((one) => record('H200', one));
    const all = names.map((one) => time(one, library, n) / time(one, 'radix_v9', n)).sort((a, b) => a - b);
    return all[Math.floor((all.length - 1) / 2)];
  };
  assert.ok(agrees(gain(/in [\d.]+ ms: ([\d.]+) times as fast\. On that input/), first / last));
  assert.ok(agrees(gain(/the last step is ([\d.]+) times as fast as CUB/), over('cub_ref', 'worklog', 1e8)));
  assert.ok(agrees(gain(/and ([\d.]+) times as fast as Thrust \([^)]*\)\. The/), over('thrust_ref', 'worklog', 1e8)));
  const small = time('hw4', 'radix_v9', 220480);
  assert.ok(agrees(gain(/photograph radix_v9 takes ([\d.]+) ms/), small));
  assert.ok(agrees(gain(/photograph radix_v9 takes [\d.]+ ms: ([\d.]+) times as fast as CUB/), over('cub_ref', 'hw4', 220480)));
  for (const device of ['H200', 'H100_80GB_HBM3']) {
    const folder = path.join(ROOT, 'report/results', device);
    const rows = fs
      .readdirSync(folder)
      .filter((file) => file.endsWith('.json') && !file.startsWith('wide_'))
      .flatMap((file) => JSON.parse(fs.readFileSync(path.join(folder, file), 'utf8')).rows)
      .filter((one) => one.status === 'ok');
    const noisy = rows.filter((one) => one.noise > 0.1).length;
    assert.ok(plain(page).includes(`status ok): ${noisy} of ${rows.length.toLocaleString('en-US')}.`), device);
  }
});
test('a cell that is off by one in its last digit is found', () => {
  assert.ok(agrees('1.23', 1.2349) && agrees('\u2013', Infinity) && agrees('1,404', 1404.4) && agrees('12%', 12.3));
  assert.ok(!agrees('1.23', 1.236) && !agrees('\u2013', 1) && !agrees('1.23', Infinity));
});
