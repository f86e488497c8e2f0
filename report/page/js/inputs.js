// Skewed inputs: the time of each version over CUB's on the same input.
import { digits, list, over, size, times } from './format.js';
import { best, bestMs, firstRecord, radixPath, rowsOf, versionsOf } from './records.js';

const recordOf = (device, what) => firstRecord(device, `inputs_${what}`);

function table(device, what) {
  const record = recordOf(device, what);
  // The standard comparison has several sizes: 8M, the size of the experiments.
  const n = record ? [8e6, ...rowsOf(record).map((row) => row.n)].find((size_) => rowsOf(record, { n: size_ }).length > 0) : null;
  const rows = rowsOf(record, { what, n });
  const versions = versionsOf({ rows });
  const inputs = [...new Set(rows.map((row) => row.input))];
  const time = (version, input) => bestMs({ rows }, { version, input });
  const relative = (version, input) => over(time(version, input), time('cub_ref', input));
  const noise = (version, input) => best({ rows }, { version, input })?.noise ?? 0;
  return { record, n, versions, inputs, time, relative, noise };
}

export function figures(report, device) {
  return ['keys', 'pairs'].map((what) => {
    const { record, n, versions, inputs, time, relative, noise } = table(device, what);
    return {
      id: `inputs-${what}`,
      title: `Time over CUB's on the same input, ${n ? size(n) : ''} ${what}`,
      type: 'points',
      categories: inputs,
      tall: true,
      numbers: false,
      spoken: versions.filter((version) => /^(radix_v\d+|thrust_ref|mppsort_v2|merge_v2)$/.test(version)),
      x: { label: "time / CUB's time (log scale)", log: true },
      marks: [{ value: 1, label: 'CUB = 1' }],
      series: versions
        .filter((version) => version !== 'cub_ref')
        .map((version) => ({
          name: version,
          color: version,
          values: inputs.map((input) => relative(version, input)),
          noise: inputs.map((input) => noise(version, input) + noise('cub_ref', input)),
        })),
      format: (x) => digits(x),
      tables: [
        {
          columns: ['input', ...versions.map((version) => `${version}, ms`)],
          rows: inputs.map((input) => [input, ...versions.map((version) => digits(time(version, input)))]),
          note: "The chart divides each row by CUB's time, the better of its two index types.",
        },
      ],
      record,
      missing: !versions.includes('cub_ref'),
    };
  });
}

// The inputs on which the newest version is slower than CUB, as text.
function lost(device, what) {
  const { record, inputs, relative } = table(device, what);
  const newest = radixPath(record).at(-1);
  const slower = inputs
    .filter((input) => relative(newest, input) > 1)
    .map((input) => `${input} (${times(relative(newest, input))} its time)`);
  if (!inputs.some((input) => relative(newest, input))) return null;
  return slower.length > 0 ? list(slower) : 'none of them';
}

export function values(report, device) {
  const { versions, inputs, time, n, record } = table(device, 'keys');
  if (!record) return {};
  const worst = (version) =>
    inputs
      .map((input) => ({ input, factor: over(time(version, input), time(version, 'uniform')) }))
      .filter(({ factor }) => factor !== null)
      .reduce((a, b) => (b.factor > a.factor ? b : a));
  const all = versions.map((version) => ({ version, ...worst(version) })).sort((a, b) => b.factor - a.factor);
  const slower = all.filter(({ factor }) => factor >= 1.1).map(({ version, input, factor }) => `${version} ${times(factor)} (${input})`);
  const even = all.filter(({ factor }) => factor < 1.1).map(({ version }) => version);
  return {
    'inputs.newest_lost': lost(device, 'keys'),
    'inputs.newest_lost_pairs': lost(device, 'pairs'),
    'inputs.n': size(n),
    'inputs.count': String(inputs.length),
    'inputs.slower': slower.length > 0 ? list(slower) : null,
    'inputs.even': even.length > 0 ? list(even) : null,
  };
}
