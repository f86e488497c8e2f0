// The build: reading CSV and records, one device at a time, and the same bytes each time.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { addSteps, buildPages, loadReport } from '../../report/build.js';
import { parseCsv } from '../../report/lib/csv.js';
import { introduction } from '../../report/lib/handout.js';
import { readDevices, readRecord } from '../../report/lib/inputs.js';
import { figuresOf, sentenceOf, valueOf } from '../../report/page/js/page.js';
import { versionOrder } from '../../report/page/js/records.js';
import { digits, size } from '../../report/page/js/format.js';
import { launches, tableOf } from '../../report/page/js/profiles.js';
import { ROOT } from './browser.mjs';
import { dataPage, folderOf, record, reportOf, row } from './records.mjs';

const figure = (report, device, id) => figuresOf(report, device).find((one) => one.id === id);

test('CSV: numbers, text, empty cells and lines', () => {
  assert.deepEqual(parseCsv('a,b,c\r\n1.50,x=1,\r\n\r\n-2,,y\r\n'), [
    { a: 1.5, b: 'x=1', c: null },
    { a: -2, b: null, c: 'y' },
  ]);
  assert.deepEqual(parseCsv('a,b\n'), []);
});
test('CSV: a line with another number of cells is an error that names it', () => {
  assert.throws(() => parseCsv('a,b\n1,2\n3\n', 'x.csv'), /x\.csv: row 2: Too few fields/);
  assert.throws(() => parseCsv('', 'x.csv'), /x\.csv: empty/);
});
test('published figures are all there', () => {
  const { published } = loadReport();
  assert.equal(published.radix_v2_blocks.length, 15);
  assert.equal(published.radix_hw4.find((one) => one.version === 'radix_v4').total_ms, null);
  assert.equal(published.merge_bottomup.length, 12);
  assert.deepEqual(
    published.mppsort.map((one) => one.speedup),
    [0.39, 0.55, 0.51, 0.31],
  );
});
test('records: broken JSON, another schema and other files are named', () => {
  const folder = folderOf({ 'a.json': '{', 'b.json': record({ schema: 2 }), 'c.json': { schema: 1 } });
  assert.throws(() => readRecord(path.join(folder, 'a.json')), /a\.json: /);
  assert.throws(() => readRecord(path.join(folder, 'b.json')), /b\.json: schema 2/);
  assert.throws(() => readRecord(path.join(folder, 'c.json')), /c\.json: not a record/);
});
test('devices: a folder for each, GPUs come first', () => {
  const cpu = record({ device: { name: 'A', backend: 'cpu', driver: 'Linux' } });
  const devices = readDevices(folderOf({ 'X1/hw4.json': record(), 'cpu_A/hw4.json': cpu, 'README.md': 'x' }));
  assert.deepEqual(
    devices.map((one) => [one.id, Object.keys(one.records).sort()]),
    [
      ['X1', ['hw4']],
      ['cpu_A', ['hw4']],
    ],
  );
});
test('two machines in one folder are an error', () => {
  const other = record({ device: { ...record().device, driver: '8' } });
  assert.throws(() => readDevices(folderOf({ 'X1/a.json': record(), 'X1/b.json': other })), /more than one machine/);
});
test("the worklog's chart: Thrust's time over the version's, from one record; CUB's better index type", () => {
  const rows = [
    row('thrust_ref', 220480, 0.2),
    row('radix_v1', 220480, 4),
    row('radix_v10', 220480, 0.05),
    row('radix_v2', 220480, 0.4),
    row('cub_ref', 220480, 0.16, { knobs: { wideIndex: 0 } }),
    row('cub_ref', 220480, 0.1, { knobs: { wideIndex: 1 } }),
  ];
  const report = reportOf({ 'X1/hw4.json': record({ rows }), 'X1/scaling_pairs.json': record({ rows: [row('radix_v3', 220480, 1)] }) });
  const { categories, series } = figure(report, report.devices[0], 'worklog');
  assert.deepEqual(categories, ['radix_v1', 'radix_v2', 'radix_v10', 'thrust_ref', 'cub_ref']);
  assert.deepEqual(
    series[1].values.map((x) => Math.round(x)),
    [5, 50, 400, 100, 200],
  );
});
test('a wrong or stopped row has no time in any chart', () => {
  const rows = [row('thrust_ref', 220480, 0.2), row('radix_v1', 220480, undefined, { status: 'wrong', verdict: 'order: ..' })];
  const report = reportOf({ 'X1/hw4.json': record({ rows }) });
  assert.equal(figure(report, report.devices[0], 'worklog').series[1].values[0], null);
});
test('grid size of a pass: pairs of runs over the parent block, both rounded up', () => {
  const passes = { serial: [1, 1, 1], merge: [2] };
  const rows = [row('merge_bottomup', 10, 5, { what: 'keys', knobs: { parentBlock: 2, childBlock: 32, childFrom: 8 }, passes_ms: passes })];
  const report = reportOf({ 'X1/merge_bottomup_test2.json': record({ rows }) });
  const [table] = figure(report, report.devices[0], 'bottomup-passes').tables;
  assert.deepEqual(
    table.rows.slice(0, 4).map((cells) => cells.slice(-2)),
    [
      ['3', '1.00'],
      ['2', '1.00'],
      ['1', '1.00'],
      ['1', '2.00'],
    ],
  );
});
test('a number that was not measured is marked, for this device and for a named one', () => {
  const report = reportOf({ 'X1/hw4.json': record() });
  const [device] = report.devices;
  assert.deepEqual(valueOf(report, device, 'hw4.v1_total'), { missing: true, text: 'not measured on this device' });
  assert.deepEqual(valueOf(report, device, 'hw4.v1_total@H999'), { missing: true, text: 'not measured on the H999' });
  assert.deepEqual(sentenceOf(report, device, ['method.devices', 'hw4.v1_total']), { missing: true, text: 'Not measured on this device.' });
});
test('a sentence that begins with ? is left out where a number is missing; others are marked', () => {
  const page = dataPage(
    reportOf({ 'X1/scaling_keys.json': record({ rows: [1000, 2000].map((n) => row('radix_v9', n, 1, { what: 'keys' })) }) }),
  );
  const section = (id) => page.split(`<h2 id="${id}">`)[1].split('<h2')[0];
  assert.match(section('mppsort'), /On this device\.<\/strong> <em class="none">Not measured on this device\.<\/em>/);
  assert.doesNotMatch(section('worklog'), /The headline figures/);
  assert.match(dataPage(loadReport()).split('<h2 id="worklog">')[1].split('<h2')[0], /The headline figures/);
});
test('numbers: three digits, no exponent; sizes with a letter only where they are round', () => {
  assert.deepEqual(
    [0.03955, 26.1294, 1404.38, 0.9996, 0, null].map((x) => digits(x)),
    ['0.0396', '26.1', '1,404', '1.00', '0', null],
  );
  assert.deepEqual([1000, 220480, 1e9, 1500000, 2 ** 28].map(size), ['1K', '220,480', '1G', '1.5M', '2\u00b2\u2078']);
});
test("ncu's CSV: lines around the table are skipped, units become milliseconds", () => {
  const text =
    '==PROF== Connected\n"ID","Kernel Name","Grid Size","Metric Name","Metric Unit","Metric Value"\n' +
    '"0","coordinate_merges(x, y)","(10, 1, 1)","gpu__time_duration.sum","ns","1,500,000"\n' +
    '"0","coordinate_merges(x, y)","(10, 1, 1)","sm__warps_active.avg.pct_of_peak_sustained_active","%","12.5"\n';
  assert.deepEqual(launches(text), [{ kernel: 'coordinate_merges', grid: '(10, 1, 1)', Duration: 1.5, 'Achieved Occupancy': 12.5 }]);
  assert.deepEqual(launches('==ERROR== nothing\n'), []);
  assert.deepEqual(tableOf('call,calls,ms\ncudaFree,2,0.5\n', 'call'), [{ call: 'cudaFree', calls: '2', ms: '0.5' }]);
});
test('a new version needs no list: it has a colour, a place in the charts, and a radix version a step from its handout', () => {
  const rows = ['radix_v5', 'radix_v6', 'my_sort', 'seq'].map((version) =>
    row(version, 220480, 1, version === 'seq' ? { cpu_code: true } : {}),
  );
  const report = reportOf({ 'X1/hw4.json': record({ rows }), 'X1/worklog.json': record({ rows: [row('cub_ref', 1e8, 1)] }) });
  assert.deepEqual(versionOrder(report), ['radix_v6', 'cub_ref', 'radix_v5', 'my_sort', 'seq']);
  assert.ok(figure(report, report.devices[0], 'hw4-total').categories.includes('my_sort'));
  assert.ok(figure(report, report.devices[0], 'worklog').categories.includes('radix_v6'));
  const steps = (root) => addSteps('<li id="radix_v5"><!-- further steps -->\n', report, root);
  const handout = '# radix_v6: `x` < y\n\nFrom.\n\n## The idea\n\nOne\n**two**.\n\nMore.\n';
  assert.match(
    steps(folderOf({ 'radix_v6/README.md': handout })),
    /<h3>radix_v6: <code>x<\/code> &lt; y<\/h3>\n<p>One\n<strong>two<\/strong>\.<\/p>.*\[\[\{\{story\.radix_v6\}\}\]\]/s,
  );
  assert.throws(() => steps(folderOf({ 'radix_v6/README.md': '# x\n\n## The log\n' })), /radix_v6\/README\.md: the page needs a title/);
  assert.throws(() => steps(folderOf({ 'radix_v6/student_func.cu': '' })), /radix_v6.README\.md/);
});
test('every measured radix version has exactly one step in the article, and a handout that could be one', () => {
  const report = loadReport();
  const page = buildPages(report)['index.html'];
  const versions = versionOrder(report).filter((name) => /^radix_v\d+$/.test(name));
  assert.ok(versions.length >= 5);
  for (const version of versions) {
    assert.equal(page.split(new RegExp(`<h3>${version}: `)).length, 2, version);
    introduction(fs.readFileSync(path.join(ROOT, version, 'README.md'), 'utf8'), version);
  }
});
test('package-lock.json has every package that npm ci wants, those of other platforms too', () => {
  execFileSync('npm', ['ci', '--dry-run', '--offline'], { cwd: path.join(ROOT, 'report'), stdio: 'pipe' });
});
test('without any record there is no page, but a sentence', () => {
  assert.throws(() => buildPages({ published: {}, devices: [] }), /make reproduce makes some/);
});
test('the same input gives the same bytes; another input, others', () => {
  const pages = buildPages(loadReport());
  assert.deepEqual(buildPages(loadReport()), pages);
  const changed = loadReport();
  changed.devices[0].records[Object.keys(changed.devices[0].records)[0]].rows[0].median_ms *= 2;
  assert.notEqual(buildPages(changed)['data.html'], pages['data.html']);
});
