// What gsort does beyond u32, and what the versions ask of memory: keys of 64 bits (records wide_*.json of a device) and counts of the cpu
// backend (results/counted).
import { bytesOf, TRAFFIC } from '../../lib/traffic.js';
import { count, digits, list, over, size } from './format.js';
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

// Counted bytes beside those that lib/traffic.js has from the code, and beside the time of a GPU.
function countedTables(report, device) {
  return Object.entries(report.counted ?? {}).map(([kind, rows]) => {
    const one = kind.replace(/s$/, '');
    const [record, n] = kind === 'pairs' ? [device.records.worklog, 1e8] : [device.records.scaling_all_keys, 6.4e7];
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
      [`${size(n)} ${kind}, ms`, ({ version }) => digits(bestMs(record, { version, n, what: kind, input: 'uniform' }))],
    ];
    return {
      id: `counted-${kind}`,
      caption: `One sort of ${count(rows[0].n)} ${kind}, counted on the cpu backend; the time is of the ${label(device)}`,
      columns: columns.map(([name]) => name),
      rows: rows.map((row) => columns.map(([, text]) => text(row))),
      note: `Bytes are sectors of 32 bytes that warps ask for, copies and fills included. ${list([...new Set(rows.map((row) => `${row.device}, ${row.date}, commit ${row.commit}`))])}.`,
    };
  });
}

export const beyondTables = (report, device) => [...wideTable(device), ...countedTables(report, device)];

export const beyondValues = (report, device) => ({
  'beyond.wide': list(wideRecords(device).map((record) => record.rows[0].what)) || null,
  'beyond.counted': list(Object.keys(report.counted ?? {})) || null,
});
