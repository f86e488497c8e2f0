// multi_sort on the GPUs of one machine: records of multi/measure.sh, multi/results/MACHINE/NAME_RANKS.json. They are
// of other machines, so the chosen device makes no difference here.
import { count, digits, list, ms, over, percent, size, tableOfItems, times } from './format.js';

// The fields of one GPU's time in a row, and the elements that it sorted then.
const KINDS = {
  weak: { one: 'one_device_share_ms', of: (row, ranks) => row.n / ranks },
  strong: { one: 'one_device_all_ms', of: (row) => row.n },
};
const rate = (n, time) => n / time / 1e6;

// {machine, name, ranks, record} of each record of the machine with the most GPUs.
function recordsOf(report) {
  const all = report.multi ?? [];
  const most = Math.max(0, ...all.map(({ ranks }) => ranks));
  const machine = all.find(({ ranks }) => ranks === most)?.machine;
  return all.filter((one) => one.machine === machine);
}

// {kind, what, ranks, record, row} for each number of GPUs, ascending: rows of uniform input that have a time of one GPU
// beside that of all. Of the sizes that one GPU sorted, the one with the most numbers of GPUs; of these the largest.
function series(report, kind, what) {
  const { one, of } = KINDS[kind];
  const sizes = new Map();
  for (const { ranks, name, record } of recordsOf(report).filter(({ name }) => /^(weak|strong)/.test(name)))
    for (const row of record.rows.filter((row) => row.what === what && row.input === 'uniform' && row.right && row[one] != null)) {
      const n = of(row, ranks);
      if (!sizes.has(n)) sizes.set(n, new Map());
      if (name.startsWith(kind) || !sizes.get(n).has(ranks)) sizes.get(n).set(ranks, { kind, what, ranks, name, record, row });
    }
  const [[, points] = [0, new Map()]] = [...sizes].sort(([m, x], [n, y]) => y.size - x.size || n - m);
  return [...points.values()].sort((x, y) => x.ranks - y.ranks);
}
const allSeries = (report) =>
  ['weak', 'strong'].flatMap((kind) => ['keys', 'pairs'].map((what) => series(report, kind, what))).filter((points) => points.length > 0);
// One GPU's rate, in the process with the most GPUs.
const oneRate = (points) => {
  const { kind, ranks, row } = points.at(-1);
  return rate(KINDS[kind].of(row, ranks), row[KINDS[kind].one]);
};

const nameOf = ({ kind, what, ranks, row }) => (kind === 'weak' ? `${size(row.n / ranks)} ${what} a GPU` : `${size(row.n)} ${what} in all`);
const gpus = (ranks) => `${ranks} GPU${ranks === 1 ? '' : 's'}`;
const STAGES = ['count', 'splitters', 'partition', 'exchange', 'sort'];

// The line under a figure: machine, records, how.
function sources(found) {
  const all = [...new Map(found.flat().map(({ name, ranks, record }) => [`${name}_${ranks}`, record]))];
  if (all.length === 0) return [];
  const [, { device, transport }] = all[0];
  const records = list(all.map(([name, { date, commit }]) => `${name} (${date.slice(0, 10)}, commit ${commit})`));
  return [
    `${device.name}, one machine, driver ${device.driver}, transport ${transport}: records ${records}; the time is the slowest GPU's`,
  ];
}

export function figures(report) {
  const found = allSeries(report);
  const ranks = [1, ...new Set(found.flat().map((one) => one.ranks))].sort((a, b) => a - b);
  const last = found.filter(([{ kind }]) => kind === 'weak').map((points) => points.at(-1));
  const stages = [...STAGES, ...new Set(last.flatMap(({ row }) => Object.keys(row.stages_ms)))].filter(
    (name, i, names) => names.indexOf(name) === i && last.some(({ row }) => row.stages_ms[name] != null),
  );
  return [
    {
      id: 'multi-scaling',
      title: 'Several GPUs: throughput of all together',
      type: 'line',
      categories: ranks.map(gpus),
      x: { label: 'GPUs' },
      y: { label: '10\u2079 elements per second', min: 0 },
      series: [
        ...found.map((points) => ({
          name: nameOf(points.at(-1)),
          published: points[0].kind === 'strong' ? true : undefined,
          values: [oneRate(points), ...ranks.slice(1).map((count_) => points.find((one) => one.ranks === count_)?.row.gkeys_per_s ?? null)],
        })),
        ...last
          .filter(({ row }) => row.thrust_nccl_ms != null)
          .map(({ what, ranks: most, row }) => ({
            name: `Thrust and NCCL, ${what}`,
            values: ranks.map((count_) => (count_ === most ? rate(row.n, row.thrust_nccl_ms) : null)),
          })),
      ].map((one, i) => ({ ...one, color: `slot${i}` })),
      format: (x) => `${digits(x)} G/s`,
      tables: [
        {
          ...tableOfItems(
            [
              ['GPUs', (one) => one.ranks],
              ['elements', (one) => one.what],
              ['n', ({ row }) => size(row.n)],
              ['ms', ({ row }) => digits(row.median_ms)],
              ['noise', ({ row }) => (row.noise == null ? null : `\u00b1${percent(100 * row.noise)}`)],
              ['Gkeys/s', ({ row }) => digits(row.gkeys_per_s)],
              ['one GPU, its share, ms', ({ row }) => digits(row.one_device_share_ms)],
              ['one GPU, all, ms', ({ row }) => digits(row.one_device_all_ms)],
              ['Thrust and NCCL, ms', ({ row }) => digits(row.thrust_nccl_ms)],
              ['largest share', ({ row }) => digits(row.balance)],
              ['exchange, GB/s', ({ row }) => digits(row.exchange_gb_per_s)],
            ],
            found.flat().filter(({ row }, i, all) => all.findIndex((other) => other.row === row) === i),
          ),
          note: 'Largest share: over the average one.',
        },
      ],
      sources: sources(found),
      missing: found.length === 0,
    },
    {
      id: 'multi-stages',
      title: 'Several GPUs: where the time goes',
      type: 'bar',
      stacked: true,
      categories: last.map(({ what, ranks: count_, row }) => `${size(row.n)} ${what}, ${gpus(count_)}`),
      x: { label: 'milliseconds, stages timed one by one' },
      series: stages.map((stage, i) => ({ name: stage, color: `slot${i}`, values: last.map(({ row }) => row.stages_ms[stage] ?? null) })),
      format: ms,
      sources: sources(found),
      missing: last.length === 0,
    },
  ];
}

export function values(report) {
  const found = allSeries(report);
  if (found.length === 0) return {};
  const [{ record, ranks }] = found[0].slice(-1);
  const values = { 'multi.gpus': `${count(ranks)} x ${record.device.name}`, 'multi.version': record.version ?? null };
  for (const points of found) {
    const { kind, what, row } = points.at(-1);
    const key = `multi.${kind}_${what}`;
    const sum = Object.values(row.stages_ms).reduce((a, b) => a + b, 0);
    Object.assign(values, {
      [key]: times(over(row.gkeys_per_s, oneRate(points))),
      [`${key}_n`]: size(row.n),
      [`${key}_ms`]: ms(row.median_ms),
      [`${key}_thrust`]: ms(row.thrust_nccl_ms),
      [`${key}_exchange`]: row.exchange_gb_per_s == null ? null : `${digits(row.exchange_gb_per_s)} GB/s`,
      [`${key}_sort_share`]: sum > 0 && row.stages_ms.sort ? percent((100 * row.stages_ms.sort) / sum) : null,
    });
  }
  return values;
}
