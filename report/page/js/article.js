// The parallel sorting article's own forms beside ours: bitonic with `index ^ distance`, a block of one thread per
// merge, odd-even sort on one CPU thread.
import { digits, ms, over, percent, size, times } from './format.js';
import { bestMs, firstRecord, isGpu, pointsAt, rowWith, sizesOf } from './records.js';

const bitonicRecord = (device) => firstRecord(device, 'variant_bitonic');
const serialRecord = (device) => firstRecord(device, 'variant_merge_serial');
const untilRecord = (device) => firstRecord(device, 'variant_merge_until');
const oddEvenRecord = (device) => firstRecord(device, 'variant_odd_even');

const FORMS = [
  ["the article's form", { textbook: 1 }],
  ['ours, one step a visit', { textbook: 0, steps: 1 }],
  ['ours, three steps a visit', { textbook: 0, steps: 3 }],
];
const form = (device, n, i) => rowWith(bitonicRecord(device), FORMS[i][1], { version: 'bitonic', n });

const LAUNCHES = [1, 32, 256].flatMap((blockSerial) => [1, 0].map((copyBack) => ({ blockSerial, copyBack })));
const launchName = ({ blockSerial, copyBack }) => `${blockSerial} thread${blockSerial === 1 ? '' : 's'}${copyBack ? ', copied back' : ''}`;
function serial(device, knobs) {
  const record = serialRecord(device);
  const [n] = sizesOf(record);
  return { n, row: rowWith(record, knobs, { version: 'merge_three_step', n }) };
}
const stage = (device, knobs) => serial(device, knobs).row?.stages_ms?.serial ?? null;

const UNTIL = { rows: [1, 4, 16, 64, 256], columns: [2, 256, 2048, 4096] };
const until = (device, serialUntil, blockUntil) => {
  const record = untilRecord(device);
  return rowWith(record, { serialUntil, blockUntil }, { version: 'merge_three_step', n: sizesOf(record)[0] })?.median_ms ?? null;
};

const ODD_EVEN = [
  ['one CPU thread', 'odd_even_cpu', {}],
  ['GPU, a launch for each step', 'odd_even', { stepsPerLaunch: 1 }],
  ['GPU, 32 steps a launch', 'odd_even', { stepsPerLaunch: 32 }],
];
const oddEven = (device, n, i) => rowWith(oddEvenRecord(device), ODD_EVEN[i][2], { version: ODD_EVEN[i][1], n })?.median_ms ?? null;

export function figures(report, device) {
  const [bitonic, merge, ends, odd] = [bitonicRecord, serialRecord, untilRecord, oddEvenRecord].map((find) => find(device));
  const device_ = isGpu(device) ? 'GPU' : 'device';
  const sizes = sizesOf(bitonic);
  return [
    {
      id: 'article-bitonic',
      title: "Bitonic sort: the article's form and ours, bare keys",
      type: 'bar',
      categories: sizes.map((n) => size(n)),
      x: { label: 'milliseconds (log scale)', log: true },
      series: FORMS.map(([name], i) => ({ name, color: `slot${i}`, values: sizes.map((n) => form(device, n, i)?.median_ms ?? null) })),
      format: ms,
      record: bitonic,
    },
    {
      id: 'article-merge',
      title: `Step 1 of the merge sort${merge ? `, ${size(serial(device, {}).n)} bare keys` : ''}: threads per block`,
      type: 'bar',
      categories: LAUNCHES.map(launchName),
      x: { label: 'milliseconds of step 1 (log scale)', log: true },
      series: [{ name: 'step 1, runs of 1 to runs of 16', color: 'device1', values: LAUNCHES.map((knobs) => stage(device, knobs)) }],
      format: ms,
      record: merge,
    },
    {
      id: 'article-until',
      title: `Where the three steps end: milliseconds of a merge sort${ends ? `, ${size(sizesOf(ends)[0])} bare keys` : ''}`,
      type: 'heat',
      panels: ends ? [{ name: '', cells: UNTIL.rows.map((row) => UNTIL.columns.map((column) => until(device, row, column))) }] : [],
      rows: UNTIL.rows,
      columns: UNTIL.columns,
      x: { label: 'blockUntil' },
      y: { label: 'serialUntil' },
      series: [],
      format: ms,
      short: (value) => digits(value, 2),
      tables: [
        {
          columns: ['serialUntil', ...UNTIL.columns.map((column) => `blockUntil ${column}, ms`)],
          rows: ends ? UNTIL.rows.map((row) => [row, ...UNTIL.columns.map((column) => digits(until(device, row, column)))]) : [],
        },
      ],
      record: ends,
    },
    {
      id: 'article-odd-even',
      title: `Odd-even sort: the same comparisons on one CPU thread and on a ${device_}`,
      type: 'line',
      x: { label: 'bare keys (log scale)', log: true, sizes: true },
      y: { label: 'milliseconds (log scale)', log: true },
      series: ODD_EVEN.map(([name], i) => ({
        name: name.replace('GPU', device_),
        short: name.replace(/GPU, |a launch for /, ''),
        color: `slot${i}`,
        points: pointsAt(sizesOf(odd), (n) => oddEven(device, n, i)),
      })),
      format: ms,
      tables: [
        {
          columns: ['keys', ...ODD_EVEN.map(([name]) => `${name.replace('GPU', device_)}, ms`)],
          rows: sizesOf(odd).map((n) => [size(n), ...ODD_EVEN.map((_, i) => digits(oddEven(device, n, i)))]),
        },
      ],
      record: odd,
    },
  ];
}

// Milliseconds per level of each step at default knobs with 8M keys: 4, 7 and 12 levels.
function levels(device) {
  const [record, n] = [untilRecord(device), 8e6];
  const row = rowWith(record, { serialUntil: 16, blockUntil: 2048 }, { version: 'merge_three_step', n });
  const each = (name, count) => (row?.stages_ms?.[name] ? `${Math.round((1e3 * row.stages_ms[name]) / count)} microseconds` : null);
  return { 'article.level1': each('serial', 4), 'article.level2': each('block', 7), 'article.level3': each('splitter', 12) };
}

export function values(report, device) {
  const sizes = sizesOf(bitonicRecord(device));
  const [small, large] = [sizes[0], sizes.at(-1)];
  const gain = (n, i, k) => times(over(form(device, n, i)?.median_ms, form(device, n, k)?.median_ms));
  const far = (i) => form(device, large, i)?.stages_ms?.far ?? null;
  const ours = stage(device, { blockSerial: 256, copyBack: 0 });
  const cells = UNTIL.rows
    .flatMap((row) => UNTIL.columns.map((column) => ({ row, column, time: until(device, row, column) })))
    .filter(({ time }) => time !== null);
  const best = cells.length > 0 ? cells.reduce((a, b) => (b.time < a.time ? b : a)) : null;
  const odd = sizesOf(oddEvenRecord(device));
  const most = odd.at(-1);
  const wins = (i) => {
    const first = odd.find((n) => over(oddEven(device, n, 0), oddEven(device, n, i)) > 1);
    return odd.length === 0 ? null : first === undefined ? 'at none of these sizes' : `from ${size(first)} keys on`;
  };
  const copies = ['radix_v2', 'radix_v4'].map((version) => bestMs(firstRecord(device, 'worklog'), { version, n: 1e8, what: 'pairs' }));
  return {
    ...levels(device),
    'article.small': size(small),
    'article.large': size(large),
    'article.textbook_small': gain(small, 0, 2),
    'article.textbook_large': gain(large, 0, 2),
    'article.steps_large': gain(large, 1, 2),
    'article.steps_textbook': gain(large, 1, 0),
    'article.far': times(over(far(1), far(2))),
    'article.merge_n': size(serial(device, {}).n),
    'article.merge_one': times(over(stage(device, { blockSerial: 1, copyBack: 0 }), ours)),
    'article.merge_32': times(over(stage(device, { blockSerial: 32, copyBack: 0 }), ours)),
    'article.merge_copy': times(over(stage(device, { blockSerial: 256, copyBack: 1 }), ours)),
    'article.merge_both': times(over(stage(device, { blockSerial: 1, copyBack: 1 }), ours)),
    'article.until_best': best ? `serialUntil ${best.row} and blockUntil ${best.column} with ${ms(best.time)}` : null,
    'article.until_ours': ms(until(device, 16, 2048)),
    'article.until_no2': times(over(until(device, 16, 2), best?.time ?? null)),
    'article.until_no1': times(over(until(device, 1, 2048), best?.time ?? null)),
    'article.odd_n': size(most),
    'article.odd_cpu': ms(oddEven(device, most, 0)),
    'article.odd_gpu': ms(oddEven(device, most, 1)),
    'article.odd_gain': times(over(oddEven(device, most, 0), oddEven(device, most, 1))),
    'article.odd_gain32': times(over(oddEven(device, most, 0), oddEven(device, most, 2))),
    'article.odd_wins': wins(1),
    'article.odd_wins32': wins(2),
    'article.v4_share': copies.every(Boolean) ? percent((100 * copies[1]) / copies[0]) : null,
  };
}
