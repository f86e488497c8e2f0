// The statements of the page's text against the records, and the sections whose records are made last: the article's own
// forms, versions that continue others, several GPUs. All with made-up records.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { faults, loadReport, textFiles } from '../../report/build.js';
import { readCounted, readMulti } from '../../report/lib/inputs.js';
import { CLAIMS, contradictions, gaps, missingNumbers } from '../../report/page/js/claims.js';
import { figuresOf, tablesOf, valueOf } from '../../report/page/js/page.js';
import { SECOND } from '../../report/page/js/second.js';
import { dataPage, folderOf, record, reportOf, row } from './records.mjs';

const value = (report, key) => valueOf(report, report.devices[0], key).text;
const figure = (report, id) => figuresOf(report, report.devices[0]).find((one) => one.id === id);

test('the committed records contradict no statement and lack no number; each statement stands in the text', () => {
  assert.deepEqual(faults(loadReport()), []);
  const text = Object.values(textFiles()).join('\n');
  for (const claim of CLAIMS) assert.ok(text.includes(claim.text), claim.text);
});
test('every number that the code makes stands in a text', () => {
  const report = loadReport();
  const text = Object.values(textFiles()).join('\n');
  valueOf(report, report.devices[0], '');
  const made = Object.keys(report.devices[0].values).filter(
    (key) => !/^(if|not|instructions|multi)\.|^story\.(radix_v\d+|first|last)$/.test(key),
  );
  assert.deepEqual(
    made.filter((key) => !text.includes(`{{${key}}}`)),
    [],
  );
});
test('keys of 64 bits: gains on uniform keys, and the range over all inputs; the best of CUB counts', () => {
  const wide = (version, input, time) => row(version, 1e6, time, { what: 'u64 keys', input });
  const rows = [
    wide('gsort', 'uniform', 1),
    wide('cub', 'uniform', 4),
    wide('cub', 'uniform', 3),
    wide('gsort', 'zipf', 2),
    wide('cub', 'zipf', 1),
  ];
  const report = reportOf({ 'X1/hw4.json': record(), 'X1/wide_u64_0.json': record({ rows }) });
  const table = tablesOf(report, report.devices[0]).find(({ id }) => id === 'wide');
  assert.deepEqual(table.rows, [['u64 keys', '3.00 (0.500 to 3.00)']]);
  assert.match(table.note, /record wide_u64_0 |records wide_u64_0 \(2026-01-02, commit abc\)/);
  assert.match(dataPage(report), /The records have u64 keys\./);
});
test('counts of the cpu backend, beside the bytes from the code, and what explains the time of the device', () => {
  const csv = (commit) => {
    const counts = (version, wavefronts) =>
      `${version},262144,pairs,9,400.5,380,${wavefronts},"cpu backend, counted",${commit},2026-01-02\n`;
    return (
      'version,n,kind,launches,bytes_per_element,least_bytes_per_element,shared_wavefronts_per_element,device,commit,date\n' +
      counts('radix_v2', 2.5) +
      counts('radix_v3', 25) +
      counts('radix_v4', 25) +
      counts('merge_v2', 25)
    );
  };
  const folder = folderOf({ 'counted/pairs.csv': csv('516e10'), 'counted/keys.csv': csv('abc+changes') });
  const rows = [row('radix_v2', 1e8, 21), row('radix_v3', 1e8, 30), row('radix_v4', 1e8, 60), row('merge_v2', 1e8, 20)];
  const beside =
    'version,n,kind,kernel,counter,ncu,here\nv1,1000,keys,a,global load sectors,100,101\nv1,1000,keys,b,global store sectors,50,40\n';
  const worklog = record({ rows, copy_gb_per_s: 2000 });
  worklog.device.clocks = 'SM 1980 MHz (at most 1980), memory 3201 MHz';
  const report = { ...reportOf({ 'X1/worklog.json': worklog, 'X1/beside_ncu.csv': beside }), counted: readCounted(folder) };
  const tables = tablesOf(report, report.devices[0]).filter(({ id }) => /^counted|^beside/.test(id));
  assert.deepEqual(
    tables.map(({ rows: cells }) => cells),
    [
      [
        ['radix_v2', 9, '401', '380', '368', '2.50', '21.0', '20.0', '0.957', 'bytes'],
        ['radix_v3', 9, '401', '380', '528', '25.0', '30.0', '20.0', '9.57', 'bytes and shared memory'],
        ['radix_v4', 9, '401', '380', '528', '25.0', '60.0', '20.0', '9.57', 'something else'],
        ['merge_v2', 9, '401', '380', null, '25.0', '20.0', null, null, null],
      ],
      [['v1', null, '-20% b', null, null]],
    ],
  );
  assert.match(tables[0].note, /2026-01-02, commit 516e10\.$/);
  assert.equal(value(report, 'beyond.by_both'), 'radix_v3');
  assert.deepEqual(readCounted(path.join(folder, 'none')), {});
});
test("inputs: times over CUB's on the same input", () => {
  const keys = (version, input, time) => row(version, 8e6, time, { what: 'keys', input });
  const rows = [keys('radix_v9', 'uniform', 1), keys('cub_ref', 'uniform', 2), keys('radix_v9', 'zipf', 3), keys('cub_ref', 'zipf', 2)];
  const report = reportOf({ 'X1/inputs_keys.json': record({ rows }) });
  assert.deepEqual(
    figure(report, 'inputs-keys').series.map(({ name, values }) => [name, ...values]),
    [['radix_v9', 0.5, 1.5]],
  );
  assert.equal(value(report, 'inputs.newest_lost'), 'zipf (1.50 times its time)');
});
test('every statement can be contradicted', () => {
  const report = (factor) => {
    const stages = (version) => {
      const late = /4|level2/.test(version) ? factor : 1;
      return { hist: 2 / factor + (version === 'radix_level2' ? 2 * factor : 2), scan: 2 / factor, scatter: 4 * late };
    };
    const time = { radix_v2: 2, radix_v3: 2 / factor, radix_v4: 2 * factor, radix_v7: factor, thrust_ref: 1, cub_ref: 1, radix_level2: 4 };
    const rows = (n) => Object.entries(time).map(([name, ms]) => row(name, n, ms, { stages_ms: stages(name) }));
    const level1 = row('radix_level1', 220480, 4, { stages_ms: { ...stages('x'), hist: 3 } });
    const merge = [1, 256].map((blockSerial) =>
      row('merge_three_step', 8e6, 1, {
        what: 'keys',
        knobs: { blockSerial, copyBack: 0 },
        stages_ms: { serial: blockSerial === 1 ? 1 / factor : 1 },
      }),
    );
    return reportOf({
      'X1/hw4.json': record({ rows: [...rows(220480), level1] }),
      'X1/worklog.json': record({ rows: rows(1e8) }),
      'X1/variant_merge_serial.json': record({ rows: merge }),
    });
  };
  const broken = contradictions(report(2));
  assert.equal(broken.length, CLAIMS.length, broken.join('\n'));
  assert.match(
    broken[1],
    /page\/text says "A loss: the sort makes 255 comparisons an element", and the record worklog of the X1 says otherwise: edit the sentence/,
  );
  assert.deepEqual(contradictions(reportOf({ 'X1/hw4.json': record() })), []);
});
test('a number of a named device that no record has is a reason not to build; one in [[? ]] is none', () => {
  const report = reportOf({ 'X1/hw4.json': record({ rows: [row('radix_v1', 220480, 4)] }) });
  const texts = { 'a.html': '[[A {{hw4.v1_total@X1}}.]] [[B {{hw4.v2_total@X1}}.]] [[?C {{hw4.v3_total@X1}}.]] [[D {{hw4.v4_total}}.]]' };
  assert.deepEqual(missingNumbers(report, texts), [
    'page/text/a.html needs hw4.v2_total, and no record in report/results/X1 has it: measure it (make reproduce), or edit the sentence',
  ]);
  assert.match(missingNumbers(report, { b: '{{hw4.v1_total@H999}}' })[0], /report\/results\/H999/);
});
test('a GPU that lacks a record which another one has is named; the cpu backend is not', () => {
  const other = (name) => record({ device: { ...record().device, name } });
  const report = reportOf({
    'A/hw4.json': other('A'),
    'A/mppsort.json': other('A'),
    'B/hw4.json': other('B'),
    'cpu_C/hw4.json': record({ device: { ...record().device, name: 'C', backend: 'cpu' } }),
  });
  assert.deepEqual(gaps(report), ['the B has no record of mppsort; the page says so there']);
});
test("the article's own forms: ratios of the rows with these knobs", () => {
  const keys = (version, n, median, knobs, stages = {}) => row(version, n, median, { what: 'keys', knobs, stages_ms: stages });
  const bitonic = [1024, 2 ** 23].flatMap((n) => [
    keys('bitonic', n, 8, { textbook: 1, steps: 3 }),
    keys('bitonic', n, 4, { textbook: 0, steps: 1 }, { far: 3 }),
    keys('bitonic', n, 2, { textbook: 0, steps: 3 }, { far: 1 }),
  ]);
  const merge = [
    [1, 1, 30],
    [1, 0, 20],
    [32, 0, 5],
    [256, 0, 2],
    [256, 1, 3],
  ].map(([blockSerial, copyBack, serial]) => keys('merge_three_step', 8e6, 50, { blockSerial, copyBack }, { serial }));
  const until = [
    [16, 2048, 5],
    [1, 2048, 8],
    [16, 2, 10],
  ].map(([serialUntil, blockUntil, time]) => keys('merge_three_step', 8e6, time, { serialUntil, blockUntil }));
  const odd = [1000, 50000].flatMap((n) => [
    keys('odd_even_cpu', n, n / 100, {}),
    keys('odd_even', n, 100, { stepsPerLaunch: 1 }),
    keys('odd_even', n, 5, { stepsPerLaunch: 32 }),
  ]);
  const report = reportOf({
    'X1/variant_bitonic.json': record({ rows: bitonic }),
    'X1/variant_merge_serial.json': record({ rows: merge }),
    'X1/variant_merge_until.json': record({ rows: until }),
    'X1/variant_odd_even.json': record({ rows: odd }),
  });
  const expected = {
    textbook_large: '4.00 times',
    steps_large: '2.00 times',
    far: '3.00 times',
    merge_one: '10.0 times',
    merge_copy: '1.50 times',
    merge_both: '15.0 times',
    until_best: 'serialUntil 16 and blockUntil 2048 with 5.00 ms',
    until_no2: '2.00 times',
    until_no1: '1.60 times',
    odd_gain: '5.00 times',
    odd_wins: 'from 50K keys on',
    odd_wins32: 'from 1K keys on',
  };
  for (const [key, text] of Object.entries(expected)) assert.equal(value(report, `article.${key}`), text, key);
  assert.deepEqual(
    figure(report, 'article-merge').series[0].values.filter((one) => one !== null),
    [30, 20, 5, 3, 2],
  );
  assert.match(dataPage(report), /Step 1 of 8M keys takes 10\.0 times as long with blocks of one thread/);
});
test('a sentence with {{if.x}} stands where its statement holds, one with {{not.x}} where it does not, none without a record', () => {
  const keys = (version, time, changes) => row(version, 8e6, time, { what: 'keys', ...changes });
  const inputs = (factor) =>
    record({
      rows: ['mppsort', 'radix_v7'].flatMap((version) => [
        keys(version, 1, { input: 'uniform' }),
        keys(version, version === 'mppsort' ? factor : 2, { input: 'zipf' }),
      ]),
    });
  const cpu = (name, time) => [`X1/merge_cpu_${name}.json`, record({ rows: [row('merge_cpu', 1e6, time, { what: 'keys' })] })];
  const report = (factor) =>
    reportOf({ 'X1/inputs_keys.json': inputs(factor), ...Object.fromEntries([cpu('sequential', 100), cpu('sections', 40 * factor)]) });
  const shown = (factor, name) =>
    ['if', 'not'].map((kind) => !valueOf(report(factor), report(factor).devices[0], `${kind}.${name}`).missing);
  assert.deepEqual(shown(3, 'mppsort_depends_most'), [true, false]);
  assert.deepEqual(shown(1.5, 'mppsort_depends_most'), [false, true]);
  assert.deepEqual(shown(1, 'cache_explains'), [false, false]);
  assert.equal(valueOf(report(1), report(1).devices[0], 'merge_cpu.sections_all').text, '2.50 times (1M)');
});
test("merge_cpu's modes in turn: speed-ups over the mean of two equal rows, whose difference is the drift", () => {
  const rows = [
    [1, 1, 90],
    [1, 3, 110],
    [2, 1, 50],
    [2, 3, 25],
    [3, 1, 20],
  ].map(([mode, levels, time]) => row('merge_cpu', 1e6, time, { what: 'keys', knobs: { mode, levels } }));
  const one = [1, 2].map((mode) => row('merge_cpu', 1e6, mode === 1 ? 120 : 100, { what: 'keys', knobs: { mode, levels: 1 } }));
  const report = reportOf({ 'X1/merge_cpu_turns.json': record({ rows }), 'X1/merge_cpu_one.json': record({ rows: one }) });
  assert.equal(value(report, 'merge_cpu.one_sections'), '1.20 times with 1M keys');
  assert.equal(value(report, 'merge_cpu.turns_drift'), '22% with 1M keys');
  assert.equal(value(report, 'merge_cpu.turns_sections'), '2.00 times with 1M keys');
  assert.equal(value(report, 'merge_cpu.turns_nested'), '4.00 times with 1M keys');
  assert.equal(value(report, 'merge_cpu.turns_tasks'), '5.00 times with 1M keys');
});
test('rows that a sentence calls noisy, squares of the heat map that drift, the range of gains over CUB', () => {
  const blocks = [64, 128, 256, 512].map((blockDigit) => [
    `X1/v2_blocks_0${blockDigit}.json`,
    record({
      rows: [1, 1.1].map((time, i) =>
        row('radix_v2', 220480, blockDigit === 64 ? 1.5 * time : time, { knobs: { blockDigit, blockSize: 64, blockScan: [256, 512][i] } }),
      ),
    }),
  ]);
  const keys = (version, n, time, noise) => row(version, n, time, { what: 'keys', noise });
  const scaling = [1e3, 4e3, 16e3].flatMap((n, i) => [keys('radix_v9', n, 1, i === 1 ? 0.3 : 0.01), keys('cub_ref', n, i + 1.5, 0.01)]);
  const report = reportOf({ ...Object.fromEntries(blocks), 'X1/scaling_keys.json': record({ rows: scaling }) });
  assert.equal(value(report, 'blocks.drift'), '1.50 (tiles of 64, scan blocks of 256)');
  assert.equal(value(report, 'blocks.plateau'), '10%');
  assert.equal(value(report, 'scaling.keys_range_cub'), 'between 1.50 times and 3.50 times');
  assert.equal(value(report, 'method.noisy_rows'), 'radix_v9 (4K keys, \u00b130%, scaling_keys)');
});
test('instructions: warp instructions times 32 per pair, by the step that a kernel is for', () => {
  const csv =
    'version,n,kernel,launches,warp_instructions\nradix_v2,320,scatter,8,30\nradix_v2,320,rank_by_counting,8,60\n' +
    'radix_v2,320,scan_tiles,8,5\nradix_v2,320,add_sums,8,5\nradix_v6,320,one_sweep,4,20\n';
  const report = reportOf({ 'X1/hw4.json': record(), 'X1/instructions.csv': csv });
  const { categories, series } = figure(report, 'instructions');
  assert.deepEqual(categories, ['radix_v2', 'radix_v6']);
  assert.deepEqual(
    series.map(({ name, values }) => [name, ...values]),
    [
      ['scan', 1, null],
      ['rank', 6, null],
      ['scatter', 3, null],
      ['rank and scatter', null, 2],
    ],
  );
  assert.equal(value(report, 'instructions.radix_v2'), '10.0 instructions per pair, 60% of them to rank');
});
test('versions that continue others: gains, and the share of the floor', () => {
  const rows = [
    ['mppsort_v2', 0.2],
    ['mppsort', 1],
    ['thrust_ref', 0.3],
    ['cub_ref', 0.1],
  ].map(([version, time]) => row(version, 8e6, time, { what: 'keys' }));
  const report = reportOf({ 'X1/second_keys.json': record({ rows, copy_gb_per_s: 1600 }) });
  assert.equal(
    value(report, 'second.mppsort_v2_keys'),
    '8M keys in 0.200 ms: 5.00 times as fast as mppsort; 1.50 times as fast as Thrust.',
  );
  assert.equal(value(report, 'second.mppsort_v2_floor'), '0.100 ms at the copy rate, 50% of the time above');
  assert.equal(value(report, 'second.mppsort_v2_gain'), '5.00 to 5.00 times');
  const { series } = figure(report, 'second-keys');
  assert.deepEqual(
    series.map(({ name, points }) => [name, Math.round(points[0].y)]),
    [
      ['mppsort_v2', 50],
      ['mppsort', 10],
      ['thrust_ref', 33],
    ],
  );
});
test('the bytes per key of the floors are those that the handouts name', () => {
  const handout = (version) => fs.readFileSync(new URL(`../../${version}/README.md`, import.meta.url), 'utf8').replace(/\s+/g, ' ');
  assert.ok(handout('merge_v2').includes(`2^28 keys take 6 passes, ${SECOND.merge_v2.bytes} bytes a key`));
  assert.ok(handout('bitonic_v2').includes(`together ${SECOND.bitonic_v2.bytes / 8} trips`));
  assert.ok(handout('mppsort_v2').includes(`the sort 8: ${SECOND.mppsort_v2.bytes} bytes;`));
});
test('several GPUs: the rate of all over that of one in the same process; a wrong row is an error', () => {
  const rank = (ranks, median, changes = {}, commit = 'abc') => ({
    ...record(),
    commit,
    program: 'multi_sort',
    version: 'radix_v9',
    ranks,
    transport: 'NCCL',
    rows: [
      {
        input: 'uniform',
        what: 'keys',
        n: ranks * 1e9,
        right: true,
        median_ms: median,
        gkeys_per_s: (ranks * 1e3) / median,
        balance: 1,
        stages_ms: { sort: 3, exchange: 1 },
        exchange_gb_per_s: 300,
        one_device_share_ms: 15,
        one_device_all_ms: 30,
        thrust_nccl_ms: 40,
        ...changes,
      },
    ],
  });
  // The record of four GPUs has uncommitted changes, so it is not shown.
  const folder = folderOf({
    'X1_x4/weak_keys_2.json': rank(2, 20),
    'X1_x4/weak_keys_4.json': rank(4, 20, {}, 'abc+changes'),
    'topology.txt': 'x',
  });
  const report = { ...reportOf({ 'X1/hw4.json': record() }), multi: readMulti(folder) };
  assert.equal(value(report, 'multi.weak_keys'), '1.50 times');
  assert.equal(value(report, 'multi.strong_keys'), '1.50 times');
  assert.equal(value(report, 'multi.weak_keys_sort_share'), '75%');
  assert.equal(value(report, 'multi.gpus'), '2 x NVIDIA X1');
  const { series, sources } = figure(report, 'multi-scaling');
  assert.deepEqual(
    series.map(({ name, values }) => [name, ...values.map(Math.round)]),
    [
      ['1G keys a GPU', 67, 100],
      ['2G keys in all', 67, 100],
      ['Thrust and NCCL, keys', 0, 50],
    ],
  );
  assert.match(sources[0], /records weak_keys_2 \(2026-01-02, commit abc\);/);
  assert.match(dataPage(report), /2G keys in 20\.0\sms: 1\.50 times the rate of one GPU/);
  // A line has one size: 2G keys a GPU were sorted on four GPUs only.
  const grown = folderOf({
    'X1_x4/weak_keys_2.json': rank(2, 20),
    'X1_x4/weak_keys_4.json': rank(4, 20),
    'X1_x4/weak_more_4.json': rank(4, 50, { n: 8e9 }),
  });
  const [weak] = figure({ ...report, multi: readMulti(grown) }, 'multi-scaling').series;
  assert.deepEqual([weak.name, ...weak.values.map(Math.round)], ['1G keys a GPU', 67, 100, 200]);
  const wrong = folderOf({ 'X1_x2/weak_keys_2.json': rank(2, 75, { right: false, verdict: 'FAIL: order' }) });
  assert.throws(() => readMulti(wrong), /weak_keys_2\.json: a wrong row.*FAIL: order/);
  assert.throws(() => readMulti(folderOf({ 'X1_x2/a.json': '{}' })), /not a record of multi_sort/);
  assert.deepEqual(readMulti(path.join(folder, 'none')), []);
});
