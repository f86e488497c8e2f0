// Experiment 5: MPPSort beside Thrust.
import { count, digits, list, over, ms, size, tableOfItems, times } from './format.js';
import { best, firstRecord, label, pointsAt, sizesOf } from './records.js';

const KERNELS = ['histogram', 'scan', 'vertical_scan', 'partition', 'sort'];
const recordOf = (device) => firstRecord(device, 'mppsort');

export function figures(report, device) {
  const published = report.published.mppsort;
  const record = recordOf(device);
  const wanted = { what: 'keys', input: 'uniform' };
  const row = (version, n) => best(record, { ...wanted, version, n });
  const measured = sizesOf(record, { ...wanted, version: 'mppsort' }).filter((n) => n <= 8e6);
  const sizes = [...new Set([...published.map((one) => one.n), ...measured])].sort((a, b) => a - b);
  const theirs = (n) => published.find((one) => one.n === n);
  const speed = (n) => over(row('thrust_ref', n)?.median_ms, row('mppsort', n)?.median_ms);
  const rate = (one) => (one ? digits(one.n / one.median_ms / 1e6) : null);
  return [
    {
      id: 'mppsort-speed',
      title: "MPPSort's speed relative to Thrust's on the same device",
      type: 'line',
      x: { label: 'keys (log scale)', log: true, sizes: true },
      y: { label: "Thrust's time / MPPSort's", min: 0 },
      marks: [{ axis: 'y', value: 1, label: 'Thrust = 1' }],
      series: [
        {
          name: 'CUDA-MPPSort report, GTX 750 Ti',
          color: 'published',
          published: true,
          points: published.map((one) => ({ x: one.n, y: one.speedup })),
        },
        { name: `${label(device)}, median`, color: 'device1', points: pointsAt(measured, (n) => speed(n)) },
      ],
      format: (x) => digits(x),
      tables: [
        tableOfItems(
          [
            ['keys', ({ n }) => size(n)],
            ['report: MPP, ms', ({ report_ }) => report_?.mpp_ms],
            ['Thrust, ms', ({ report_ }) => report_?.thrust_ms],
            ['speed-up', ({ report_ }) => report_?.speedup],
            ['MPP, Gkeys/s', ({ report_ }) => report_?.mpp_gelem_s],
            ['Thrust, Gkeys/s', ({ report_ }) => report_?.thrust_gelem_s],
            ['ours: MPP mean, ms', ({ mpp }) => digits(mpp?.mean_ms)],
            ['MPP median, ms', ({ mpp }) => digits(mpp?.median_ms)],
            ['Thrust mean, ms', ({ thrust }) => digits(thrust?.mean_ms)],
            ['Thrust median, ms', ({ thrust }) => digits(thrust?.median_ms)],
            ['speed-up (median)', ({ n }) => digits(speed(n))],
            ['MPP, Gkeys/s', ({ mpp }) => rate(mpp)],
            ['Thrust, Gkeys/s', ({ thrust }) => rate(thrust)],
            ['runs', ({ mpp }) => mpp?.repetitions],
          ],
          sizes.map((n) => ({ n, report_: theirs(n), mpp: row('mppsort', n), thrust: row('thrust_ref', n) })),
        ),
      ],
      record,
    },
    {
      id: 'mppsort-kernels',
      title: 'MPPSort: time in each of the five kernels',
      type: 'bar',
      stacked: true,
      categories: measured.map(size),
      x: { label: 'milliseconds' },
      series: KERNELS.map((kernel, i) => ({
        name: kernel,
        color: `slot${i}`,
        values: measured.map((n) => row('mppsort', n)?.stages_ms?.[kernel] ?? null),
      })),
      format: ms,
      tables: [
        {
          columns: ['keys', ...KERNELS.flatMap((kernel) => [`${kernel}, ms`, 'Gkeys/s'])],
          rows: measured.map((n) => [
            size(n),
            ...KERNELS.flatMap((kernel) => {
              const time = row('mppsort', n)?.stages_ms?.[kernel] ?? null;
              return [digits(time), digits(over(n / 1e6, time))];
            }),
          ]),
        },
      ],
      note: "The report's text names the five kernels, announces their times and rates, and prints none.",
      record,
      missing: measured.length === 0,
    },
  ];
}

export function values(report, device) {
  const record = recordOf(device);
  const row = (version, n) => best(record, { what: 'keys', input: 'uniform', version, n });
  const speed = (n) => over(row('thrust_ref', n)?.median_ms, row('mppsort', n)?.median_ms);
  const sizes = sizesOf(record, { what: 'keys', input: 'uniform', version: 'mppsort' }).filter((n) => n <= 8e6 && speed(n) !== null);
  const speeds =
    list(sizes.map((n) => `${times(speed(n))} Thrust's speed at ${size(n)} keys (${ms(row('mppsort', n).median_ms)})`)) || null;
  const rate = (n) => (row('mppsort', n) ? n / row('mppsort', n).median_ms / 1e6 : null);
  const stage = (name, n) => row('mppsort', n)?.stages_ms?.[name] ?? null;
  return {
    'mpp.speeds': speeds,
    'mpp.smallest': sizes.length > 0 ? size(sizes[0]) : null,
    'mpp.rate4': digits(rate(4e6)),
    'mpp.rate8': digits(rate(8e6)),
    'mpp.block_sort': count(row('mppsort', 8e6)?.knobs?.blockSort ?? null),
    // Expected, in the text: 80 microseconds for the partition, 230 for the sort.
    'mpp.partition_over': times(over(stage('partition', 8e6), 0.08)),
    'mpp.sort_over': times(over(stage('sort', 8e6), 0.23)),
    'mpp.time8': ms(row('mppsort', 8e6)?.median_ms ?? null),
    'mpp.sort4': ms(stage('sort', 4e6)),
    'mpp.sort8': ms(stage('sort', 8e6)),
    'mpp.partition4': ms(stage('partition', 4e6)),
    'mpp.partition8': ms(stage('partition', 8e6)),
    'mpp.sort_growth': times(over(stage('sort', 8e6), stage('sort', 4e6))),
    'mpp.partition_growth': times(over(stage('partition', 8e6), stage('partition', 4e6))),
    'mpp.total_growth': times(over(row('mppsort', 8e6)?.median_ms, row('mppsort', 4e6)?.median_ms)),
  };
}
