// The path from radix_v1 to the newest version, the library = 100%.
import { digits, list, ms, over, percent, plain, size, times } from './format.js';
import { bestMs, firstRecord, isCpuCode, label, radixPath, source, versionOrder } from './records.js';

export const HW4_SIZE = 220480;

// The homework's size from the run on its image, else from uniform keys; 100M from its own run.
export const hw4Record = (device) => firstRecord(device, 'hw4');
export const largeRecord = (device) => firstRecord(device, 'worklog');

function pointsOfPath(device) {
  const sets = [
    { record: hw4Record(device), n: HW4_SIZE },
    { record: largeRecord(device), n: 1e8 },
  ];
  return sets
    .filter(({ record }) => record)
    .map((set) => ({ ...set, time: (version) => bestMs(set.record, { version, n: set.n, what: 'pairs' }) }));
}

function publishedTime(report, version) {
  const name = version === 'thrust_ref' ? 'thrust' : version;
  return report.published.radix_hw4.find((row) => row.version === name)?.total_ms ?? null;
}

export function worklogFigures(report, device) {
  const sets = pointsOfPath(device);
  const steps = radixPath(...sets.map((set) => set.record));
  const path = steps.length > 0 ? steps : radixPath({ rows: report.published.radix_hw4 });
  const versions = [...path, 'thrust_ref', ...(sets.some((set) => set.time('cub_ref')) ? ['cub_ref'] : [])];
  const speed = (time) =>
    versions.map((version) => {
      const share = over(time('thrust_ref'), time(version));
      return share === null ? null : 100 * share;
    });
  const published = (version) => publishedTime(report, version);
  return [
    {
      id: 'worklog',
      title: "Speed of each step, in per cent of Thrust's on the same device",
      type: 'bar',
      horizontal: true,
      categories: versions,
      x: { label: "% of Thrust's speed (log scale)", log: true, min: 0.1 },
      marks: [{ value: 100, label: 'Thrust = 100%' }],
      series: [
        { name: `CS344 radix report, 820M, ${size(HW4_SIZE)} pairs`, color: 'published', values: speed(published) },
        ...sets.map(({ n, time }, i) => ({ name: `${label(device)}, ${size(n)} pairs`, color: `device${i + 1}`, values: speed(time) })),
      ],
      format: percent,
      tables: [
        {
          columns: ['version', 'report, ms', ...sets.flatMap(({ n }) => [`${size(n)} pairs, ms`, "% of Thrust's speed"])],
          rows: versions.map((version, i) => [
            version,
            plain(published(version)),
            ...sets.flatMap(({ time }) => [digits(time(version)), percent(speed(time)[i])]),
          ]),
        },
      ],
      sources: sets.map(({ record }) => source(record)),
      missing: sets.length === 0,
    },
  ];
}

// "220,480 pairs in 0.28 ms, 12.9 times as fast as radix_v1 ...": the gain of a step.
function bought(report, device, version) {
  const sets = pointsOfPath(device);
  const path = radixPath(...sets.map((set) => set.record));
  const before = path[path.indexOf(version) - 1];
  const parts = sets
    .filter(({ time }) => time(version))
    .map(({ n, time }) => {
      const gain = before && over(time(before), time(version));
      const share = over(time('thrust_ref'), time(version));
      return (
        `${size(n)} pairs in ${ms(time(version))}` +
        (gain ? `, ${times(gain)} as fast as ${before}` : '') +
        (share ? ` and ${percent(100 * share)} of Thrust's speed` : '')
      );
    });
  return parts.length > 0 ? `${parts.join('; ')}.` : null;
}

export function worklogValues(report, device) {
  const [hw4, large] = [hw4Record(device), largeRecord(device)];
  const time = (record, version, n) => bestMs(record, { version, n, what: 'pairs' });
  const path = radixPath(hw4, large);
  const newest = path.at(-1);
  const values = {
    'worklog.newest': newest,
    'worklog.first_ms': ms(time(hw4, 'radix_v1', HW4_SIZE)),
    'worklog.newest_ms': ms(time(hw4, newest, HW4_SIZE)),
    'worklog.newest_thrust': times(over(time(hw4, 'thrust_ref', HW4_SIZE), time(hw4, newest, HW4_SIZE))),
    'worklog.newest_cub': times(over(time(hw4, 'cub_ref', HW4_SIZE), time(hw4, newest, HW4_SIZE))),
    'worklog.newest_100m_cub': times(over(time(large, 'cub_ref', 1e8), time(large, newest, 1e8))),
    'method.cpu_code': list(versionOrder(report).filter((version) => isCpuCode(report, version))),
    'method.devices': list(report.devices.map(label)),
  };
  for (const version of path) values[`worklog.${version}`] = bought(report, device, version);
  return values;
}
