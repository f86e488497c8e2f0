// Experiment 4's profiles: Nsight Compute's metrics and the time in API calls, from files that
// scripts/profile_merge_bottomup.sh leaves beside the records.
import Papa from 'papaparse';
import { count, digits, NOT_MEASURED, plain } from './format.js';

// The table inside a profiler's output, from the line that starts with the first column's name.
export function tableOf(text, firstColumn) {
  const lines = (text ?? '').split(/\r?\n/);
  const start = lines.findIndex((line) => line.replace(/"/g, '').startsWith(`${firstColumn},`));
  if (start < 0) return [];
  const [names, ...rows] = Papa.parse(lines.slice(start).join('\n'), { delimiter: ',' }).data;
  return rows.filter((row) => row.length === names.length).map((row) => Object.fromEntries(names.map((name, i) => [name, row[i]])));
}

// A file without a table has its reason in a line "# reason".
const why = (text) => /^# (.*)$/m.exec(text ?? '')?.[1] ?? NOT_MEASURED;

const number = (text) => Number(String(text).replace(/,/g, ''));

// The slides' names of ncu's metrics.
const METRICS = {
  'gpu__time_duration.sum': 'Duration',
  'sm__throughput.avg.pct_of_peak_sustained_elapsed': 'Compute (SM) Throughput',
  'gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed': 'Memory Throughput',
  'dram__throughput.avg.pct_of_peak_sustained_elapsed': 'DRAM Throughput',
  'l1tex__throughput.avg.pct_of_peak_sustained_active': 'L1/TEX Cache Throughput',
  'lts__t_sectors.avg.pct_of_peak_sustained_elapsed': 'L2 Cache Throughput',
  sm__maximum_warps_per_active_cycle_pct: 'Theoretical Occupancy',
  'sm__warps_active.avg.pct_of_peak_sustained_active': 'Achieved Occupancy',
  'l1tex__t_sector_hit_rate.pct': 'L1 hit rate',
};

// One entry per launch: {kernel, grid, 'Achieved Occupancy': .., ...}, in the order of the launches.
export function launches(text) {
  const found = new Map();
  for (const row of tableOf(text, 'ID')) {
    const metric = METRICS[row['Metric Name']];
    if (!metric) continue;
    const entry = found.get(row.ID) ?? { kernel: row['Kernel Name'].replace(/\(.*/, ''), grid: row['Grid Size'] };
    const value = number(row['Metric Value']);
    entry[metric] =
      row['Metric Unit'] === 'ns' || row['Metric Unit'] === 'nsecond' ? value / 1e6 : /^us/.test(row['Metric Unit']) ? value / 1e3 : value;
    found.set(row.ID, entry);
  }
  return [...found.values()];
}

// Columns of a launch: name, and the text of its value.
const PASS = [
  ['blocks', (entry) => count(number(/\d+/.exec(entry.grid)?.[0]))],
  ['ms', (entry) => digits(entry.Duration)],
  ['occupancy', (entry) => digits(entry['Achieved Occupancy'])],
  ['SM', (entry) => digits(entry['Compute (SM) Throughput'])],
  ['memory', (entry) => digits(entry['Memory Throughput'])],
  ['L1', (entry) => digits(entry['L1 hit rate'])],
];

export function tables(report, device) {
  const published = report.published.merge_bottomup_profile;
  const ours = [1, 2].map((test) => launches(device.profiles[`ncu_merge_bottomup_test${test}`]));
  const longest = ours.map((list) => list.reduce((a, b) => (a && a.Duration >= b.Duration ? a : b), null));
  const metrics = [
    {
      id: 'bottomup-profile',
      caption: 'The slides: Nsight Compute, one launch of each test (RTX 3050 Laptop)',
      columns: ['metric', 'unit', 'Test 1', 'Test 2'],
      rows: [
        ['Grid (blocks)', '', '1', '1'],
        ['Block (threads)', '', '32', '16'],
        ...published.map((row) => [row.metric, row.unit, row.test1.toFixed(2), row.test2.toFixed(2)]),
      ],
      note:
        'The profile is of a launch of a single parent block, so one of the last passes, whose work is done by child kernels. ' +
        "The theoretical occupancy is the parent's alone (16 blocks of one warp on an SM of 48); the achieved one also counts the warps of the children that run meanwhile, so it can be above it. " +
        'Our profiles are of passes without children and stand apart' +
        (longest.every(Boolean) ? ', in the table below.' : `: ${why(device.profiles[`ncu_merge_bottomup_test${longest[0] ? 2 : 1}`])}.`),
    },
  ];
  const passes = ours.some((list) => list.length > 0)
    ? [
        {
          id: 'bottomup-profile-passes',
          caption: 'Ours: Nsight Compute, the serial passes of both tests, without children',
          groups: [['', 1], ...[1, 2].map((test) => [`Test ${test}: ${ours[test - 1][0]?.kernel ?? ''}`, PASS.length])],
          columns: ['pass', ...[1, 2].flatMap(() => PASS.map(([name]) => name))],
          rows: Array.from({ length: Math.max(...ours.map((list) => list.length)) }, (_, pass) => [
            String(pass),
            ...ours.flatMap((list) => PASS.map(([, value]) => (list[pass] ? value(list[pass]) : null))),
          ]),
          note: 'Pass p merges runs of 2^p keys. Occupancy, the use of the multiprocessors (SM) and of the memory, and the hit rate of the first-level cache (L1) in per cent.',
        },
      ]
    : [];
  return [...metrics, ...passes, apiTable(report, device)];
}

function apiTable(report, device) {
  const published = report.published.merge_bottomup_api;
  const ours = [1, 2].map((test) => tableOf(device.profiles[`api_merge_bottomup_test${test}`], 'call'));
  const calls = [...new Set([...published.map((row) => row.call), ...ours.flatMap((list) => list.map((row) => row.call))])];
  const cell = (list, call) => {
    const row = list.find((one) => one.call === call);
    return row ? [count(number(row.calls)), digits(number(row.ms))] : [list.length > 0 ? 0 : null, null];
  };
  return {
    id: 'bottomup-api',
    caption: 'Time that the host spends in calls of the CUDA runtime, one sort of 100M keys',
    groups: [['', 1], ...['slides', 'ours'].flatMap((whose) => [1, 2].map((test) => [`${whose}, Test ${test}`, 2]))],
    columns: ['call', ...Array(4).fill(['calls', 'ms']).flat()],
    rows: calls.map((call) => {
      const row = published.find((one) => one.call === call);
      return [
        call,
        row?.test1_calls,
        plain(row?.test1_ms),
        row?.test2_calls,
        plain(row?.test2_ms),
        ...ours.flatMap((list) => cell(list, call)),
      ];
    }),
    note: ours.every((list) => list.length === 0)
      ? `Ours: ${why(device.profiles.api_merge_bottomup_test1)}.`
      : 'Ours count one sort, after a warm-up run; a call that waits for the device includes the kernels before it.',
  };
}
