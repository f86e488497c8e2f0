// Experiment 3: merge sort on the CPU, sequential and with OpenMP.
import { digits, list, ms, over, percent, size, tableOfItems, times } from './format.js';
import { label, pointsAt, rowsOf, rowWith, sizesOf, source, whyNot } from './records.js';

const seconds = (row) => (row?.status === 'ok' ? row.median_ms / 1000 : null);

// The rows of an experiment by n, with the rows of its long runs (full_...).
function series(device, name) {
  const rows = [name, `full_${name}`].flatMap((key) => rowsOf(device.records[key], { what: 'keys' }));
  const known = new Map();
  for (const row of rows) if (row.status === 'ok' || !known.has(row.n)) known.set(row.n, row);
  return { name, rows: known, at: (n) => seconds(known.get(n)) };
}

const tasks = (device) =>
  Object.keys(device.records)
    .map((name) => /^merge_cpu_tasks_(\d+)$/.exec(name))
    .filter(Boolean)
    .map((match) => ({ threads: Number(match[1]), ...series(device, match[0]) }))
    .sort((a, b) => a.threads - b.threads);

export const sequentialMs = (device, n) => {
  const time = series(device, 'merge_cpu_sequential').at(n);
  return time === null ? null : 1000 * time;
};

function sets(device) {
  const runs = tasks(device);
  return {
    sequential: series(device, 'merge_cpu_sequential'),
    sections: series(device, 'merge_cpu_sections'),
    nested: series(device, 'merge_cpu_nested'),
    runs,
    most: runs.at(-1) ?? series(device, 'none'),
  };
}

const host = (device) => {
  const record = device.records.merge_cpu_sequential;
  return record?.device.host_cpu ? `${record.device.host_cpu}, ${record.device.host_threads} threads` : label(device);
};

export function figures(report, device) {
  const published = report.published.merge_cpu;
  const { sequential, sections, nested, runs, most } = sets(device);
  const all = [sequential, sections, nested, ...runs];
  const measured = [...new Set(all.flatMap((one) => [...one.rows.keys()]))];
  const sizes = [...new Set([...published.map((row) => row.n), ...measured])].sort((a, b) => a - b);
  const ours = (one) => pointsAt(sizes, one.at, (n) => ({ noise: one.rows.get(n)?.noise }));
  const theirs = (column) => published.map((row) => ({ x: row.n, y: row[column] }));
  const missing = measured.length === 0;
  const record = device.records.merge_cpu_sequential;
  const sources = record ? [`Host ${host(device)}. ${source({ ...record, name: 'merge_cpu_*' })}`] : [];
  const cell = (one, n) => digits(one.at(n)) ?? (one.rows.has(n) ? whyNot(one.rows.get(n)) : null);
  const slides = (n) => published.find((one) => one.n === n);
  const speedup = (one, n) => over(sequential.at(n), one.at(n));
  const speedups = runs.flatMap((run) => sizes.map((n) => ({ run, n, s: speedup(run, n) }))).filter(({ s }) => s !== null);
  const charted = [...new Set(speedups.map(({ n }) => n))];
  return [
    {
      id: 'merge-cpu-time',
      title: 'Merge sort on the CPU: time by number of keys',
      type: 'line',
      x: { label: 'keys (log scale)', log: true, sizes: true },
      y: { label: 'seconds (log scale)', log: true },
      series: [
        { name: 'slides: sequential', color: 'slot0', published: true, points: theirs('sequential_s') },
        { name: 'slides: sections', color: 'slot1', published: true, points: theirs('omp_sections_s') },
        { name: 'slides: tasks, 8 threads', color: 'slot2', published: true, points: theirs('omp_task_s') },
        { name: 'ours: sequential', color: 'slot0', points: ours(sequential) },
        { name: 'ours: sections', color: 'slot1', points: ours(sections) },
        { name: 'ours: sections, 3 nested levels', color: 'slot3', points: ours(nested) },
        { name: `ours: tasks, ${most.threads ?? '?'} threads`, color: 'slot2', points: ours(most) },
      ].filter((one) => one.points.length > 0),
      format: (x) => `${digits(x)} s`,
      tables: [
        tableOfItems(
          [
            ['keys', size],
            ['slides: sequential, s', (n) => digits(slides(n)?.sequential_s)],
            ['sections, s', (n) => digits(slides(n)?.omp_sections_s)],
            ['tasks, s', (n) => digits(slides(n)?.omp_task_s)],
            ['ours: sequential, s', (n) => cell(sequential, n)],
            ['sections, s', (n) => cell(sections, n)],
            ['nested, s', (n) => cell(nested, n)],
            ...runs.map((run) => [`tasks, ${run.threads} threads, s`, (n) => cell(run, n)]),
          ],
          sizes,
        ),
      ],
      sources,
      missing,
    },
    {
      id: 'merge-cpu-speedup',
      title: 'Speed-up of tasks over the sequential sort, by threads',
      type: 'line',
      x: { label: 'threads', min: 0 },
      y: { label: 'speed-up', min: 0 },
      series: [
        { name: 'slides, 100M keys', color: 'published', published: true, points: [{ x: 8, y: slides(1e8).speedup_task }] },
        ...charted.map((n, i) => ({
          name: `ours, ${size(n)} keys`,
          color: `slot${i}`,
          points: [{ x: 1, y: 1 }, ...speedups.filter((one) => one.n === n).map(({ run, s }) => ({ x: run.threads, y: s }))],
        })),
        ...(runs.length > 0 ? [{ name: 'ideal', color: 'neutral', roof: true, points: [1, most.threads].map((x) => ({ x, y: x })) }] : []),
      ],
      format: (x) => digits(x),
      tables: [
        {
          ...tableOfItems(
            [
              ['keys', size],
              ['slides: S tasks', (n) => slides(n)?.speedup_task],
              ['S sections', (n) => slides(n)?.speedup_sections],
              ['E tasks', (n) => slides(n)?.efficiency_task],
              ['E sections', (n) => slides(n)?.efficiency_sections],
              ['ours: S sections', (n) => digits(speedup(sections, n))],
              ['S nested', (n) => digits(speedup(nested, n))],
              ...runs.flatMap((run) => [
                [`S tasks, ${run.threads} threads`, (n) => digits(speedup(run, n))],
                ['E', (n) => digits(over(speedup(run, n), run.threads), 2)],
              ]),
            ],
            sizes,
          ),
          note: 'S: sequential time over parallel time. E: S over the number of threads. In ours, x = 1 is the sequential sort itself.',
        },
      ],
      sources,
      missing: speedups.length === 0,
    },
  ];
}

// Sections over one thread in the records of separate runs.
function sectionsSpeedups(device) {
  const { sequential, sections } = sets(device);
  return [...sections.rows.keys()]
    .sort((a, b) => a - b)
    .map((n) => ({ n, gain: over(sequential.at(n), sections.at(n)) }))
    .filter(({ gain }) => gain !== null);
}

// The record in which all modes follow each other: the sequential sort twice, with `levels` 1 and 3, which it ignores.
function turns(device) {
  const record = device.records.merge_cpu_turns;
  const time = (n, mode, levels) => rowWith(record, { mode, levels }, { n })?.median_ms ?? null;
  const sizes = sizesOf(record);
  const each = (make) =>
    list(sizes.map((n) => [n, make(n)]).flatMap(([n, text]) => (text === null ? [] : `${text} with ${size(n)} keys`))) || null;
  const oneTime = (n, mode) => rowWith(device.records.merge_cpu_one, { mode }, { n })?.median_ms ?? null;
  const one = { sizes: sizesOf(device.records.merge_cpu_one, { status: 'ok' }), gain: (n) => over(oneTime(n, 1), oneTime(n, 2)) };
  const mean = (n) => over((time(n, 1, 1) ?? NaN) + (time(n, 1, 3) ?? NaN), 2) || null;
  const drift = (n) => over(Math.max(time(n, 1, 1), time(n, 1, 3)), Math.min(time(n, 1, 1), time(n, 1, 3)));
  return {
    'merge_cpu.turns_sections': each((n) => times(over(mean(n), time(n, 2, 1)))),
    // Both on one thread: the machine code of the sections' merges beside the sequential sort's.
    'merge_cpu.one_sections':
      list(one.sizes.filter((n) => one.gain(n) !== null).map((n) => `${times(one.gain(n))} with ${size(n)} keys`)) || null,
    'merge_cpu.turns_nested': each((n) => times(over(mean(n), time(n, 2, 3)))),
    'merge_cpu.turns_tasks': each((n) => times(over(mean(n), time(n, 3, 1)))),
    'merge_cpu.turns_drift': each((n) => (drift(n) ? percent(100 * (drift(n) - 1)) : null)),
  };
}

export function values(report, device) {
  const { sequential, sections, nested, most } = sets(device);
  const done = [...most.rows.keys()].filter((n) => over(sequential.at(n), most.at(n)) !== null).sort((a, b) => a - b);
  const n = done.at(-1);
  const speedups = sectionsSpeedups(device);
  const always = {
    ...turns(device),
    'merge_cpu.sections_all': speedups.length > 0 ? list(speedups.map((one) => `${times(one.gain)} (${size(one.n)})`)) : null,
  };
  if (n === undefined) return always;
  return {
    'merge_cpu.n': size(n),
    'merge_cpu.threads': String(most.threads),
    'merge_cpu.tasks': times(over(sequential.at(n), most.at(n))),
    'merge_cpu.efficiency': digits(over(sequential.at(n), most.at(n)) / most.threads, 2),
    'merge_cpu.sections': times(over(sequential.at(n), sections.at(n))),
    ...always,
    'merge_cpu.nested': times(over(sequential.at(n), nested.at(n))),
    'merge_cpu.sequential_time': ms(1000 * sequential.at(n)),
    'merge_cpu.host': host(device),
  };
}
