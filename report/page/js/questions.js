// Experiment 6: the reports' open questions, from the records of the other experiments.
import { digits, faster, ms, over, percent, size } from './format.js';
import { launches } from './profiles.js';
import { best, bestMs, firstRecord, label, pointsAt, sizesOf, timesOf } from './records.js';
import { HW4_SIZE, hw4Record, largeRecord } from './worklog.js';

// The questions are about these three.
const COMPARED = ['radix_v2', 'radix_v3', 'radix_v4'];
const STAGES = ['hist', 'scan', 'scatter'];
const byN = (device) => firstRecord(device, 'scaling_all_pairs');

// The largest n at which all three have been measured with their stages.
function staged(device) {
  const record = largeRecord(device) ?? byN(device) ?? hw4Record(device);
  const n = sizesOf(record, { what: 'pairs' })
    .filter((one) => COMPARED.every((version) => best(record, { version, n: one, what: 'pairs' })?.stages_ms))
    .at(-1);
  return { record, n, row: (version) => best(record, { version, n, what: 'pairs' }) };
}

export function figures(report, device) {
  const record = byN(device);
  const time = timesOf(record, 'pairs');
  const noise = (version, n) => best(record, { version, n, what: 'pairs', input: 'uniform' })?.noise ?? 0;
  const sizes = sizesOf(record, { what: 'pairs' }).filter((n) => time('radix_v2', n));
  const { record: stageRecord, n, row } = staged(device);
  return [
    {
      id: 'questions-v4',
      title: 'radix_v3 and radix_v4 against radix_v2',
      type: 'line',
      x: { label: 'pairs (log scale)', log: true, sizes: true },
      y: { label: "time / radix_v2's time", min: 0 },
      marks: [{ axis: 'y', value: 1, label: 'radix_v2 = 1' }],
      series: ['radix_v3', 'radix_v4'].map((version) => ({
        name: `${label(device)}, ${version}`,
        color: version,
        points: pointsAt(
          sizes,
          (n) => over(time(version, n), time('radix_v2', n)),
          (n) => ({ noise: noise(version, n) + noise('radix_v2', n) }),
        ),
      })),
      format: (x) => digits(x),
      tables: [
        {
          columns: ['pairs', ...COMPARED.map((version) => `${version}, ms`)],
          rows: sizes.map((x) => [size(x), ...COMPARED.map((version) => digits(time(version, x)))]),
        },
      ],
      record,
      missing: sizes.length === 0,
    },
    {
      id: 'questions-v3',
      title: `Stages of the three versions${n ? `, ${size(n)} pairs` : ''}`,
      type: 'bar',
      stacked: true,
      categories: COMPARED,
      x: { label: 'milliseconds' },
      series: STAGES.map((stage, i) => ({
        name: stage,
        color: `slot${i + 1}`,
        values: COMPARED.map((version) => row(version)?.stages_ms?.[stage] ?? null),
      })),
      format: ms,
      record: stageRecord,
      missing: !n,
    },
  ];
}

// The launch that gains most from Test 2's smaller blocks, by Nsight Compute's times of both tests.
export function hits(device) {
  const [first, second] = [1, 2].map((test) => launches(device.profiles[`ncu_merge_bottomup_test${test}`]));
  const gain = (i) => over(first[i]?.Duration ?? null, second[i]?.Duration ?? null) ?? 0;
  const most = second.reduce((chosen, _, i) => (gain(i) > gain(chosen) ? i : chosen), 0);
  return { pass: second.length > 0 ? String(most) : null, first: first[most], second: second[most] };
}
const hitText = (one) => (one && one['L1 hit rate'] !== undefined ? `${percent(one['L1 hit rate'])} (${ms(one.Duration)})` : null);

export function values(report, device) {
  const { n, row } = staged(device);
  const stage = (version, name) => row(version)?.stages_ms?.[name] ?? null;
  const gain = (a, b) => faster(b, a, over(row(a)?.median_ms, row(b)?.median_ms));
  const small = (version) => bestMs(hw4Record(device), { version, n: HW4_SIZE, what: 'pairs' });
  const paid = (from, to, name) => {
    const [a, b] = [stage(from, name), stage(to, name)];
    return a === null || b === null ? null : `from ${ms(a)} to ${ms(b)}`;
  };
  const hit = hits(device);
  return {
    'q.n': size(n),
    'q.hit_pass': hit.pass,
    'q.hit1': hitText(hit.first),
    'q.hit2': hitText(hit.second),
    'q.v4_over_v2': gain('radix_v2', 'radix_v4'),
    'q.v4_over_v3': gain('radix_v3', 'radix_v4'),
    'q.v4_over_v2_hw4': faster('radix_v4', 'radix_v2', over(small('radix_v2'), small('radix_v4'))),
    'q.v4_over_v3_hw4': faster('radix_v4', 'radix_v3', over(small('radix_v3'), small('radix_v4'))),
    'q.v3_hist': paid('radix_v2', 'radix_v3', 'hist'),
    'q.v3_scatter': paid('radix_v2', 'radix_v3', 'scatter'),
    'q.v4_hist': paid('radix_v2', 'radix_v4', 'hist'),
    'q.v4_scatter': paid('radix_v2', 'radix_v4', 'scatter'),
  };
}
