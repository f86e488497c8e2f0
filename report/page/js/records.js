// Finding rows in the records of one device. A figure takes a series from one record, so that all its
// points were measured in the same run; it never mixes devices.
import { NOT_MEASURED } from './format.js';

// The first of the named records that the device has, as {name, record}, or null.
export function firstRecord(device, ...names) {
  const name = names.find((one) => device.records[one]);
  return name ? { name, ...device.records[name] } : null;
}

export function rowsOf(record, wanted = {}) {
  const fields = Object.entries(wanted); // once: the pages ask 60,000 times
  return (record?.rows ?? []).filter((row) => fields.every(([field, value]) => row[field] === value));
}

// The fastest right row: of several knob settings (CUB's index types) the best one counts.
export function best(record, wanted) {
  const right = rowsOf(record, wanted).filter((row) => row.status === 'ok');
  return right.reduce((a, b) => (a === null || b.median_ms < a.median_ms ? b : a), null);
}

export const bestMs = (record, wanted) => best(record, wanted)?.median_ms ?? null;

// Milliseconds of a version with n uniform keys or pairs.
export const timesOf = (record, what) => (version, n) => bestMs(record, { version, n, what, input: 'uniform' });

// The right row with these knobs, or null.
export const rowWith = (record, knobs, wanted = {}) =>
  rowsOf(record, { ...wanted, status: 'ok' }).find((row) => Object.entries(knobs).every(([name, value]) => row.knobs[name] === value)) ??
  null;

// The points of a line: those sizes where there is a value. `more` of a size, such as its noise, goes with it.
export const pointsAt = (sizes, valueOf, more = () => ({})) =>
  sizes.map((x) => ({ x, y: valueOf(x), ...more(x) })).filter(({ y }) => y !== null);

export function sizesOf(record, wanted) {
  return [...new Set(rowsOf(record, wanted).map((row) => row.n))].sort((a, b) => a - b);
}

export function versionsOf(record, wanted) {
  return [...new Set(rowsOf(record, wanted).map((row) => row.version))];
}

// The radix versions of the records in order: radix_v1, radix_v2, .. radix_v10.
export function radixPath(...records) {
  const found = records
    .filter(Boolean)
    .flatMap((record) => versionsOf(record))
    .filter((name) => /^radix_v\d+$/.test(name));
  return [...new Set(found)].sort((a, b) => Number(a.slice(7)) - Number(b.slice(7)));
}

// Does a version sort on the host, on either backend?
export const isCpuCode = (report, version) =>
  recordsOf(report).some(({ rows }) => rows.some((row) => row.version === version && row.cpu_code));

const recordsOf = (report) => report.devices.flatMap((device) => Object.values(device.records));

// All versions of the report in the order in which they get colours and stand in legends: the newest radix
// version, libraries, older radix versions, other sorts, CPU code.
export function versionOrder(report) {
  const records = recordsOf(report);
  const path = radixPath(...records);
  const groupOf = (version) => {
    if (isCpuCode(report, version)) return 4;
    if (path.includes(version)) return version === path.at(-1) ? 0 : 2;
    return version.endsWith('_ref') ? 1 : 3;
  };
  const group = new Map(records.flatMap((record) => versionsOf(record)).map((version) => [version, null]));
  for (const version of group.keys()) group.set(version, groupOf(version));
  return [...group.keys()].sort((a, b) => group.get(a) - group.get(b) || path.indexOf(b) - path.indexOf(a) || a.localeCompare(b));
}

// The reason for a missing time: "stopped after 60 s, ..." or the verdict.
export function whyNot(row) {
  if (!row) return NOT_MEASURED;
  return row.status === 'wrong' ? `wrong result: ${row.verdict}` : row.verdict || row.status;
}

// The line under a figure: device, how, when.
export function source(record) {
  if (!record) return null;
  const { name, backend, runtime_version: runtime } = record.device;
  const cuda = backend === 'cuda' ? `, CUDA ${Math.floor(runtime / 1000)}.${(runtime % 1000) / 10}` : ', cpu backend';
  return `${name}${cuda}: record ${record.name}, ${record.date.slice(0, 10)}, commit ${record.commit}; median of at most ${record.repetitions} runs`;
}

// Short name of a device in legends and tables, without the size of its memory: the lines under title and charts have
// the full one.
export const label = (device) => {
  const record = Object.values(device.records)[0];
  return record.device.backend === 'cpu' ? `cpu backend (${record.device.name})` : record.device.name.replace(/^NVIDIA | \d+GB\b.*$/g, '');
};

export const isGpu = (device) => Object.values(device.records)[0].device.backend === 'cuda';
