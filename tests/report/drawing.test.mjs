// The output of the build: charts, the stepper, tables, the glossary, and the reader's test.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { buildPages, loadReport } from '../../report/build.js';
import { chartSvg } from '../../report/lib/charts.js';
import { glossaryOf, linkTerms } from '../../report/lib/glossary.js';
import { styleOf } from '../../report/lib/marks.js';
import { onePass } from '../../report/lib/one_pass.js';
import { perDevice, tableHtml } from '../../report/lib/render.js';
import { TRAFFIC, bytesOf } from '../../report/lib/traffic.js';
import { tablesOf, valueOf } from '../../report/page/js/page.js';
import { versionOrder } from '../../report/page/js/records.js';
import { ROOT, plain } from './browser.mjs';
import { dataPage, record, reportOf, row } from './records.mjs';

// Places of marks: [x, y] in the order of drawing.
const marksOf = (svg) => [...svg.matchAll(/<use href="#m\d+" x="([\d.-]+)" y="([\d.-]+)"/g)].map(([, x, y]) => [Number(x), Number(y)]);
const near = (a, b, what) => assert.ok(Math.abs(a - b) < 1.1, `${what}: ${a}, not ${b}`);

test('dots: a decade is as wide as the next on a logarithmic axis, twice as far on a linear one', () => {
  const figure = (log, values) => ({
    type: 'bar',
    title: 't',
    numbers: false,
    categories: values.map(String),
    x: { label: 'x', log, min: log ? undefined : 0 },
    series: [{ name: 'one', color: 'device1', values }],
    format: String,
  });
  // The first mark is the legend's.
  const xs = (log, values) =>
    marksOf(chartSvg(figure(log, values), { width: 800 }))
      .map(([x]) => x)
      .slice(1);
  const [a, b, c] = xs(true, [1, 10, 100]);
  near(c - b, b - a, 'log');
  const [d, e, f] = xs(false, [10, 20, 40]);
  near(f - e, 2 * (e - d), 'linear');
  const noisy = figure(true, [1, 10, 100]);
  noisy.series[0].noise = [0.01, 0.5, null];
  assert.equal(chartSvg(noisy, { width: 800 }).match(/class="w /g).length, 1);
});
test('lines: points, their names at the ends one below the other, whiskers where the noise is longer than a mark', () => {
  const points = (y, noise) => [1, 10, 100].map((x) => ({ x, y: y * x, noise }));
  const svg = chartSvg(
    {
      type: 'line',
      title: 't',
      x: { label: 'n', log: true },
      y: { label: 'y', log: true },
      series: [
        { name: 'calm', color: 'slot0', points: points(1, 0.01) },
        { name: 'noisy', color: 'slot1', grey: true, points: points(1.01, 0.3) },
      ],
      format: String,
    },
    { width: 800 },
  );
  const marks = marksOf(svg);
  assert.equal(marks.length, 6);
  near(marks[4][0] - marks[3][0], marks[5][0] - marks[4][0], 'x');
  near(marks[3][1] - marks[4][1], marks[4][1] - marks[5][1], 'y');
  assert.equal(svg.match(/class="w /g).length, 3);
  assert.match(svg, /class="w grey"/);
  const names = [...svg.matchAll(/y="([\d.]+)"[^>]*>(calm|noisy)</g)].map(([, y]) => Number(y));
  assert.ok(Math.abs(names[0] - names[1]) >= 16, names);
});
test('stacked bars: lengths are the values', () => {
  const series = [2, 6].map((value, i) => ({ name: `s${i}`, color: `slot${i}`, values: [value] }));
  const svg = chartSvg(
    { type: 'bar', stacked: true, title: 't', categories: ['a'], x: { label: 'x' }, series, format: String },
    { width: 800 },
  );
  const [first, second] = [...svg.matchAll(/<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)" height="20"/g)].map(([, x, w]) => [
    Number(x),
    Number(w),
  ]);
  near(second[1], 3 * first[1], 'width');
  near(second[0], first[0] + first[1], 'begins where the first ends');
});
test('heat map: the fastest is framed, each cell has its number', () => {
  const figure = {
    type: 'heat',
    title: 't',
    panels: [
      {
        name: 'p',
        cells: [
          [4, 2],
          [8, 1],
        ],
      },
    ],
    rows: [1, 2],
    columns: [1, 2],
    x: { label: 'x' },
    y: { label: 'y' },
    format: String,
    short: String,
  };
  const svg = chartSvg(figure, { width: 800 });
  assert.equal(svg.match(/class="best"/g).length, 1);
  assert.deepEqual(
    [...svg.matchAll(/class="t(?: i)? am">(\d)</g)].map(([, number]) => number).sort(),
    ['1', '1', '2', '2', '4', '8'], // columns 1 and 2 as well
  );
});
test('one pass: the arrays of the stepper are those of radix_v2', () => {
  // The example of radix_v2's handout, "By hand".
  const { hist, start, rank, place, output } = onePass([0, 1, 3, 0, 2, 3, 1, 0], 0, 4);
  assert.deepEqual(hist.flat(), [2, 1, 1, 1, 0, 1, 1, 1]);
  assert.deepEqual(start.flat(), [0, 2, 3, 4, 5, 5, 6, 7]);
  assert.deepEqual(
    [rank, place],
    [
      [0, 0, 0, 1, 0, 0, 0, 0],
      [0, 3, 6, 1, 5, 7, 4, 2],
    ],
  );
  assert.deepEqual(output, [0, 0, 0, 1, 1, 2, 3, 3]);
  // Two stable passes sort four bits.
  const keys = [5, 12, 3, 9, 6, 15, 0, 10];
  assert.deepEqual(
    onePass(onePass(keys).output, 2).output,
    [...keys].sort((a, b) => a - b),
  );
});
// On the cpu backend, traced, 64 keys in two tiles of 32.
test('one pass: the arrays are those that the kernels of radix_v2 wrote', (t) => {
  if (!fs.existsSync(path.join(ROOT, 'build/cpu/radix_v2/student_func.o'))) return t.skip('build/cpu/radix_v2 is not built');
  const keys = Array.from({ length: 64 }, (_, i) => (i * i * 7 + 3 * i + 5) % 16);
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'trace-')), 'trace.json');
  const set = 'nBits=2 blockSize=32';
  execFileSync('make', ['-s', 'BACKEND=cpu', 'trace', 'V=radix_v2', `KEYS=${keys.join(' ')}`, `SET=${set}`, `JSON=${file}`], {
    cwd: ROOT,
    env: { ...process.env, MAKEFLAGS: '', MAKELEVEL: '' },
  });
  const { steps } = JSON.parse(fs.readFileSync(file, 'utf8'));
  const pass = steps.slice(0, 1 + steps.findIndex(({ name }) => name === 'scatter'));
  const written = (array) => pass.flatMap(({ changed }) => changed).findLast((one) => one.array === array).values;
  const ours = onePass(keys, 0, 32);
  assert.deepEqual(written('digit'), ours.digit);
  assert.deepEqual(written('hist'), ours.hist.flat());
  assert.deepEqual(written('start').slice(0, -1), ours.start.flat());
  assert.deepEqual(written('rank'), ours.rank);
  assert.deepEqual(written('d_outputVals'), ours.output);
});
test('bytes per pair: the sums of the kernels, and the floors that the handouts name', () => {
  assert.deepEqual(
    Object.keys(TRAFFIC).map((version) => bytesOf(version)),
    [4 * 20, 32 * 64 + 16, 8 * 44 + 16, 8 * 64 + 16, 8 * 64 + 16, 68, 68, 16, 32, 48],
  );
});
test('every version of the records has a separate mark, filled or hollow, in any chart', () => {
  const styles = versionOrder(loadReport()).map((_, slot) => styleOf({ color: `slot${slot}` }));
  assert.equal(new Set(styles.map(({ mark, hollow }) => `${mark} ${hollow}`)).size, styles.length);
});
test('a table with more columns than paper has room for becomes several, each with the first column', () => {
  const html = tableHtml(
    { columns: ['n', ...Array.from({ length: 14 }, (_, i) => `c_${i}`)], rows: [['1', ...Array(14).fill('x')]] },
    'wide',
  );
  assert.equal(html.match(/<table>/g).length, 2);
  assert.equal(html.match(/<th scope="row">1</g).length, 2);
  assert.equal(html.match(/<td>x</g).length, 14);
  assert.match(html, /c_<wbr>13/);
});
test('a switch of devices: what is the same for all stands once', () => {
  const report = reportOf({ 'X1/hw4.json': record(), 'cpu_A/hw4.json': record({ device: { name: 'A', backend: 'cpu', driver: 'L' } }) });
  assert.equal(
    perDevice(report, 'p', () => 'same'),
    'same',
  );
  assert.equal(
    perDevice(report, 'p', ({ id }) => id),
    '<p data-device="X1">X1</p><p data-device="cpu_A">cpu_A</p>',
  );
});
test('settings beside each other and repeated runs have tables once they are measured, and no places before', () => {
  const knobs = (rankWay) => ({ nBits: 4, rankWay });
  const runs = (times) =>
    times.map((time, i) => [`X1/${i === 0 ? '' : `repeat_${i + 1}_`}hw4.json`, record({ rows: [row('radix_v2', 220480, time)] })]);
  const report = reportOf({
    'X1/variant_rank_way.json': record({ rows: [1, 2].map((way) => row('radix_v2', 220480, way, { knobs: knobs(way), noise: 0.02 })) }),
    ...Object.fromEntries(runs([1, 1.3, 1.1])),
  });
  const table = (id) => tablesOf(report, report.devices[0]).find((one) => one.id === id);
  assert.deepEqual(
    table('variants').rows.map((cells) => cells.slice(1, 6)),
    [1, 2].map((way) => [`nBits 4, rankWay ${way}`, '220,480', 'pairs', `${way}.00`, '\u00b12.0%']),
  );
  assert.deepEqual(table('repeats').rows[0].slice(1), ['1.00', '1.30', '1.10', '30%']);
  assert.equal(valueOf(report, report.devices[0], 'method.drift_most').text, '30% (radix_v2, 220,480 pairs)');
  assert.match(dataPage(report), /Three runs, X1/);
  assert.doesNotMatch(dataPage(reportOf({ 'X1/hw4.json': record() })), /Three runs, X1/);
});
test("the course's glossary: its terms are the page's, and the text links to them", () => {
  const terms = glossaryOf('# Glossary\n\n**exclusive scan** `out[0] = 0`\nand *so* on.\n\n**SM** a part.\n');
  assert.deepEqual(
    [...terms],
    [
      ['exclusive scan', '<code>out[0] = 0</code> and <em>so</em> on.'],
      ['SM', 'a part.'],
    ],
  );
  assert.equal(
    linkTerms('<em>scan</em> <em>other</em>', terms, 'data.html'),
    '<a class="term" href="data.html#term-exclusive-scan" title="out[0] = 0 and so on.">scan</a> <em>other</em>',
  );
});
test('questions.md: the pages answer each question where it says', () => {
  const sections = Object.fromEntries(
    Object.entries(buildPages(loadReport())).flatMap(([name, page]) =>
      page.split('<h2 id="').map((part, i) => [i === 0 ? name : part.split('"')[0], plain(part).replace(/\s+/g, ' ')]),
    ),
  );
  const text = fs.readFileSync(path.join(ROOT, 'tests/report/questions.md'), 'utf8');
  const asked = text
    .split(/^## /m)
    .slice(1)
    .map((part) => [part.split('\n')[0], [...part.matchAll(/^\d\. .*?\n   > (.*(?:\n   > .*)*)/gm)]]);
  assert.deepEqual(
    asked.map(([id]) => id),
    Object.keys(sections),
  );
  for (const [id, answers] of asked) {
    assert.ok(answers.length > 0, `a question about ${id}`);
    for (const [, quote] of answers) {
      const wanted = quote.replace(/\n   > /g, ' ');
      assert.ok(sections[id].includes(wanted), `${id} does not say: ${wanted}`);
    }
  }
});
