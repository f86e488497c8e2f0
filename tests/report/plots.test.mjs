// The SVG pictures: the names and values of the page's figures.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { loadReport } from '../../report/build.js';
import { figuresOf } from '../../report/page/js/page.js';
import { isGpu } from '../../report/page/js/records.js';
import { ROOT } from './browser.mjs';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svg-'));
execFileSync('node', [path.join(ROOT, 'report/plots.js'), folder], { stdio: 'ignore' });
const texts = (name) =>
  [...fs.readFileSync(path.join(folder, `${name}.svg`), 'utf8').matchAll(/<text[^>]*>([^<]*)/g)].map(([, text]) => text);

test('worklog.svg: every version, every value, on a separate paper', () => {
  const report = loadReport();
  const figure = figuresOf(report, report.devices.find(isGpu)).find((one) => one.id === 'worklog');
  const all = texts('worklog').map((text) => text.replace(/&amp;/g, '&'));
  for (const name of [...figure.categories, ...figure.series.map((one) => one.name)]) assert.ok(all.includes(name), name);
  for (const value of figure.series.flatMap((one) => one.values).filter((one) => one !== null))
    assert.ok(all.includes(figure.format(value)), String(value));
  assert.match(fs.readFileSync(path.join(folder, 'worklog.svg'), 'utf8'), /<rect [^>]*fill="#fff"/);
});
test('scaling.svg, hw4.svg and multi.svg: names of versions, stages and elements', () => {
  for (const name of ['radix_v5', 'cub_ref', 'thrust_ref', 'roof: four sweeps, 36 bytes']) assert.ok(texts('scaling').includes(name), name);
  for (const name of ['radix_v1', 'radix_level2', 'hist', 'sweep']) assert.ok(texts('hw4').includes(name), name);
  assert.ok(texts('multi').includes('2 GPUs'));
});
test('bars have their colours and their hatching: without these rules they are black', () => {
  const text = fs.readFileSync(path.join(folder, 'hw4.svg'), 'utf8');
  assert.match(text, /^\.hf \{ fill: currentColor; \}$/m);
  assert.match(text, /^\.hl \{ stroke: #[^}]*\}$/m);
});
test('the same records give the same pictures', () => {
  const before = fs.readFileSync(path.join(folder, 'scaling.svg'), 'utf8');
  execFileSync('node', [path.join(ROOT, 'report/plots.js'), folder], { stdio: 'ignore' });
  assert.equal(fs.readFileSync(path.join(folder, 'scaling.svg'), 'utf8'), before);
});
test('a failure is one sentence and exit code 2', () => {
  const { status, stderr } = spawnSync('node', [path.join(ROOT, 'report/plots.js'), '/dev/null/svg'], { encoding: 'utf8' });
  assert.equal(status, 2);
  assert.match(stderr, /^plots: in [^\n]*dev\/null\/svg: ENOTDIR[^\n]*\n$/);
});
