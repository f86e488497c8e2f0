// The reports' other sorts, done again: merge_v2, bitonic_v2 and mppsort_v2 beside the versions that they continue.
import { digits, ms, outcome, over, percent, size } from './format.js';
import { best, firstRecord, pointsAt, sizesOf, timesOf, versionsOf } from './records.js';

// The version before, the library whose task is the same, and bytes of device memory per key at `n` from the version's
// handout ("The floor"): its trips through memory times 8.
export const SECOND = {
  merge_v2: { before: 'merge_three_step', rival: 'cub_merge_ref', n: 2 ** 28, bytes: 48 },
  bitonic_v2: { before: 'bitonic', rival: 'cub_ref', n: 2 ** 24, bytes: 240 },
  mppsort_v2: { before: 'mppsort', rival: 'thrust_ref', n: 8e6, bytes: 20 },
};
const NAMES = { cub_merge_ref: "CUB's merge sort", cub_ref: "CUB's radix sort", thrust_ref: 'Thrust' };
const recordOf = (device, what) => firstRecord(device, `second_${what}`);
const timeOf = (device, what) => timesOf(recordOf(device, what), what);

function figure(report, device, what) {
  const record = recordOf(device, what);
  const time = timeOf(device, what);
  const sizes = sizesOf(record, { what });
  const versions = versionsOf(record).filter((version) => version !== 'cub_ref');
  const speed = (version, n) => {
    const share = over(time('cub_ref', n), time(version, n));
    return share === null ? null : 100 * share;
  };
  const noise = (version, n) => best(record, { version, n, what, input: 'uniform' })?.noise ?? 0;
  return {
    id: `second-${what}`,
    title: `Six sorts beside CUB's radix sort, ${what}, uniform`,
    type: 'line',
    tall: true,
    x: { label: `${what} (log scale)`, log: true, sizes: true },
    y: { label: "% of the speed of CUB's radix sort (log scale)", log: true },
    marks: [{ axis: 'y', value: 100, label: "CUB's radix sort = 100%", short: 'CUB = 100%' }],
    spoken: [...Object.keys(SECOND), ...Object.values(SECOND).map(({ before }) => before)],
    series: versions.map((version) => ({
      name: version,
      color: version,
      strong: version in SECOND,
      points: pointsAt(
        sizes,
        (n) => speed(version, n),
        (n) => ({ noise: noise(version, n) + noise('cub_ref', n) }),
      ),
    })),
    format: percent,
    tables: [
      {
        columns: ['n', ...[...versions, 'cub_ref'].map((version) => `${version}, ms`)],
        rows: sizes.map((n) => [size(n), ...[...versions, 'cub_ref'].map((version) => digits(time(version, n)))]),
      },
    ],
    record,
  };
}

export const figures = (report, device) => ['keys', 'pairs'].map((what) => figure(report, device, what));

function outcomeOf(device, version, what) {
  const { before, rival, n } = SECOND[version];
  const time = timeOf(device, what);
  return outcome(`${size(n)} ${what}`, time(version, n), [
    [time(before, n), before],
    [time(rival, n), NAMES[rival]],
  ]);
}

export function values(report, device) {
  const values = {};
  const record = recordOf(device, 'keys');
  for (const [version, { n, bytes, before }] of Object.entries(SECOND)) {
    const own = timeOf(device, 'keys')(version, n);
    const floor = record ? (bytes * n) / record.copy_gb_per_s / 1e6 : null;
    const sizes = sizesOf(record, { version }).filter((one) => one >= 1e6);
    const gains = ['keys', 'pairs'].flatMap((what) =>
      sizes.map((one) => over(timeOf(device, what)(before, one), timeOf(device, what)(version, one))).filter((gain) => gain !== null),
    );
    Object.assign(values, {
      [`second.${version}_keys`]: outcomeOf(device, version, 'keys'),
      [`second.${version}_pairs`]: outcomeOf(device, version, 'pairs'),
      [`second.${version}_floor`]: own && floor ? `${ms(floor)} at the copy rate, ${percent((100 * floor) / own)} of the time above` : null,
      [`second.${version}_bytes`]: String(bytes),
      [`second.${version}_n`]: size(n),
      [`second.${version}_gain`]: gains.length > 0 ? `${digits(Math.min(...gains))} to ${digits(Math.max(...gains))} times` : null,
    });
  }
  return values;
}
