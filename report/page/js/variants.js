// Tables of experiments that the reports made and that a device may lack: settings beside each other, and repeated runs.
import { digits, list, ms, over, percent, size, times } from './format.js';
import { firstRecord, isGpu, label, rowsOf, rowWith, sizesOf } from './records.js';

const recordsLike = (device, pattern) => Object.entries(device.records).filter(([name]) => pattern.test(name));

function variants(device) {
  const rows = recordsLike(device, /^variant_(rank_way|bits|mppsort)/).flatMap(([, record]) => record.rows);
  if (rows.length === 0) return null;
  const knob = { radix_v2: ['nBits', 'rankWay'], mppsort: ['blockSort'] };
  const settings = (row) =>
    (knob[row.version] ?? ['nBits'])
      .filter((name) => row.knobs[name] !== undefined)
      .map((name) => `${name} ${row.knobs[name]}`)
      .join(', ');
  return {
    id: 'variants',
    caption: `Settings beside each other, ${label(device)}`,
    columns: ['version', 'setting', 'n', 'elements', 'ms', 'noise'],
    rows: rows.map((row) => [
      row.version,
      settings(row),
      size(row.n),
      row.what,
      row.status === 'ok' ? digits(row.median_ms) : row.status,
      row.noise == null ? null : `\u00b1${percent(100 * row.noise)}`,
    ]),
  };
}

// {row, name, times} of each row that was measured in three whole runs: the median of each run.
function repeated(device) {
  const names = [...new Set(recordsLike(device, /^repeat_\d+_/).map(([name]) => name.replace(/^repeat_\d+_/, '')))];
  const key = (row) => JSON.stringify([row.version, row.n, row.what, row.input, row.knobs]);
  return names.flatMap((name) => {
    const runs = [name, `repeat_2_${name}`, `repeat_3_${name}`].map((one) => device.records[one]?.rows ?? []);
    return runs[0]
      .filter((row) => row.status === 'ok')
      .map((row) => ({ row, name, times: runs.map((list_) => list_.find((one) => key(one) === key(row))?.median_ms ?? null) }))
      .filter(({ times: all }) => !all.includes(null));
  });
}
const spread = ({ times: all }) => 100 * (Math.max(...all) / Math.min(...all) - 1);

function repeats(device) {
  const found = repeated(device);
  if (found.length === 0) return null;
  const headOf = ({ row, name }) => `record ${name}, ${size(row.n)} ${row.what}`;
  const heads = [...new Set(found.map(headOf))];
  return {
    id: 'repeats',
    caption: `Three runs, ${label(device)}: ${list(heads)}`,
    columns: ['version', 'run 1, ms', 'run 2, ms', 'run 3, ms', 'slowest over fastest'],
    rows: found.map((one) => [
      heads.length > 1 ? `${one.row.version}, ${headOf(one)}` : one.row.version,
      ...one.times.map((time) => digits(time)),
      percent(spread(one)),
    ]),
  };
}

// How far rows of three runs lie apart: the median row, and the one that differs most.
function drift(device) {
  const sorted = repeated(device).sort((a, b) => spread(a) - spread(b));
  const most = sorted.at(-1);
  return {
    'method.drift_median': most ? percent(spread(sorted[Math.floor(sorted.length / 2)])) : null,
    'method.drift_most': most ? `${percent(spread(most))} (${most.row.version}, ${size(most.row.n)} ${most.row.what})` : null,
  };
}

// 1 to 8 bits a digit: the tile sorts of the reports.
const BITS = [1, 2, 3, 4, 5, 6, 7, 8];
const tiles = (device) =>
  recordsLike(device, /^variant_bits_large_/)
    .map(([name, record]) => ({ version: name.replace('variant_bits_large_', ''), record: { name, ...record } }))
    .sort((a, b) => a.version.localeCompare(b.version));
const bitsTime = (record, nBits) => rowWith(record, { nBits })?.median_ms ?? null;

export function figures(report, device) {
  const found = tiles(device);
  const n = found.length > 0 ? sizesOf(found[0].record)[0] : null;
  return [
    {
      id: 'bits',
      title: `Bits a digit${n ? `, ${size(n)} pairs` : ''}`,
      type: 'line',
      categories: BITS,
      x: { label: 'bits a digit' },
      y: { label: 'milliseconds (log scale)', log: true },
      series: found.map(({ version, record }) => ({ name: version, color: version, values: BITS.map((nBits) => bitsTime(record, nBits)) })),
      format: ms,
      record: n && { ...found[0].record, name: `variant_bits_large_* (${found.length})` },
    },
  ];
}

// Experiments that a device may lack, by a record of each.
const EXPERIMENTS = {
  hw4_seq: 'seq with 1, 4 and 8 bits a digit',
  v2_blocks_0256: "radix_v2's block sizes",
  variant_rank_way: "radix_v2's two ways of ranking",
  variant_bits_large_radix_v2: '1 to 8 bits a digit',
  merge_cpu_sequential: 'merge sort on the CPU',
  merge_bottomup_test1: 'bottom-up merge sort',
  mppsort: 'MPPSort beside Thrust',
  variant_mppsort_1024: 'MPPSort with 1,024 threads in its sort',
  variant_bitonic: "the parallel sorting article's own forms",
  second_keys: 'the versions that continue merge_three_step, bitonic and mppsort',
  scaling_all_keys: 'all versions by n',
  full_merge_cpu_sequential: '500M keys on one CPU thread',
  merge_cpu_turns: "merge_cpu's modes in turn",
  merge_cpu_one: "merge_cpu's modes on one thread",
  scaling_host: 'CPU code beside each other',
  repeat_2_hw4: 'three whole runs of the headlines',
};

export function values(report, device) {
  const missing = Object.entries(EXPERIMENTS).filter(([name]) => !device.records[name]);
  const best = tiles(device)
    .map(({ version, record }) => ({ version, bits: BITS.filter((nBits) => bitsTime(record, nBits) !== null), record }))
    .filter(({ bits }) => bits.length > 0)
    .map(({ version, bits, record }) => {
      const first = bits.reduce((a, b) => (bitsTime(record, b) < bitsTime(record, a) ? b : a));
      return `${version} with ${first} (${ms(bitsTime(record, first))})`;
    });
  const v2 = tiles(device).find(({ version }) => version === 'radix_v2')?.record ?? null;
  const way = (name, rankWay) => rowWith(firstRecord(device, name), { rankWay })?.median_ms ?? null;
  const mpp = (name) => rowsOf(firstRecord(device, name), { version: 'mppsort', n: 8e6, status: 'ok' })[0]?.median_ms ?? null;
  return {
    ...drift(device),
    'method.gaps': isGpu(device) && missing.length > 0 ? list(missing.map(([, text]) => text)) : null,
    'variants.best_bits': best.length > 0 ? list(best) : null,
    'variants.v2_bits8': times(over(bitsTime(v2, 8), bitsTime(v2, 4))),
    'variants.way2': times(over(way('variant_rank_way', 2), way('variant_rank_way', 1))),
    'variants.way2_large': times(over(way('variant_rank_way_large', 2), way('variant_rank_way_large', 1))),
    'variants.way_n': size(sizesOf(firstRecord(device, 'variant_rank_way_large'))[0]),
    'variants.mpp1024': times(over(mpp('variant_mppsort_1024'), mpp('mppsort'))),
  };
}

export const tables = (report, device) => [variants(device), repeats(device)].filter(Boolean);
