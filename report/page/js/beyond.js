// What gsort does beyond u32, and what the versions ask of memory: keys of 64 bits (records wide_*.json of a device) and counts of the cpu
// backend (results/counted), also beside Nsight Compute's (beside_ncu.csv of a device).
import { parseCsv } from '../../lib/csv.js';
import { bytesOf, TRAFFIC } from '../../lib/traffic.js';
import { count, digits, list, over, percent, size, tableOfItems } from './format.js';
import { bestMs, isGpu, label, rowsOf, sizesOf } from './records.js';
import { recordsText } from './worklog.js';

// CUB's time over gsort's; of CUB's sorts the fastest counts.
const gain = (record, input, n) => over(bestMs(record, { version: 'cub', input, n }), bestMs(record, { version: 'gsort', input, n }));

const wideRecords = (device) => (isGpu(device) ? Object.entries(device.wide).map(([name, record]) => ({ name, ...record })) : []);

function wideTable(device) {
  const records = wideRecords(device);
  if (records.length === 0) return [];
  const sizes = [...new Set(records.flatMap((record) => sizesOf(record)))].sort((a, b) => a - b);
  const cell = (record, n) => {
    const inputs = [...new Set(rowsOf(record, { n }).map((row) => row.input))];
    const all = inputs.map((input) => gain(record, input, n)).filter((one) => one !== null);
    const uniform = digits(gain(record, 'uniform', n));
    return all.length === 0 ? null : `${uniform ?? '\u2013'} (${digits(Math.min(...all))} to ${digits(Math.max(...all))})`;
  };
  return [
    {
      id: 'wide',
      caption: `Keys of 64 bits: CUB's time over gsort's, ${label(device)}`,
      columns: ['elements', ...sizes.map((n) => `n = ${size(n)}`)],
      rows: records.map((record) => [record.rows[0].what, ...sizes.map((n) => cell(record, n))]),
      note: `Uniform keys, and in brackets the least and the greatest of all inputs. From the ${recordsText(records.map((record) => ({ record })))}.`,
    },
  ];
}

// Versions whose steps are the same at every n, so that their counts per element are, too.
const SAME_STEPS = /^radix_(v[1-6]|level[12])$/;
const SMS = 132; // of an H100 and an H200

const measured = (device, kind) => (kind === 'pairs' ? [device.records.worklog, 1e8] : [device.records.scaling_all_keys, 6.4e7]);

// What the counts would take at n: their bytes at the copy rate, and a cycle of an SM for each wavefront of shared memory.
function explained(device, kind, row) {
  const [record, n] = measured(device, kind);
  const time = bestMs(record, { version: row.version, n, what: kind, input: 'uniform' });
  if (!SAME_STEPS.test(row.version) || !time) return { time, by: null };
  const clock = Number(/SM (\d+) MHz/.exec(record.device.clocks)?.[1]);
  const bytes = (row.bytes_per_element * n) / record.copy_gb_per_s / 1e6;
  const shared = clock ? (row.shared_wavefronts_per_element * n) / SMS / clock / 1e3 : null;
  const within = (some) => Math.abs(some / time - 1) <= 0.25;
  const by = within(bytes) ? 'bytes' : shared && within(bytes + shared) ? 'bytes and shared memory' : 'something else';
  return { time, bytes, shared, by };
}

// Counted bytes beside those that lib/traffic.js has from the code, and beside the time of a GPU.
function countedTables(report, device) {
  return Object.entries(report.counted ?? {}).map(([kind, rows]) => {
    const one = kind.replace(/s$/, '');
    const [, n] = measured(device, kind);
    const written =
      kind === 'pairs'
        ? [['from the code, large n', ({ version }) => (TRAFFIC[version] && !TRAFFIC[version].upTo ? count(bytesOf(version)) : null)]]
        : [];
    const columns = [
      ['version', (row) => row.version],
      ['launches', (row) => row.launches],
      [`bytes a ${one}`, (row) => digits(row.bytes_per_element)],
      ['each sector once a launch', (row) => digits(row.least_bytes_per_element)],
      ...written,
      [`cycles of shared memory a ${one}`, (row) => digits(row.shared_wavefronts_per_element)],
      [`${size(n)} ${kind}, ms`, (row) => digits(explained(device, kind, row).time)],
      ['bytes at the copy rate, ms', (row) => digits(explained(device, kind, row).bytes)],
      ['shared memory, ms', (row) => digits(explained(device, kind, row).shared)],
      ['the time is that of', (row) => explained(device, kind, row).by],
    ];
    return {
      id: `counted-${kind}`,
      caption: `One sort of ${count(rows[0].n)} ${kind}, counted on the cpu backend; the times are of the ${label(device)}`,
      ...tableOfItems(columns, rows),
      note: `Bytes are sectors of 32 bytes that warps ask for, copies and fills included. The time is that of the bytes, or of both, if they are within 25% of it; said only where a sort has the same steps at every n. ${list([...new Set(rows.map((row) => `${row.device}, ${row.date}, commit ${row.commit}`))])}.`,
    };
  });
}

// Of each version the kernel that differs most from Nsight Compute's counts, of all sorts in beside_ncu.csv.
function besideTable(device) {
  const text = device.profiles?.beside_ncu;
  if (!text) return [];
  const rows = parseCsv(text, 'beside_ncu.csv');
  const apart = (row) => (row.ncu === 0 ? Infinity : row.here / row.ncu - 1);
  const worst = (version, pattern) => {
    const found = rows.filter((row) => row.version === version && pattern.test(row.counter));
    if (found.length === 0) return null;
    const most = found.reduce((one, other) => (Math.abs(apart(other)) > Math.abs(apart(one)) ? other : one));
    if (most.ncu === most.here) return 'the same';
    return `${apart(most) < 0 ? '-' : '+'}${percent(100 * Math.abs(apart(most)))} ${most.kernel}`;
  };
  const columns = [
    ['requests', /^global (load|store) requests/],
    ['sectors', /^global (load|store) sectors/],
    ['atomics', /^global atomic/],
    ['shared wavefronts', /^shared wavefronts/],
  ];
  return [
    {
      id: 'beside-ncu',
      caption: `Counted on the cpu backend, beside Nsight Compute on the ${label(device)}: the kernel of each version that differs most`,
      columns: ['version', ...columns.map(([name]) => name)],
      rows: [...new Set(rows.map((row) => row.version))].map((version) => [
        version,
        ...columns.map(([, pattern]) => worst(version, pattern)),
      ]),
      note: `Of one sort each of ${list([...new Set(rows.map((row) => `${size(row.n)} ${row.kind}`))])}. +: more are counted here. Global memory, and wavefronts of shared memory.`,
    },
  ];
}

export const tables = (report, device) => [...wideTable(device), ...countedTables(report, device), ...besideTable(device)];

export const values = (report, device) => ({
  'beyond.wide': list(wideRecords(device).map((record) => record.rows[0].what)) || null,
  'beyond.counted': list(Object.keys(report.counted ?? {})) || null,
  ...Object.fromEntries(
    [
      ['bytes', 'bytes'],
      ['both', 'bytes and shared memory'],
      ['else', 'something else'],
    ].map(([name, by]) => [
      `beyond.by_${name}`,
      list((report.counted?.pairs ?? []).filter((row) => explained(device, 'pairs', row).by === by).map((row) => row.version)) ||
        'no version',
    ]),
  ),
});
