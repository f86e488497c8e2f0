// Gkeys/s over n, with the bounds that the memory sets.
import { digits, list, over, percent, size, times } from './format.js';
import { bestMs, firstRecord, label, sizesOf, source, versionOrder, versionsOf } from './records.js';

// Bytes that a sort must move per element: a copy; and four passes of 8 bits that read and write
// everything, after one read of the keys for the histograms.
export const TRAFFIC = { keys: { copy: 8, sweep: 4 + 4 * 8 }, pairs: { copy: 16, sweep: 4 + 4 * 16 } };

const recordsOf = (device, what) =>
  [firstRecord(device, `scaling_${what}`), firstRecord(device, `scaling_all_${what}`), firstRecord(device, 'standard')].filter(Boolean);

// Each version from the first record that has it.
function curves(report, device, what) {
  const found = new Map();
  for (const record of recordsOf(device, what)) {
    const wanted = { what, input: 'uniform' };
    for (const version of versionsOf(record, wanted)) {
      const points = sizesOf(record, { ...wanted, version })
        .map((n) => ({ x: n, time: bestMs(record, { ...wanted, version, n }) }))
        .filter(({ time }) => time !== null)
        .map(({ x, time }) => ({ x, y: x / time / 1e6, time }));
      if (!found.has(version) && points.length > 1) found.set(version, { version, record, points });
    }
  }
  return versionOrder(report).flatMap((version) => found.get(version) ?? []);
}

function figure(report, device, what) {
  const found = curves(report, device, what);
  const [first] = recordsOf(device, what);
  const sizes = [...new Set(found.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b);
  const roof = (bytes, name) => ({
    name,
    color: 'neutral',
    roof: true,
    points: first ? [sizes[0], sizes.at(-1)].map((x) => ({ x, y: first.copy_gb_per_s / bytes })) : [],
  });
  const traffic = TRAFFIC[what];
  return {
    id: `scaling-${what}`,
    title: `Throughput by n: ${what === 'keys' ? 'bare keys' : 'key and position pairs'}, uniform`,
    type: 'line',
    tall: true,
    x: { label: 'n (log scale)', log: true, sizes: true },
    y: { label: '10^9 elements per second (log scale)', log: true },
    series: [
      ...found.map(({ version, points }) => ({
        name: version,
        color: version,
        points,
        strong: version === found[0].version || /^(cub|thrust)_ref$/.test(version),
      })),
      ...(first
        ? [roof(traffic.copy, `roof: copy rate / ${traffic.copy} bytes`), roof(traffic.sweep, `roof: copy rate / ${traffic.sweep} bytes`)]
        : []),
    ],
    format: (x) => `${digits(x)} Gkeys/s`,
    tables: [
      {
        columns: ['n', ...found.map(({ version }) => `${version}, ms`)],
        rows: sizes.map((n) => [size(n), ...found.map(({ points }) => digits(points.find(({ x }) => x === n)?.time))]),
        note: 'Chart: 10^9 elements per second = n / time / 10^6. CUB: the better of its two index types where both were measured.',
      },
    ],
    sources: [...new Set(found.map(({ record }) => source(record)))],
    missing: found.length === 0,
  };
}

export const scalingFigures = (report, device) => ['keys', 'pairs'].map((what) => figure(report, device, what));

export function scalingValues(report, device) {
  const values = { 'scaling.device': label(device) };
  for (const what of ['keys', 'pairs']) {
    const found = curves(report, device, what);
    const radix = found.find(({ version }) => /^radix_v/.test(version));
    const record = radix?.record;
    if (!radix) continue;
    const top = radix.points.reduce((a, b) => (b.y > a.y ? b : a));
    const roof = record.copy_gb_per_s / TRAFFIC[what].sweep;
    const at = (version, n) => found.find((one) => one.version === version)?.points.find(({ x }) => x === n)?.time ?? null;
    const largest = radix.points.at(-1);
    const cub = radix.points.map(({ x, time }) => ({ x, gain: over(at('cub_ref', x), time) })).filter(({ gain }) => gain !== null);
    const best = cub.length > 0 ? cub.reduce((a, b) => (b.gain > a.gain ? b : a)) : null;
    Object.assign(values, {
      'scaling.newest': radix.version,
      'scaling.copy': `${digits(record.copy_gb_per_s, 4)} GB/s`,
      [`scaling.${what}_top`]: `${digits(top.y)} Gkeys/s at n = ${size(top.x)}`,
      [`scaling.${what}_roof`]: `${digits(roof)} Gkeys/s`,
      [`scaling.${what}_share`]: percent((100 * top.y) / roof),
      [`scaling.${what}_largest`]: size(largest.x),
      [`scaling.${what}_cub`]: times(over(at('cub_ref', largest.x), largest.time)),
      [`scaling.${what}_best_cub`]: best ? `${times(best.gain)} as fast with ${size(best.x)}` : null,
      [`scaling.${what}_all_cub`]: cub.length > 0 ? list(cub.map(({ x, gain }) => `${times(gain)} at ${size(x)}`)) : null,
      [`scaling.${what}_smallest`]: size(radix.points[0].x),
      [`scaling.${what}_small_cub`]: times(over(at('cub_ref', radix.points[0].x), radix.points[0].time)),
    });
  }
  return values;
}
