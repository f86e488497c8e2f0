// Gkeys/s over n, with the bounds that the memory sets.
import { digits, over, percent, size, times } from './format.js';
import { best, firstRecord, isGpu, label, sizesOf, source, timesOf, versionOrder, versionsOf } from './records.js';

// Bytes per element: of a copy; of four passes of 8 bits that read and write everything after one read of the keys
// (radix_v5 and v6, and others that sweep four times); and of radix_v9's buckets: in one step, or in two.
export const TRAFFIC = {
  keys: {
    copy: 8,
    roofs: [
      [2 * 8, 'roof: buckets, one step'],
      [3 * 8, 'roof: buckets, two steps'],
      [4 + 4 * 8, 'roof: four sweeps'],
    ],
  },
  pairs: {
    copy: 16,
    roofs: [
      [2 * 16, 'roof: runs'],
      [3 * 16, 'roof: two sweeps, buckets'],
      [4 + 4 * 16, 'roof: four sweeps'],
    ],
  },
};
// Those that the text is about; the others are grey.
const SPOKEN = ['cub_ref', 'thrust_ref', 'radix_v5', 'radix_v6', 'merge_bottomup'];

const recordsOf = (device, what) =>
  [`scaling_${what}`, `scaling_all_${what}`, 'scaling_host'].map((name) => firstRecord(device, name)).filter(Boolean);

// Each version from the first record that has it.
export function curves(report, device, what) {
  const found = new Map();
  for (const record of recordsOf(device, what)) {
    const wanted = { what, input: 'uniform' };
    for (const version of versionsOf(record, wanted)) {
      const points = sizesOf(record, { ...wanted, version })
        .map((n) => ({ x: n, row: best(record, { ...wanted, version, n }) }))
        .filter(({ row }) => row !== null)
        .map(({ x, row }) => ({ x, y: x / row.median_ms / 1e6, time: row.median_ms, noise: row.noise }));
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
    short: `${bytes} bytes`,
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
    y: { label: '10\u2079 elements per second (log scale)', log: true },
    spoken: [...SPOKEN, found[0]?.version],
    series: [
      ...found.map(({ version, points }) => ({
        name: version,
        color: version,
        points,
        strong: version === found[0].version || /^(cub|thrust)_ref$/.test(version),
      })),
      ...(first
        ? [
            roof(traffic.copy, `roof: a copy, ${traffic.copy} bytes`),
            ...traffic.roofs.map(([bytes, name]) => roof(bytes, `${name}, ${bytes} bytes`)),
          ]
        : []),
    ],
    format: (x) => `${digits(x)} Gkeys/s`,
    tables: [
      {
        columns: ['n', ...found.map(({ version }) => `${version}, ms`)],
        rows: sizes.map((n) => [size(n), ...found.map(({ points }) => digits(points.find(({ x }) => x === n)?.time))]),
        note: 'Chart: 10\u2079 elements per second = n / (ms x 10\u2076). CUB: the better of its two index types where both were measured.',
      },
    ],
    sources: [...new Set(found.map(({ record }) => source(record)))],
    missing: found.length === 0,
  };
}

// CUB's time over the newest versions' time.
function besideCub(report, device) {
  const kinds = ['keys', 'pairs'].map((what) => ({ what, found: curves(report, device, what) }));
  const time = ({ found }, version, n) => found.find((one) => one.version === version)?.points.find(({ x }) => x === n)?.time ?? null;
  const series = kinds.flatMap((kind) =>
    kind.found
      .filter(({ version }) => ['radix_v6', 'radix_v9', kind.what === 'keys' ? 'radix_v7' : 'radix_v8'].includes(version))
      .map(({ version, points }) => ({
        name: `${version}, ${kind.what}`,
        points: points
          .map(({ x, time: own, noise }) => ({ x, y: over(time(kind, 'cub_ref', x), own), noise }))
          .filter(({ y }) => y !== null),
      })),
  );
  const sizes = [...new Set(series.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b);
  return {
    id: 'beside-cub',
    title: "CUB's time over ours: how many times as fast",
    type: 'line',
    x: { label: 'n (log scale)', log: true, sizes: true },
    y: { label: "CUB's time / ours", min: 0 },
    marks: [{ axis: 'y', value: 1, label: 'CUB = 1' }],
    series: series.map((one, i) => ({
      ...one,
      color: `slot${i}`,
      published: /keys/.test(one.name) ? undefined : true,
      strong: /v9/.test(one.name),
    })),
    format: times,
    tables: [
      {
        columns: ['n', ...series.map(({ name }) => name)],
        rows: sizes.map((n) => [size(n), ...series.map(({ points }) => digits(points.find(({ x }) => x === n)?.y))]),
        note: 'Dashed and hollow: pairs. CUB: the better of its two index types.',
      },
    ],
    sources: [
      ...new Set(kinds.flatMap(({ found }) => found.filter(({ version }) => version === 'cub_ref').map(({ record }) => source(record)))),
    ],
    missing: sizes.length === 0,
  };
}

// The newest version and CUB on every GPU.
export function tables(report) {
  const gpus = report.devices.filter((device) => isGpu(device) && device.records.scaling_keys && device.records.scaling_pairs);
  if (gpus.length < 2) return [];
  const record = (device, what) => device.records[`scaling_${what}`];
  const newest = versionOrder(report)[0];
  const time = (device, what, version, n) => timesOf(record(device, what), what)(version, n);
  const sizes = sizesOf(record(gpus[0], 'keys'), { version: newest });
  const kinds = ['keys', 'pairs'];
  return [
    {
      id: 'both-chips',
      caption: `${newest} and CUB on each GPU, uniform input, ms`,
      groups: [['', 1], ...gpus.flatMap((device) => kinds.map((what) => [`${label(device)}, ${what}`, 3]))],
      columns: ['n', ...gpus.flatMap(() => kinds.flatMap(() => [newest, 'CUB', 'ratio']))],
      rows: sizes.map((n) => [
        size(n),
        ...gpus.flatMap((device) =>
          kinds.flatMap((what) => {
            const [ours, cub] = [time(device, what, newest, n), time(device, what, 'cub_ref', n)];
            return [digits(ours), digits(cub), digits(over(cub, ours))];
          }),
        ),
      ]),
      note: `Records scaling_keys and scaling_pairs of ${gpus.map((device) => `the ${label(device)}, ${record(device, 'keys').date.slice(0, 10)}, commit ${record(device, 'keys').commit}`).join(' and ')}; ratio: CUB's time over ours.`,
    },
  ];
}

export const figures = (report, device) => [...['keys', 'pairs'].map((what) => figure(report, device, what)), besideCub(report, device)];

export function values(report, device) {
  const values = {};
  for (const what of ['keys', 'pairs']) {
    const found = curves(report, device, what);
    const radix = found.find(({ version }) => /^radix_v/.test(version));
    if (!radix) continue;
    const { copy_gb_per_s: copy } = radix.record;
    const top = radix.points.reduce((a, b) => (b.y > a.y ? b : a));
    const cub = new Map(found.find(({ version }) => version === 'cub_ref')?.points.map(({ x, time }) => [x, time]));
    const gains = radix.points.map(({ x, time }) => over(cub.get(x), time)).filter((gain) => gain !== null);
    Object.assign(values, {
      'scaling.newest': radix.version,
      'scaling.copy': `${digits(copy, 4)} GB/s`,
      [`scaling.${what}_top`]: `${digits(top.y)} Gkeys/s at n = ${size(top.x)}`,
      [`scaling.${what}_bucket_share`]: percent((100 * top.y * TRAFFIC[what].roofs.at(-2)[0]) / copy),
      [`scaling.${what}_range_cub`]: gains.length > 0 ? `between ${times(Math.min(...gains))} and ${times(Math.max(...gains))}` : null,
    });
  }
  return values;
}
