// multi_sort on the GPUs of one machine: records of multi/measure.sh, multi/results/MACHINE/NAME_RANKS.json. They are
// of other machines, so the chosen device makes no difference here.
import { count, digits, ms, over, percent, size, times } from './format.js';

const KINDS = [
  ['weak_keys', 'keys', 'weak'],
  ['weak_pairs', 'pairs', 'weak'],
  ['strong', 'keys', 'strong'],
  ['strong', 'pairs', 'strong'],
];

// {machine, name, ranks, record} of each record of the machine with the most GPUs.
function recordsOf(report) {
  const all = report.multi ?? [];
  const most = Math.max(0, ...all.map(({ ranks }) => ranks));
  const machine = all.find(({ ranks }) => ranks === most)?.machine;
  return all.filter((one) => one.machine === machine);
}

// Rows of one kind, by ranks: the largest n. The records scaling_1 are of one rank, keys and pairs.
function series(report, [name, what]) {
  return recordsOf(report)
    .filter((one) => one.name === name || (one.name === 'scaling_1' && name.startsWith('weak')))
    .sort((a, b) => a.ranks - b.ranks)
    .map(({ ranks, record }) => {
      const rows = record.rows.filter((row) => row.what === what && row.input === 'uniform' && row.right && row.median_ms != null);
      return { ranks, record, row: rows.reduce((a, b) => (a === null || b.n > a.n ? b : a), null) };
    })
    .filter(({ row }) => row !== null);
}

const nameOf = (points, what, kind) =>
  kind === 'weak' ? `${size(points[0].row.n / points[0].ranks)} ${what} a GPU` : `${size(points[0].row.n)} ${what} in all`;
const gpus = (ranks) => `${ranks} GPU${ranks === 1 ? '' : 's'}`;
const STAGES = ['count', 'splitters', 'partition', 'exchange', 'sort'];

// The line under a figure: machine, how, when.
function source(all) {
  if (all.length === 0) return null;
  const { record } = all.at(-1);
  return (
    `up to ${record.ranks} x ${record.device.name}, one machine, driver ${record.device.driver}, transport ${record.transport}: records multi/results/${all[0].machine}, ` +
    `${record.date.slice(0, 10)}, commit ${record.commit}; the time is the slowest GPU's`
  );
}

export function multiFigures(report) {
  const all = recordsOf(report);
  const found = KINDS.map((kind) => ({ kind, points: series(report, kind) })).filter(({ points }) => points.length > 0);
  const ranks = [...new Set(found.flatMap(({ points }) => points.map((one) => one.ranks)))].sort((a, b) => a - b);
  const last = found.flatMap(({ kind: [, what, kind], points }) => (kind === 'weak' ? [{ what, ...points.at(-1) }] : []));
  const stages = [...STAGES, ...new Set(last.flatMap(({ row }) => Object.keys(row.stages_ms)))].filter(
    (name, i, list) => list.indexOf(name) === i && last.some(({ row }) => row.stages_ms[name] != null),
  );
  return [
    {
      id: 'multi-scaling',
      title: 'Several GPUs: throughput of all together',
      type: 'line',
      categories: ranks.map(gpus),
      x: { label: 'GPUs' },
      y: { label: '10\u2079 elements per second', min: 0 },
      series: found.map(({ kind: [, what, kind], points }, i) => ({
        name: nameOf(points, what, kind),
        color: `slot${i}`,
        published: kind === 'strong' ? true : undefined,
        values: ranks.map((count_) => points.find((one) => one.ranks === count_)?.row.gkeys_per_s ?? null),
      })),
      format: (x) => `${digits(x)} G/s`,
      tables: [
        {
          columns: [
            'GPUs',
            'elements',
            'n',
            'ms',
            'noise',
            'Gkeys/s',
            'one GPU, its share, ms',
            'one GPU, all, ms',
            'speed-up',
            'largest share',
            'exchange, GB/s',
          ],
          rows: found.flatMap(({ kind: [, what], points }) =>
            points.map(({ ranks: count_, row }) => [
              count_,
              what,
              size(row.n),
              digits(row.median_ms),
              row.noise == null ? null : `\u00b1${percent(100 * row.noise)}`,
              digits(row.gkeys_per_s),
              digits(row.one_device_share_ms),
              digits(row.one_device_all_ms),
              digits(over(row.one_device_all_ms, row.median_ms)),
              digits(row.balance),
              digits(row.exchange_gb_per_s),
            ]),
          ),
          note: 'Speed-up: the time of one GPU that sorts everything, over the time of all GPUs. Largest share: over the average one.',
        },
      ],
      sources: [source(all)],
      missing: found.length === 0,
    },
    {
      id: 'multi-stages',
      title: 'Several GPUs: where the time goes',
      type: 'bar',
      horizontal: true,
      stacked: true,
      categories: last.map(({ what, ranks: count_, row }) => `${size(row.n)} ${what}, ${gpus(count_)}`),
      x: { label: 'milliseconds, stages timed one by one' },
      series: stages.map((stage, i) => ({ name: stage, color: `slot${i}`, values: last.map(({ row }) => row.stages_ms[stage] ?? null) })),
      format: ms,
      sources: [source(all)],
      missing: last.length === 0,
    },
  ];
}

export function multiValues(report) {
  const all = recordsOf(report);
  if (all.length === 0) return {};
  const values = { 'multi.gpus': `${count(all.reduce((most, one) => Math.max(most, one.ranks), 0))} x ${all[0].record.device.name}` };
  for (const kind of KINDS) {
    const points = series(report, kind);
    const [first, end] = [points[0], points.at(-1)];
    if (!first || first === end) continue;
    const key = `${kind[2]}_${kind[1]}`;
    // One GPU with its share was timed in the same run; the records of one rank are of another commit.
    const { one_device_share_ms: share, median_ms: median, gkeys_per_s: rate } = end.row;
    values[`multi.${key}`] = times(
      kind[2] === 'weak' && share != null ? over(end.ranks * share, median) : over(rate, first.row.gkeys_per_s),
    );
    values[`multi.${key}_ms`] = ms(end.row.median_ms);
    values[`multi.${key}_n`] = size(end.row.n);
    values[`multi.${key}_exchange`] = end.row.exchange_gb_per_s == null ? null : `${digits(end.row.exchange_gb_per_s)} GB/s`;
    const sum = Object.values(end.row.stages_ms).reduce((a, b) => a + b, 0);
    values[`multi.${key}_sort_share`] = sum > 0 && end.row.stages_ms.sort ? percent((100 * end.row.stages_ms.sort) / sum) : null;
  }
  // Empty, so that its sentence stands only where no device has such a record.
  values['multi.no_strong'] = Object.keys(values).some((key) => /^multi\.strong_/.test(key)) ? null : '';
  return values;
}
