// Records and folders of results for tests, with only the data that a test needs.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { buildPages, loadReport } from '../../report/build.js';
import { readDevices } from '../../report/lib/inputs.js';

export const record = (changes = {}) => ({
  schema: 1,
  device: { name: 'NVIDIA X1', backend: 'cuda', driver: '7', runtime_version: 13000, clocks: 'n/a' },
  copy_gb_per_s: 360,
  date: '2026-01-02T03:04:05Z',
  commit: 'abc',
  repetitions: 9,
  time_limit_s: 1,
  interrupted: false,
  left_out: [],
  rows: [],
  ...changes,
});
export const row = (version, n, median, changes = {}) => ({
  version,
  n,
  what: 'pairs',
  input: 'uniform',
  knobs: {},
  status: 'ok',
  verdict: 'PASS',
  repetitions: 9,
  median_ms: median,
  stages_ms: {},
  ...changes,
});

// A folder of results: {'X1/hw4.json': record, ...}.
export function folderOf(files) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'results-'));
  for (const [name, content] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return folder;
}
// The page that has all charts and tables.
export const dataPage = (report) => buildPages(report)['data.html'];
export const reportOf = (files) => ({ published: loadReport().published, devices: readDevices(folderOf(files)) });
