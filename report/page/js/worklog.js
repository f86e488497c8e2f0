// The path from radix_v1 to the newest version, the library = 100%.
import { TRAFFIC, bytesOf } from '../../lib/traffic.js';
import { count, digits, list, over, percent, plain, size, tableOfItems } from './format.js';
import { bestMs, firstRecord, isCpuCode, isGpu, label, radixPath, rowsOf, source, versionsOf, whyNot } from './records.js';

export const HW4_SIZE = 220480;

// The homework's size from the run on its image, else from uniform keys; 100M from a separate run.
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

export function figures(report, device) {
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
  const large = sets.find(({ n }) => n === 1e8);
  return [
    {
      id: 'worklog',
      title: "Speed of each step, in per cent of Thrust's on the same device",
      type: 'bar',
      categories: versions,
      x: { label: "% of Thrust's speed (log scale)", log: true, min: 0.1 },
      marks: [{ value: 100, label: 'Thrust = 100%' }],
      series: [
        { name: `CS344 radix report, 820M, its photograph`, color: 'published', values: speed(published) },
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
    {
      id: 'roofline',
      title: 'Pairs per second and bytes per pair: how far is each version from what the memory allows?',
      type: 'field',
      x: { label: 'bytes that a version reads and writes per pair (log scale)', log: true, min: 14 },
      y: { label: '10\u2079 pairs per second, 100M pairs (log scale)', log: true },
      series: large
        ? [
            {
              name: `roof: copy rate, ${digits(large.record.copy_gb_per_s, 4)} GB/s`,
              color: 'neutral',
              roof: true,
              points: [16, bytesOf('radix_v1')].map((x) => ({ x, y: large.record.copy_gb_per_s / x })),
            },
            ...reached(large, path).map(({ version, bytes, rate }) => ({ name: version, color: version, points: [{ x: bytes, y: rate }] })),
          ]
        : [],
      format: (x) => `${digits(x)} Gpairs/s`,
      tables: [
        tableOfItems(
          [
            ['version', ({ version }) => version],
            ['bytes a pair', ({ bytes }) => bytes.toLocaleString('en-US')],
            ['ms', ({ time }) => digits(time)],
            ['Gpairs/s', ({ rate }) => digits(rate)],
            ['roof, Gpairs/s', ({ roof }) => digits(roof)],
            ['% of the roof', ({ rate, roof }) => percent((100 * rate) / roof)],
          ],
          large ? reached(large, path) : [],
        ),
      ],
      record: large?.record,
    },
  ];
}

// Versions whose traffic was counted, at 100M pairs: the rate, and the rate that the copy rate allows for their bytes.
const reached = ({ record, time }, path) =>
  path
    .filter((version) => TRAFFIC[version] && !TRAFFIC[version].upTo && time(version))
    .map((version) => ({
      version,
      bytes: bytesOf(version),
      time: time(version),
      rate: 1e8 / time(version) / 1e6,
      roof: record.copy_gb_per_s / bytesOf(version),
    }));

// "records hw4 (2026-11-22, commit 5a8c8c8) and worklog (..)": a record may be older than the code.
export const recordsText = (sets) =>
  `records ${list(sets.map(({ record }) => `${record.name} (${record.date.slice(0, 10)}, commit ${record.commit})`))}`;

// All versions on every GPU: milliseconds and the ratio to the first one.
function bothChips(report) {
  const gpus = report.devices.filter((device) => isGpu(device) && device.records.hw4 && device.records.worklog);
  if (gpus.length < 2) return [];
  const sets = gpus.map((device) => pointsOfPath(device));
  const versions = [...new Set(sets.flat().flatMap(({ record }) => versionsOf(record, { what: 'pairs' })))]
    .filter((version) => !isCpuCode(report, version))
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  const cells = (version, k) => {
    const all = sets.map((list) => list[k].time(version));
    return [...all.map((time) => digits(time)), ...all.slice(1).map((time) => digits(over(time, all[0])))];
  };
  return [
    {
      id: 'worklog-chips',
      caption: 'Each version on both GPUs, ms',
      groups: [['', 1], ...sets[0].map(({ n }) => [`${size(n)} pairs`, 2 * gpus.length - 1])],
      columns: [
        'version',
        ...sets[0].flatMap(() => [...gpus.map(label), ...gpus.slice(1).map((device) => `${label(device)} / ${label(gpus[0])}`)]),
      ],
      rows: versions.map((version) => [version, ...sets[0].flatMap((_, k) => cells(version, k))]),
      note: `A ratio above 1: slower than on the ${label(gpus[0])}. Copy rates: ${gpus.map((device) => `${label(device)} ${digits(largeRecord(device).copy_gb_per_s, 4)} GB/s`).join(', ')}. ${gpus.map((device, i) => `${label(device)}: ${recordsText(sets[i])}`).join('; ')}.`,
    },
  ];
}

// The reasons for the dashes of the opening table.
function dashes(sets, versions) {
  const failed = sets.flatMap(({ record, n, time }) =>
    versions
      .filter((version) => !time(version))
      .map((version) => ({ version, n, row: rowsOf(record, { version, n, what: 'pairs' })[0] }))
      .map(({ version, row }) => `${version} with ${size(n)} pairs: ${whyNot(row)}`),
  );
  return failed.length > 0 ? ` A dash: ${failed.join('; ')}.` : '';
}

// The opening table: the path, beside both libraries.
export function tables(report, device) {
  const sets = pointsOfPath(device);
  if (sets.length === 0) return bothChips(report);
  const path = radixPath(...sets.map((set) => set.record));
  const versions = [...path, 'thrust_ref', 'cub_ref'].filter((version) => sets.some(({ time }) => time(version)));
  const share = (time, library, version) => {
    const value = over(time(library), time(version));
    return value === null ? null : 100 * value;
  };
  const last = sets.at(-1);
  const longest = Math.max(...versions.map((version) => share(last.time, 'cub_ref', version) ?? 0));
  const bar = (value) =>
    value === null ? null : { html: `<span class="bar" style="--share:${(value / longest).toFixed(3)}"></span>${percent(value)}` };
  return [
    {
      id: 'opening',
      name: 'Each version beside Thrust and CUB',
      groups: [['', 1], ...sets.map(({ n }) => [`${size(n)} pairs`, 3])],
      columns: ['version', ...sets.flatMap(() => ['ms', '% of Thrust', '% of CUB'])],
      rows: versions.map((version) => [
        version,
        ...sets.flatMap((set) => {
          const cub = share(set.time, 'cub_ref', version);
          return [digits(set.time(version)), percent(share(set.time, 'thrust_ref', version)), set === last ? bar(cub) : percent(cub)];
        }),
      ]),
      note: `% of a library: its time over the version's, so 200% is twice as fast.${dashes(sets, versions)} From the ${recordsText(sets)}.`,
    },
    ...bothChips(report),
  ];
}

export function values(report, device) {
  const newest = radixPath(hw4Record(device), largeRecord(device)).at(-1);
  return {
    'worklog.newest': newest,
    'traffic.first': count(bytesOf('radix_v1')),
    'traffic.newest': TRAFFIC[newest] ? `${bytesOf(newest)}` : null,
  };
}
