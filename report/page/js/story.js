// The article: who wins, what each step takes with 100M pairs, and the newest version over the libraries, from each process that
// measured them.
import { digits, ms, outcome, over, size, times } from './format.js';
import { best, bestMs, firstRecord, label, radixPath, timesOf } from './records.js';
import { curves } from './scaling.js';
import { HW4_SIZE, recordsText } from './worklog.js';

const LARGE = 1e8;
const WIDTH = 590; // two charts beside each other

// Every version by n: the newest one and CUB in colour, the others grey.
export const figures = (report, device) =>
  ['keys', 'pairs'].map((what) => {
    const found = curves(report, device, what);
    const coloured = [found[0]?.version, 'cub_ref'];
    return {
      id: `who-wins-${what}`,
      title: what === 'keys' ? 'Bare keys sorted in a second, by n' : 'Pairs of key and position sorted in a second, by n',
      type: 'line',
      tall: true,
      width: WIDTH,
      elsewhere: `data.html#scaling-${what}`,
      x: { label: 'n (log scale)', log: true, sizes: true },
      y: { label: '10\u2079 per second (log scale)', log: true },
      spoken: [`${found[0]?.version} (gsort)`, 'cub_ref'],
      series: found.map(({ version, points }, i) => ({
        name: i === 0 ? `${version} (gsort)` : version,
        color: version,
        points,
        strong: coloured.includes(version),
      })),
      format: (x) => `${digits(x)} \u00b7 10\u2079/s`,
      sources:
        found.length === 0
          ? []
          : [`${label(device)}, medians: ${recordsText([...new Set(found.map(({ record }) => record))].map((record) => ({ record })))}`],
      missing: found.length === 0,
    };
  });

function outcomeOf(record, version, others, n, what) {
  const time = timesOf(record, what);
  const names = { cub_ref: 'CUB', thrust_ref: 'Thrust', std_sort_ref: 'std::sort' };
  const once = best(record, { version, n, what })?.repetitions === 1 ? ' (a single run)' : '';
  const beside = others.map((other) => [time(other, n), names[other] ?? other]);
  return outcome(`${size(n)} ${what === 'keys' ? 'bare keys' : what}`, time(version, n), beside, once);
}

// The gain of a version over a library, the median of the processes that measured both, and from how many it is:
// ["2.45 times", "2.41 to 2.52 in 3 processes"].
function gains(records, version, library, wanted) {
  const all = records
    .filter(Boolean)
    .map((record) => over(bestMs(record, { version: library, ...wanted }), bestMs(record, { version, ...wanted })))
    .filter((gain) => gain !== null)
    .sort((a, b) => a - b);
  if (all.length === 0) return [null, null];
  const median = all[Math.floor((all.length - 1) / 2)];
  return [times(median), all.length === 1 ? 'one process' : `${digits(all[0])} to ${digits(all.at(-1))} in ${all.length} processes`];
}

export function values(report, device) {
  const record = (name) => firstRecord(device, name);
  const repeated = (name) => [name, `repeat_2_${name}`, `repeat_3_${name}`].map(record);
  const large = record('worklog');
  const path = radixPath(record('hw4'), large);
  const newest = path.at(-1);
  const time = timesOf(large, 'pairs');
  const keys = record('scaling_keys');
  const pairs = record('scaling_pairs');
  const host = record('scaling_host');
  const second = record('second_keys');
  const values = {
    'story.device': label(device),
    'story.first': ms(time(path[0], LARGE)),
    'story.first_once': best(large, { version: path[0], n: LARGE, what: 'pairs' })?.repetitions === 1 ? '' : null,
    'story.last': ms(time(newest, LARGE)),
    'story.gain': over(time(path[0], LARGE), time(newest, LARGE)) === null ? null : digits(time(path[0], LARGE) / time(newest, LARGE)),
    'story.hw4': ms(bestMs(record('hw4'), { version: newest, n: HW4_SIZE, what: 'pairs' })),
    'story.second_record': second ? `${second.date.slice(0, 10)}, commit ${second.commit}` : null,
    'story.record': large ? `${large.date.slice(0, 10)}, commit ${large.commit}` : null,
    'story.host': host?.device.host_cpu ?? null,
    'story.seq': outcomeOf(host, 'seq', ['std_sort_ref'], 8e6, 'keys'),
    'story.v6_keys': outcomeOf(keys, 'radix_v6', ['cub_ref'], 6.4e7, 'keys'),
    'story.v7_keys': outcomeOf(keys, 'radix_v7', ['radix_v6', 'cub_ref'], 4e6, 'keys'),
    'story.v7_more': outcomeOf(keys, 'radix_v7', ['radix_v6', 'cub_ref'], 6.4e7, 'keys'),
    'story.v8_pairs': outcomeOf(pairs, 'radix_v8', ['radix_v6', 'cub_ref'], 4e6, 'pairs'),
    'story.v9_keys': outcomeOf(keys, 'radix_v9', ['cub_ref', 'thrust_ref'], 6.4e7, 'keys'),
  };
  for (const [key, name, n] of [
    ['story.', 'worklog', LARGE],
    ['story.hw4_', 'hw4', HW4_SIZE],
  ])
    for (const library of ['cub', 'thrust']) {
      const [gain, from] = gains(repeated(name), newest, `${library}_ref`, { n, what: 'pairs' });
      Object.assign(values, { [`${key}${library}`]: gain, [`${key}${library}_from`]: from });
    }
  path.forEach((version, i) => {
    const others = [path[i - 1], 'cub_ref'].filter(Boolean);
    values[`story.${version}`] = outcomeOf(large, version, others, LARGE, 'pairs');
  });
  return values;
}
