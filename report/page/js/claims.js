// Statements of page/text that contain no number, each with its check against the records. The build fails
// where a device's records contradict one, or lack a number that a sentence takes from a named device.
import { rowWith, best, bestMs, firstRecord, isGpu, label, radixPath } from './records.js';
import { valueOf } from './page.js';
import { HW4_SIZE, hw4Record, largeRecord } from './worklog.js';

const time = (record, version, n) => bestMs(record, { version, n, what: 'pairs' });
const small = (device, version) => time(hw4Record(device), version, HW4_SIZE);
const large = (device, version) => time(largeRecord(device), version, 1e8);
const stage = (device, version, name) => best(hw4Record(device), { version, n: HW4_SIZE, what: 'pairs' })?.stages_ms?.[name] ?? null;
const newest = (device) => radixPath(hw4Record(device), largeRecord(device)).at(-1);
const less = (a, b) => (a == null || b == null ? null : a < b);
const all = (...parts) => (parts.includes(false) ? false : parts.includes(null) ? null : true);
const serial = (device, blockSerial) =>
  rowWith(firstRecord(device, 'variant_merge_serial'), { blockSerial, copyBack: 0 })?.stages_ms?.serial ?? null;
const scatter = (device, version) => best(largeRecord(device), { version, n: 1e8, what: 'pairs' })?.stages_ms?.scatter ?? null;

// `text` stands so in page/text; `holds` returns true, false, or null where the device has no record of it.
export const CLAIMS = [
  {
    text: "one that is faster than NVIDIA's libraries",
    record: 'hw4',
    holds: (device) =>
      all(
        ...['thrust_ref', 'cub_ref'].flatMap((library) =>
          [small, large].map((time_) => less(time_(device, newest(device)), time_(device, library))),
        ),
      ),
  },
  {
    text: 'A loss: the sort makes 255 comparisons an element',
    record: 'worklog',
    holds: (device) => less(large(device, 'radix_v2'), large(device, 'radix_v3')),
  },
  {
    text: 'At 100M pairs the report was right.',
    record: 'worklog',
    holds: (device) =>
      all(less(large(device, 'radix_v4'), large(device, 'radix_v2')), less(large(device, 'radix_v4'), large(device, 'radix_v3'))),
  },
  {
    text: 'that a tile sorted first makes the scatter faster and the\nhistogram slower, holds',
    record: 'hw4',
    holds: (device) =>
      all(
        less(stage(device, 'radix_level2', 'scatter'), stage(device, 'radix_level1', 'scatter')),
        less(stage(device, 'radix_level1', 'hist'), stage(device, 'radix_level2', 'hist')),
      ),
  },
  {
    text: "Most of level 2's time is the scan on the host",
    record: 'hw4',
    holds: (device) => less(small(device, 'radix_level2') / 2, stage(device, 'radix_level2', 'scan')),
  },
  {
    text: 'no multiprocessor idle or waiting</dt><dd>Holds.',
    record: 'variant_merge_serial',
    holds: (device) => less(1.5 * serial(device, 256), serial(device, 1)),
  },
  {
    text: 'side by side</dt><dd>Holds for writing.',
    record: 'worklog',
    holds: (device) =>
      all(less(scatter(device, 'radix_v4'), scatter(device, 'radix_v2')), less(large(device, 'radix_v4'), large(device, 'radix_v2'))),
  },
];

// One sentence for each statement that a GPU's records contradict.
export const contradictions = (report) =>
  report.devices
    .filter(isGpu)
    .flatMap((device) =>
      CLAIMS.filter(({ holds }) => holds(device) === false).map(
        ({ text, record }) =>
          `page/text says "${text.replace(/\s+/g, ' ')}", and the record ${record} of the ${label(device)} says otherwise: edit the sentence`,
      ),
    );

// One sentence for each number of a named device that a text needs and no record has. A text in [[? ]] needs none.
export function missingNumbers(report, texts) {
  const found = [];
  for (const [name, text] of Object.entries(texts)) {
    const needed = text.replace(/\[\[\?.*?\]\]/gs, '');
    for (const [, key, id] of needed.matchAll(/\{\{([^}@]+)@([^}]+)\}\}/g))
      if (valueOf(report, report.devices[0], `${key}@${id}`).missing)
        found.push(
          `page/text/${name} needs ${key}, and no record in report/results/${id} has it: measure it (make reproduce), or edit the sentence`,
        );
  }
  return [...new Set(found)];
}

// One sentence for each GPU that lacks records which another one has: the page then says "not measured" there.
export function gaps(report) {
  const gpus = report.devices.filter(isGpu);
  const expected = [...new Set(gpus.flatMap((device) => Object.keys(device.records)))].filter(
    (name) => !/^(standard|large|repeat_\d+_.*|full_.*|merge_cpu_tasks_\d+)$/.test(name),
  );
  return gpus
    .map((device) => ({ device, names: expected.filter((name) => !device.records[name]) }))
    .filter(({ names }) => names.length > 0)
    .map(({ device, names }) => `the ${label(device)} has no record of ${names.join(', ')}; the page says so there`);
}
