// Experiment 4: bottom-up merge sort with dynamic parallelism.
import { count, digits, faster, ms, over, size, tableOfItems, times } from './format.js';
import { best, bestMs, firstRecord, label, pointsAt, rowsOf, rowWith, sizesOf, source } from './records.js';
import { sequentialMs } from './merge_cpu.js';

const TESTS = [
  { test: 1, parent: 32, child: 1024 },
  { test: 2, parent: 16, child: 256 },
];
const testName = ({ test, parent, child }) => `Test ${test}: ${parent} / ${child}`;

const recordOf = (device, test) => firstRecord(device, `merge_bottomup_test${test}`);

function timeFigure(report, device) {
  const published = report.published.merge_bottomup;
  const ours = TESTS.map((one) => ({ ...one, record: recordOf(device, one.test) }));
  const sizes = [...new Set([...published.map((row) => row.n), ...ours.flatMap(({ record }) => sizesOf(record))])].sort((a, b) => a - b);
  const theirs = ({ parent }, n) => published.find((row) => row.parent_threads === parent && row.n === n);
  const time = ({ record }, n) => bestMs(record, { n, what: 'keys' });
  return {
    id: 'bottomup-time',
    title: 'Bottom-up merge sort: time by number of keys',
    type: 'line',
    x: { label: 'keys (log scale)', log: true, sizes: true },
    y: { label: 'milliseconds (log scale)', log: true },
    series: [
      ...ours.map((one, i) => ({
        name: `slides, RTX 3050, ${testName(one)}`,
        color: `slot${i}`,
        published: true,
        points: published.filter((row) => row.parent_threads === one.parent).map((row) => ({ x: row.n, y: 1000 * row.cuda_s })),
      })),
      ...ours.map((one, i) => ({
        name: `${label(device)}, ${testName(one)}`,
        color: `slot${i}`,
        points: pointsAt(sizes, (n) => time(one, n)),
      })),
    ].filter((one) => one.points.length > 0),
    format: ms,
    tables: [
      {
        ...tableOfItems(
          [
            ['keys', size],
            ['slides: CPU, s', (n) => digits(theirs(TESTS[0], n)?.cpu_sequential_s)],
            ...ours.flatMap((one) => [
              [`Test ${one.test}, s`, (n) => digits(theirs(one, n)?.cuda_s)],
              ['speed-up', (n) => theirs(one, n)?.speedup],
            ]),
            ['ours: CPU, ms', (n) => digits(sequentialMs(device, n))],
            ...ours.flatMap((one) => [
              [`Test ${one.test}, ms`, (n) => digits(time(one, n))],
              ['speed-up', (n) => digits(over(sequentialMs(device, n), time(one, n)))],
            ]),
          ],
          sizes,
        ),
        note: 'Ours, CPU: mode 1 of merge_cpu on the host of the same device (record merge_cpu_sequential).',
      },
    ],
    sources: ours.map(({ record }) => source(record)),
    missing: ours.every(({ record }) => !record),
  };
}

// One entry a pass: width of the runs that it merges, blocks of the parent's grid, time.
function passes(record, n) {
  const row = best(record, { n, what: 'keys' });
  if (!row?.passes_ms) return [];
  return Object.values(row.passes_ms)
    .flat()
    .map((time, i) => {
      const width = 2 ** i;
      const pairs = Math.ceil(n / (2 * width));
      return { pass: i, width, time, grid: Math.ceil(pairs / row.knobs.parentBlock), children: width >= row.knobs.childFrom };
    });
}

function passesFigure(report, device) {
  const published = report.published.merge_bottomup_passes;
  const ours = TESTS.map((one) => {
    const record = recordOf(device, one.test);
    const n = sizesOf(record, { status: 'ok' }).at(-1) ?? null;
    return { ...one, n, record, list: passes(record, n) };
  });
  const theirs = ({ test }) => published.filter((row) => row.test === test);
  const last = Math.max(...published.map((row) => row.pass), ...ours.flatMap(({ list }) => list.map(({ pass }) => pass)));
  return {
    id: 'bottomup-passes',
    title: 'Kernel time of each pass',
    type: 'line',
    x: { label: 'pass p, which merges runs of 2^p keys', min: 0, max: last },
    y: { label: 'milliseconds (log scale)', log: true },
    series: [
      ...ours.map((one, i) => ({
        name: `slides, RTX 3050, 100M keys, ${testName(one)}`,
        color: `slot${i}`,
        published: true,
        points: theirs(one).map((row) => ({ x: row.pass, y: row.duration_ms })),
      })),
      ...ours
        .filter(({ list }) => list.length > 0)
        .map((one) => ({
          name: `${label(device)}, ${size(one.n)} keys, ${testName(one)}`,
          color: `slot${one.test - 1}`,
          points: one.list.map(({ pass, time }) => ({ x: pass, y: time })),
        })),
    ],
    format: ms,
    tables: [
      {
        ...tableOfItems(
          [
            ['pass', (pass) => pass],
            ['run width', (pass) => count(2 ** pass)],
            ...ours.flatMap((one) => {
              const row = (pass) => theirs(one).find((r) => r.pass === pass);
              return [
                [`slides Test ${one.test}: blocks`, (pass) => count(row(pass)?.grid_blocks)],
                ['ms', (pass) => digits(row(pass)?.duration_ms)],
              ];
            }),
            ...ours.flatMap(({ test, list }) => [
              [`ours Test ${test}: blocks`, (pass) => count(list[pass]?.grid)],
              ['ms', (pass) => digits(list[pass]?.time)],
            ]),
          ],
          [...Array(last + 1).keys()],
        ),
        note:
          "Blocks: the parent kernel's grid, one thread per pair of runs. The slides' times are Nsight Compute's at an SM clock of 712 MHz and " +
          'show the passes whose rows are legible; ours are CUDA events around a pass with its child kernels, at the clock of the run.',
      },
    ],
    sources: ours.map(({ record }) => source(record)),
    missing: ours.every(({ list }) => list.length === 0),
  };
}

function parentsFigure(device) {
  const record = firstRecord(device, 'merge_bottomup_parents');
  const kinds = ['keys', 'pairs'].flatMap((what) => [512, 32768].map((childFrom) => ({ what, childFrom })));
  const rows = ({ what, childFrom }) => rowsOf(record, { what, status: 'ok' }).filter((row) => row.knobs.childFrom === childFrom);
  const n = record?.rows[0]?.n;
  const blocks = [...new Set(rowsOf(record).map((row) => row.knobs.parentBlock))].sort((a, b) => a - b);
  return {
    id: 'bottomup-parents',
    title: `Stage serial by the parent's block size${n ? `, n = ${size(n)}` : ''}`,
    type: 'line',
    categories: blocks,
    x: { label: 'threads per parent block' },
    y: { label: 'milliseconds (log scale)', log: true },
    series: kinds.map((kind, i) => ({
      name: `${label(device)}, ${kind.what}, childFrom ${count(kind.childFrom)}`,
      color: `slot${i}`,
      values: blocks.map((block) => rows(kind).find((row) => row.knobs.parentBlock === block)?.stages_ms?.serial || null),
    })),
    format: ms,
    tables: [
      tableOfItems(
        [
          ['elements', (row) => row.what],
          ['childFrom', (row) => count(row.knobs.childFrom)],
          ['parentBlock', (row) => row.knobs.parentBlock],
          ['serial, ms', (row) => digits(row.stages_ms?.serial)],
          ['merge, ms', (row) => digits(row.stages_ms?.merge)],
          ['total, ms', (row) => digits(row.median_ms)],
        ],
        kinds.flatMap(rows),
      ),
    ],
    record,
  };
}

export const figures = (report, device) => [timeFigure(report, device), passesFigure(report, device), parentsFigure(device)];

export function values(report, device) {
  const [first, second] = TESTS.map(({ test }) => recordOf(device, test));
  const n = sizesOf(second, { status: 'ok' }).at(-1);
  const time = (record) => bestMs(record, { n, what: 'keys' });
  const stage = (record, name) => best(record, { n, what: 'keys' })?.stages_ms?.[name] ?? null;
  const parents = device.records.merge_bottomup_parents;
  const fastest = (what, childFrom) =>
    rowsOf(parents, { what, status: 'ok' })
      .filter((row) => row.knobs.childFrom === childFrom && row.stages_ms?.serial > 0)
      .reduce((a, b) => (a === null || b.stages_ms.serial < a.stages_ms.serial ? b : a), null);
  const serial = (what, childFrom, parentBlock) => rowWith(parents, { childFrom, parentBlock }, { what })?.stages_ms?.serial ?? null;
  const threads = (row) => (row ? `${row.knobs.parentBlock} threads (${ms(row.stages_ms.serial)})` : null);
  return {
    'bottomup.n': size(n),
    'bottomup.test2_over_test1': faster('Test 2', 'Test 1', over(time(first), time(second))),
    'bottomup.test1': ms(time(first)),
    'bottomup.test2': ms(time(second)),
    'bottomup.serial1': ms(stage(first, 'serial')),
    'bottomup.serial2': ms(stage(second, 'serial')),
    'bottomup.last_serial': ms(passes(second, n).findLast(({ children }) => !children)?.time),
    'bottomup.first_merge': ms(passes(second, n).find(({ children }) => children)?.time),
    'bottomup.merge1': ms(stage(first, 'merge')),
    'bottomup.merge2': ms(stage(second, 'merge')),
    'bottomup.speedup': times(over(sequentialMs(device, n), time(second))),
    'bottomup.speedup60': times(over(sequentialMs(device, 6e7), bestMs(second, { n: 6e7, what: 'keys' }))),
    'bottomup.parents_n': size(parents?.rows[0]?.n),
    'bottomup.best_keys': threads(fastest('keys', 512)),
    'bottomup.best_pairs': threads(fastest('pairs', 512)),
    'bottomup.keys16over32': times(over(serial('keys', 512, 32), serial('keys', 512, 16))),
    'bottomup.keys16over32_far': times(over(serial('keys', 32768, 32), serial('keys', 32768, 16))),
  };
}
