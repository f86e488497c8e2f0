// Where the instructions go: profiles of scripts/profile_instructions.sh, instructions.csv of a device.
import { parseCsv } from '../../lib/csv.js';
import { digits, list, percent, size } from './format.js';
import { label, radixPath } from './records.js';

// What a kernel is for, by its name: the steps of a pass.
const STEPS = [
  ['take digits', /^take_digit/],
  ['count', /^(histogram|count_)/],
  ['sort tiles or buckets', /^sort_/],
  ['scan', /^(scan_|add_sums)/],
  ['rank', /^rank_/],
  ['scatter', /^scatter/],
  ['rank and scatter', /^(one_sweep|partition|sweep_)/],
];
const stepOf = (kernel) => (STEPS.find(([, pattern]) => pattern.test(kernel)) ?? ['other'])[0];

// {versions, steps, at(version, step)}: instructions of a thread per pair. A warp instruction is 32 of them.
function counted(device) {
  const text = device.profiles?.instructions;
  const rows = text ? parseCsv(text, 'instructions.csv') : [];
  const sum = (wanted) => rows.filter(wanted).reduce((all, row) => all + (32 * row.warp_instructions) / row.n, 0);
  const steps = [...STEPS.map(([name]) => name), 'other'].filter((step) => rows.some((row) => stepOf(row.kernel) === step));
  const versions = [...new Set(rows.map((row) => row.version))].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  return { rows, versions, steps, at: (version, step) => sum((row) => row.version === version && (!step || stepOf(row.kernel) === step)) };
}

export function figures(report, device) {
  const { rows, versions, steps, at } = counted(device);
  const without = rows.length > 0 ? radixPath(device.records.worklog).filter((version) => !versions.includes(version)) : [];
  const counts = (kernel) => rows.some((row) => row.version === 'radix_v9' && row.kernel === kernel);
  const unlooked = counts('sort_pair_region') && !counts('look_at_pairs');
  return [
    {
      id: 'instructions',
      title: `Instructions per pair of a whole sort${rows.length > 0 ? ` of ${size(rows[0].n)} pairs` : ''}, by step`,
      type: 'bar',
      stacked: true,
      categories: versions,
      x: { label: 'instructions of a thread per pair' },
      series: steps.map((step, i) => ({ name: step, color: `slot${i}`, values: versions.map((version) => at(version, step) || null) })),
      format: (x) => digits(x),
      tables: [
        {
          columns: ['version', ...steps, 'all'],
          rows: versions.map((version) => [version, ...[...steps, null].map((step) => digits(at(version, step) || null))]),
          note: 'Warp instructions that were executed, times 32, over the number of pairs: a lane that waits counts too. The sorts are from a profile, not from the times above.',
        },
      ],
      note:
        [
          without.length > 0 ? `Not profiled on this device: ${list(without)}.` : null,
          unlooked ? 'radix_v9 lacks the kernel that judges a sample; it was profiled before its kernels moved to gsort.' : null,
        ]
          .filter(Boolean)
          .join(' ') || null,
      sources: rows.length > 0 ? [`${label(device)}: profile instructions.csv, Nsight Compute, smsp__inst_executed.sum`] : [],
      missing: rows.length === 0,
    },
  ];
}

export function values(report, device) {
  const { versions, steps, at } = counted(device);
  if (versions.length < 2) return {};
  const most = (version) => steps.reduce((a, b) => (at(version, b) > at(version, a) ? b : a));
  const one = (version) => {
    const first = most(version);
    return versions.includes(version)
      ? `${digits(at(version))} instructions per pair, ${percent((100 * at(version, first)) / at(version))} of them to ${first}`
      : null;
  };
  return Object.fromEntries(
    versions.flatMap((version) => [
      [`instructions.${version}`, one(version)],
      [`instructions.${version}_all`, digits(at(version))],
    ]),
  );
}
