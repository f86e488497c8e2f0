// Tables of experiments that the reports made and that a device may lack: settings beside each other, and repeated runs.
import { digits, percent, size } from './format.js';
import { label } from './records.js';

const recordsLike = (device, pattern) => Object.entries(device.records).filter(([name]) => pattern.test(name));

function variants(device) {
  const rows = recordsLike(device, /^variant_/).flatMap(([, record]) => record.rows);
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

// The medians of each run of an experiment, and their spread.
function repeats(device) {
  const names = [...new Set(recordsLike(device, /^repeat_\d+_/).map(([name]) => name.replace(/^repeat_\d+_/, '')))];
  const key = (row) => JSON.stringify([row.version, row.n, row.what, row.input, row.knobs]);
  const rows = names.flatMap((name) => {
    const runs = [name, `repeat_2_${name}`, `repeat_3_${name}`].map((one) => device.records[one]?.rows ?? []);
    return runs[0]
      .filter((row) => row.status === 'ok')
      .map((row) => {
        const times = runs.map((list) => list.find((one) => key(one) === key(row))?.median_ms ?? null);
        const known = times.filter((time) => time !== null);
        return [
          row.version,
          name,
          size(row.n),
          row.what,
          ...times.map((time) => digits(time)),
          percent(100 * (Math.max(...known) / Math.min(...known) - 1)),
        ];
      });
  });
  if (rows.length === 0) return null;
  return {
    id: 'repeats',
    caption: `Three runs, ${label(device)}`,
    columns: ['version', 'record', 'n', 'elements', 'run 1, ms', 'run 2, ms', 'run 3, ms', 'slowest over fastest'],
    rows,
  };
}

export const variantsTables = (report, device) => [variants(device), repeats(device)].filter(Boolean);
