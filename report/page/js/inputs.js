// Skewed inputs: the time of each version relative to its time on uniform keys.
import { digits, list, over, size, times } from './format.js';
import { best, bestMs, firstRecord, rowsOf, source, versionsOf } from './records.js';

const recordOf = (device, what) => firstRecord(device, `inputs_${what}`, 'standard');

function table(device, what) {
  const record = recordOf(device, what);
  // The standard comparison has several sizes: 8M, the size of the experiments.
  const n = record ? [8e6, ...rowsOf(record).map((row) => row.n)].find((size_) => rowsOf(record, { n: size_ }).length > 0) : null;
  const rows = rowsOf(record, { what, n });
  const versions = versionsOf({ rows });
  const inputs = [...new Set(rows.map((row) => row.input))];
  const time = (version, input) => bestMs({ rows }, { version, input });
  const relative = (version, input) => over(time(version, input), time(version, 'uniform'));
  const noise = (version, input) => best({ rows }, { version, input })?.noise ?? 0;
  return { record, n, versions, inputs, time, relative, noise };
}

export function inputsFigures(report, device) {
  return ['keys', 'pairs'].map((what) => {
    const { record, n, versions, inputs, time, relative, noise } = table(device, what);
    return {
      id: `inputs-${what}`,
      title: `Time relative to uniform keys, ${n ? size(n) : ''} ${what}`,
      type: 'points',
      horizontal: true,
      categories: inputs,
      tall: true,
      numbers: false,
      spoken: versions.filter((version, i) => i === 0 || /^(radix_v\d+|cub_ref|mppsort|mppsort_v2|bitonic)$/.test(version)),
      x: { label: 'time / time on uniform keys (log scale)', log: true },
      marks: [{ value: 1, label: 'uniform = 1' }],
      series: versions.map((version) => ({
        name: version,
        color: version,
        values: inputs.map((input) => relative(version, input)),
        noise: inputs.map((input) => noise(version, input)),
      })),
      format: (x) => digits(x),
      tables: [
        {
          columns: ['input', ...versions.map((version) => `${version}, ms`)],
          rows: inputs.map((input) => [input, ...versions.map((version) => digits(time(version, input)))]),
          note: 'The chart divides each column by its first row.',
        },
      ],
      sources: [source(record)],
      missing: !record,
    };
  });
}

export function inputsValues(report, device) {
  const { versions, inputs, relative, n, record } = table(device, 'keys');
  if (!record) return {};
  const worst = (version) =>
    inputs
      .map((input) => ({ input, factor: relative(version, input) }))
      .filter(({ factor }) => factor !== null)
      .reduce((a, b) => (b.factor > a.factor ? b : a));
  const all = versions.map((version) => ({ version, ...worst(version) })).sort((a, b) => b.factor - a.factor);
  const slower = all.filter(({ factor }) => factor >= 1.1).map(({ version, input, factor }) => `${version} ${times(factor)} (${input})`);
  const even = all.filter(({ factor }) => factor < 1.1).map(({ version }) => version);
  return {
    'inputs.n': size(n),
    'inputs.count': String(inputs.length),
    'inputs.slower': slower.length > 0 ? list(slower) : null,
    'inputs.even': even.length > 0 ? list(even) : null,
  };
}
