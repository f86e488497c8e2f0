// Experiment 1: HW4's stage times of every version.
import { digits, ms, over, percent, plain, size, tableOfItems } from './format.js';
import { firstRecord, label, radixPath, rowsOf, rowWith, best, source, versionsOf, isGpu } from './records.js';
import { HW4_SIZE, hw4Record } from './worklog.js';

const STAGES = ['copy', 'hist', 'scan', 'scatter', 'sweep'];

// Versions in separate records, because they are too slow for the record of all: hw4_odd_even.
const slowOnes = (device) =>
  Object.keys(device.records)
    .map((name) => /^hw4_(.+)$/.exec(name)?.[1])
    .filter((name) => name && name !== 'seq');

// Entries of the chart in reading order: the reports' first, then all that is newer.
function entries(report, device, record) {
  const found = [];
  const seqRecord = firstRecord(device, 'hw4_seq');
  for (const kBits of [1, 4, 8]) {
    const row =
      rowsOf(seqRecord, { version: 'seq' }).find((one) => one.knobs.kBits === kBits) ??
      (kBits === 8 ? best(record, { version: 'seq', what: 'pairs' }) : null);
    found.push({ name: `seq, kBits ${kBits}`, published: ['seq', `kBits=${kBits}`], row });
  }
  const levels = versionsOf({ rows: report.published.radix_levels }).filter((name) => name !== 'thrust');
  const radix = [...radixPath(record), ...levels];
  const measured = versionsOf(record, { what: 'pairs' }).filter((name) => name !== 'seq' && !radix.includes(name) && !/_ref$/.test(name));
  const others = [...new Set([...measured, ...slowOnes(device)])];
  const references = versionsOf(record, { what: 'pairs' }).filter((name) => /_ref$/.test(name) && name !== 'thrust_ref');
  for (const version of [...radix, 'thrust_ref', ...references, ...others]) {
    const row = best(record, { version, what: 'pairs', n: HW4_SIZE }) ?? best(firstRecord(device, `hw4_${version}`), { version });
    found.push({ name: version, published: [version === 'thrust_ref' ? 'thrust' : version, null], row });
  }
  return found.map((entry) => (entry.row?.cpu_code ? { ...entry, name: `${entry.name} (CPU)` } : entry));
}

const published = (table, [version, knobs]) => table.find((row) => row.version === version && (row.knobs ?? null) === knobs) ?? null;

const stagesText = (stages) =>
  Object.entries(stages ?? {})
    .map(([name, time]) => `${name} ${digits(time)}`)
    .join(', ');

function publishedStages(row) {
  if (!row) return '';
  return stagesText(
    Object.fromEntries(['hist', 'scan', 'scatter'].map((name) => [name, row[`${name}_ms`]]).filter(([, time]) => time !== null)),
  );
}

export function figures(report, device) {
  const record = hw4Record(device);
  const all = entries(report, device, record);
  const { radix_hw4: hw4, radix_levels: levels } = report.published;
  const total = (table) => all.map(({ published: key }) => published(table, key)?.total_ms ?? null);
  const sources = [source(record), source(firstRecord(device, 'hw4_seq'))];
  const staged = all.filter(
    ({ row }) => row?.stages_ms && Object.keys(row.stages_ms).every((name) => STAGES.includes(name)) && row.stages_ms.hist,
  );
  return [
    {
      id: 'hw4-total',
      title: `Time of a whole sort of ${size(HW4_SIZE)} pairs`,
      type: 'bar',
      categories: all.map((entry) => entry.name),
      x: { label: 'milliseconds (log scale)', log: true },
      series: [
        { name: 'CS344 radix report, 820M', color: 'published', values: total(hw4) },
        {
          name: label(device),
          color: 'device1',
          values: all.map(({ row }) => row?.median_ms ?? null),
          noise: all.map(({ row }) => row?.noise),
        },
      ],
      format: ms,
      tables: [
        {
          ...tableOfItems(
            [
              ['version', ({ name }) => name],
              ['report: stages, ms', ({ published: key }) => publishedStages(published(hw4, key))],
              ['report: total, ms', ({ published: key }) => plain(published(hw4, key)?.total_ms)],
              ['ours: stages, ms', ({ row }) => stagesText(row?.stages_ms)],
              ['ours: total, ms', ({ row }) => digits(row?.median_ms)],
              ['noise', ({ row }) => (row?.noise == null ? null : `\u00b1${percent(100 * row.noise)}`)],
              ['runs', ({ row }) => row?.repetitions ?? null],
            ],
            all,
          ),
          note: 'Figures of the report: GeForce 820M. Noise: half of the 95% confidence interval of the median.',
        },
        {
          columns: ['two-level radix slides, TITAN Xp, n not stated', 'hist, ms', 'scan, ms', 'scatter, ms', 'total, ms'],
          rows: levels.map((row) => [row.version, plain(row.hist_ms), plain(row.scan_ms), plain(row.scatter_ms), plain(row.total_ms)]),
          note: 'These totals are of another, unknown number of elements: they are in no chart and not comparable with the rows above.',
        },
      ],
      sources,
      missing: !record,
    },
    {
      id: 'hw4-stages',
      title: 'Where the time goes: shares of the stages',
      type: 'bar',
      stacked: true,
      categories: staged.map((entry) => entry.name),
      x: { label: '% of the stages together', max: 100 },
      series: STAGES.map((stage, i) => ({
        name: stage,
        color: `slot${i}`,
        values: staged.map(({ row }) => {
          const sum = Object.values(row.stages_ms).reduce((a, b) => a + b, 0);
          return row.stages_ms[stage] == null ? null : (100 * row.stages_ms[stage]) / sum;
        }),
      })),
      format: (x) => `${digits(x)}%`,
      sources,
      missing: staged.length === 0,
    },
  ];
}

export function values(report, device) {
  const record = hw4Record(device);
  const time = (version) => best(record, { version, what: 'pairs', n: HW4_SIZE })?.median_ms ?? null;
  const stage = (version, name) => best(record, { version, what: 'pairs', n: HW4_SIZE })?.stages_ms?.[name] ?? null;
  const seq = (kBits) => rowWith(firstRecord(device, 'hw4_seq'), { kBits }, { version: 'seq' });
  const input = { 'hw4.input': record ? "the scores of this repository's sample image, which has the homework's number of pixels" : null };
  if (!isGpu(device)) return input; // the sentences are about a GPU's times
  return {
    ...input,
    // An anomaly, where there is one: the same kernels on the same table.
    'hw4.v2_scan': over(stage('radix_v2', 'scan'), stage('radix_v3', 'scan')) > 1.2 ? ms(stage('radix_v2', 'scan')) : null,
    'hw4.v3_scan': ms(stage('radix_v3', 'scan')),
    'hw4.v2_hist': ms(stage('radix_v2', 'hist')),
    'hw4.input_n': size(HW4_SIZE),
    'hw4.v1_hist': ms(stage('radix_v1', 'hist')),
    'hw4.v1_total': ms(time('radix_v1')),
    'hw4.v2_total': ms(time('radix_v2')),
    'hw4.v3_total': ms(time('radix_v3')),
    'hw4.v4_total': ms(time('radix_v4')),
    'hw4.seq1_total': ms(seq(1)?.median_ms ?? null),
    'hw4.seq8_total': ms(seq(8)?.median_ms ?? null),
    'hw4.seq_copy': ms(seq(8)?.stages_ms?.copy ?? null),
    'hw4.level1_scatter': ms(stage('radix_level1', 'scatter')),
    'hw4.level2_scatter': ms(stage('radix_level2', 'scatter')),
    'hw4.level1_hist': ms(stage('radix_level1', 'hist')),
    'hw4.level2_hist': ms(stage('radix_level2', 'hist')),
    'hw4.level2_scan': ms(stage('radix_level2', 'scan')),
    'hw4.level2_total': ms(time('radix_level2')),
  };
}
