// Experiment 2: radix_v2's block sizes.
import { digits, ms, over, percent, plain, size, times } from './format.js';
import { label, rowsOf } from './records.js';
import { hw4Record } from './worklog.js';

const KNOBS = ['blockDigit', 'blockSize', 'blockScan'];
const name = (setting) => KNOBS.map((knob) => setting[knob]).join('/');
const REPORTS_BEST = '256/256/512';
const BLOCKS = [32, 64, 128, 256, 512, 1024];

// All settings that were measured: six records, one for each blockDigit.
function sweep(device) {
  const records = Object.entries(device.records)
    .filter(([key]) => key.startsWith('v2_blocks_'))
    .map(([key, record]) => ({ ...record, name: key }));
  const rows = records.flatMap((record) => record.rows.filter((row) => row.status === 'ok'));
  const best = rows.reduce((a, b) => (a === null || b.median_ms < a.median_ms ? b : a), null);
  const worst = rows.reduce((a, b) => (a === null || b.median_ms > a.median_ms ? b : a), null);
  const at = (setting) => rows.find((row) => KNOBS.every((knob) => row.knobs[knob] === setting[knob]))?.median_ms ?? null;
  return { records, rows, best, worst, at };
}

export function figures(report, device) {
  const settings = report.published.radix_v2_blocks;
  const { records, rows: all, best, at } = sweep(device);
  const base = settings.find((setting) => name(setting) === REPORTS_BEST);
  const relative = settings.map((setting) => over(at(setting), at(base)));
  const n = best?.n;
  const record = records.length > 0 ? { ...records[0], name: `v2_blocks_* (${records.length} of 6)` } : null;
  return [
    {
      id: 'blocks',
      title: `Time of the report's fifteen settings (blockDigit/blockSize/blockScan), relative to its best one`,
      type: 'bar',
      categories: settings.map(name),
      x: { label: `time / time at ${REPORTS_BEST}`, min: 0 },
      series: [
        { name: 'CS344 radix report, 820M', color: 'published', values: settings.map((s) => s.total_ms / base.total_ms) },
        { name: `${label(device)}${n ? `, ${size(n)} pairs` : ''}`, color: 'device1', values: relative },
      ],
      format: (x) => digits(x),
      tables: [
        {
          columns: [...KNOBS, 'report, ms', `report / its ${REPORTS_BEST}`, 'ours, ms', `ours / our ${REPORTS_BEST}`],
          rows: [
            ...settings.map((setting, i) => [
              ...KNOBS.map((knob) => setting[knob]),
              plain(setting.total_ms),
              digits(setting.total_ms / base.total_ms),
              digits(at(setting)),
              digits(relative[i]),
            ]),
            best && [...KNOBS.map((knob) => best.knobs[knob]), null, null, digits(best.median_ms), digits(over(best.median_ms, at(base)))],
          ].filter(Boolean),
          note: best ? 'Last row: the best setting of the full sweep.' : null,
        },
      ],
      record,
    },
    {
      id: 'blocks-sweep',
      title: n ? `The full sweep: milliseconds of ${all.length} settings, ${size(n)} pairs` : 'The full sweep of settings',
      type: 'heat',
      panels: BLOCKS.map((blockDigit) => ({
        name: `blockDigit ${blockDigit}`,
        cells: BLOCKS.map((blockSize) => BLOCKS.map((blockScan) => at({ blockDigit, blockSize, blockScan }))),
      })).filter(({ cells }) => cells.flat().some((value) => value !== null)),
      rows: BLOCKS,
      columns: BLOCKS,
      x: { label: 'blockScan' },
      y: { label: 'blockSize' },
      series: [],
      format: ms,
      short: (value) => digits(value, 2).replace(/^0/, ''),
      tables: [],
      record,
    },
  ];
}

// Squares of the heat map in several panels: they differ only in the block size of one short kernel.
function squares({ at }) {
  const panels = BLOCKS.filter((block) => block >= 64 && block <= 512);
  return BLOCKS.flatMap((blockSize) =>
    BLOCKS.map((blockScan) => ({
      blockSize,
      blockScan,
      times: panels.map((blockDigit) => at({ blockDigit, blockSize, blockScan })).filter((time) => time !== null),
    })),
  ).filter(({ times: all }) => all.length === panels.length);
}
function heatValues(all) {
  const found = squares(all);
  if (found.length === 0) return {};
  const ratio = (list) => Math.max(...list) / Math.min(...list);
  const drift = found.reduce((a, b) => (ratio(b.times) > ratio(a.times) ? b : a));
  const near = found.filter(({ blockSize, blockScan }) => blockSize >= 64 && blockSize <= 256 && blockScan >= 256);
  return {
    'blocks.drift': `${digits(ratio(drift.times))} (tiles of ${drift.blockSize}, scan blocks of ${drift.blockScan})`,
    'blocks.plateau': near.length > 0 ? percent(100 * (ratio(near.map((one) => Math.min(...one.times))) - 1)) : null,
  };
}

export function values(report, device) {
  const settings = report.published.radix_v2_blocks;
  const all = sweep(device);
  const { rows, best, worst, at } = all;
  const fifteen = settings.map((setting) => ({ setting, time: at(setting) })).filter(({ time }) => time !== null);
  if (fifteen.length === 0) return heatValues(all);
  const [first, last] = [fifteen.reduce((a, b) => (b.time < a.time ? b : a)), fifteen.reduce((a, b) => (b.time > a.time ? b : a))];
  const reports = at(settings.find((setting) => name(setting) === REPORTS_BEST));
  const again = rowsOf(hw4Record(device), { version: 'radix_v2', what: 'pairs', n: best.n, status: 'ok' }).find(
    (row) => name(row.knobs) === REPORTS_BEST,
  );
  return {
    ...heatValues(all),
    'blocks.count': String(rows.length),
    'blocks.n': size(best.n),
    'blocks.best': `${name(best.knobs)} with ${ms(best.median_ms)}`,
    'blocks.worst': `${name(worst.knobs)} with ${ms(worst.median_ms)}`,
    'blocks.best15': `${name(first.setting)} with ${ms(first.time)}`,
    'blocks.spread15': times(over(last.time, first.time)),
    'blocks.gain': times(over(reports, best.median_ms)),
    'blocks.reports': ms(reports),
    'blocks.again': ms(again?.median_ms ?? null),
  };
}
