// Reads the page's data: published/*.csv, and results/ with the records of each device.
//
//   results/DEVICE/NAME.json        one record for each experiment, by scripts/reproduce.sh
//   results/DEVICE/NAME.csv         profiles, by scripts/profile_merge_bottomup.sh
//   results/counted/KIND.csv        counts of the cpu backend, by scripts/count_versions.py
//   multi/results/MACHINE/NAME_RANKS.json    records of multi_sort on several GPUs, by multi/measure.sh
import fs from 'node:fs';
import path from 'node:path';
import { parseCsv } from './csv.js';

const ROW_FIELDS = [
  'version',
  'cpu_code',
  'n',
  'input',
  'what',
  'knobs',
  'status',
  'verdict',
  'repetitions',
  'limit',
  'median_ms',
  'mean_ms',
  'noise',
  'stages_ms',
  'passes_ms',
];

function readJson(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`${file}: ${error.message}`);
  }
}

export function readRecord(file) {
  const record = readJson(file);
  if (record.schema !== 1) throw new Error(`${file}: schema ${record.schema}, this page reads schema 1`);
  if (!record.device?.name || !Array.isArray(record.rows)) throw new Error(`${file}: not a record of compare`);
  return { ...record, rows: record.rows.map(shorter) };
}

// Only the fields that the page uses: a record has far more.
function shorter(row) {
  const kept = Object.fromEntries(ROW_FIELDS.filter((name) => row[name] != null).map((name) => [name, row[name]]));
  if (!kept.cpu_code) delete kept.cpu_code;
  if (kept.status === 'ok') delete kept.verdict;
  if (row.version !== 'merge_bottomup') delete kept.passes_ms;
  if (Object.keys(kept.stages_ms ?? {}).length === 0) delete kept.stages_ms;
  return kept;
}

const sorted = (folder) => fs.readdirSync(folder).sort();

// {id, records: {name: record}, wide: the same for keys of 64 bits, profiles: {name: rows or text}}: GPUs first, and those with the most records.
export function readDevices(results) {
  const devices = new Map();
  const device = (id) => {
    if (!devices.has(id)) devices.set(id, { id, records: {}, wide: {}, profiles: {} });
    return devices.get(id);
  };
  for (const entry of sorted(results)) {
    const file = path.join(results, entry);
    if (fs.statSync(file).isDirectory()) readFolder(file, device(entry));
  }
  const known = [...devices.values()].filter((one) => Object.keys(one.records).length > 0);
  return known.sort((a, b) => order(a).localeCompare(order(b)) || records(b) - records(a) || a.id.localeCompare(b.id));
}

// Nobody can repeat a measurement of code that no commit has.
const isOfCommit = ({ commit }) => !commit.endsWith('+changes');

function readFolder(folder, device) {
  for (const entry of sorted(folder)) {
    const file = path.join(folder, entry);
    if (entry.endsWith('.json')) {
      const record = readRecord(file);
      // Other keys and other names of versions than all other records.
      const records = entry.startsWith('wide_') ? device.wide : device.records;
      if (isOfCommit(record)) records[path.basename(entry, '.json')] = record;
      else console.error(`build: note: ${file} was measured with uncommitted changes, so it is not shown`);
    }
    // Profilers write other lines before the table; the page picks out what it knows.
    if (entry.endsWith('.csv')) device.profiles[path.basename(entry, '.csv')] = fs.readFileSync(file, 'utf8');
  }
  const machines = new Set(Object.values(device.records).map((r) => `${r.device.name}, driver ${r.device.driver}`));
  if (machines.size > 1) throw new Error(`${folder}: records of more than one machine: ${[...machines].join('; ')}`);
}

const order = (device) => (Object.values(device.records)[0].device.backend === 'cpu' ? '1' : '0');
const records = (device) => Object.keys(device.records).length;

// [{machine, name, ranks, record}], ranks as in the record; none where the folder is missing. Records of the cpu backend and of
// uncommitted changes are left out.
export function readMulti(results) {
  if (!fs.existsSync(results)) return [];
  return sorted(results)
    .filter((machine) => fs.statSync(path.join(results, machine)).isDirectory())
    .flatMap((machine) =>
      sorted(path.join(results, machine))
        .filter((file) => file.endsWith('.json'))
        .map((file) => readMultiRecord(path.join(results, machine, file), machine)),
    )
    .filter(({ record }) => record.device.backend === 'cuda' && isOfCommit(record));
}

function readMultiRecord(file, machine) {
  const record = readJson(file);
  if (![1, 2, 3].includes(record.schema) || record.program !== 'multi_sort' || !Array.isArray(record.rows))
    throw new Error(`${file}: not a record of multi_sort, schema 1 to 3`);
  const wrong = record.rows.find((row) => !row.right);
  if (wrong) throw new Error(`${file}: a wrong row, ${wrong.input}, n ${wrong.n}: ${wrong.verdict}`);
  return { machine, name: path.basename(file, '.json').replace(/_\d+$/, ''), ranks: record.ranks, record };
}

// {name of the file: its rows}
export const readCsvs = (folder) =>
  Object.fromEntries(
    sorted(folder)
      .filter((name) => name.endsWith('.csv'))
      .map((name) => [path.basename(name, '.csv'), parseCsv(fs.readFileSync(path.join(folder, name), 'utf8'), name)]),
  );

// {keys: rows, pairs: rows}; rows of uncommitted changes are left out.
export function readCounted(results) {
  const folder = path.join(results, 'counted');
  if (!fs.existsSync(folder)) return {};
  return Object.fromEntries(Object.entries(readCsvs(folder)).filter(([, rows]) => rows.every((row) => isOfCommit(row))));
}
