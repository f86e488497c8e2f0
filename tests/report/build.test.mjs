// The build: reading CSV and records, one device at a time, and the same bytes each time.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { addSteps, buildPage, loadReport } from '../../report/build.js';
import { parseCsv } from '../../report/lib/csv.js';
import { glossaryOf, linkTerms } from '../../report/lib/glossary.js';
import { introduction, logTable } from '../../report/lib/handout.js';
import { deviceName, readDevices, readRecord } from '../../report/lib/inputs.js';
import { styleOf } from '../../report/lib/marks.js';
import { onePass } from '../../report/lib/one_pass.js';
import { perDevice, tableHtml } from '../../report/lib/render.js';
import { TRAFFIC, bytesOf } from '../../report/lib/traffic.js';
import { figuresOf, sentenceOf, tablesOf, valueOf } from '../../report/page/js/page.js';
import { versionOrder } from '../../report/page/js/records.js';
import { digits, size } from '../../report/page/js/format.js';
import { launches, tableOf } from '../../report/page/js/profiles.js';

const ROOT = path.resolve(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), '../..');
const record = (changes = {}) => ({
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
const row = (version, n, median, changes = {}) => ({
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
function folderOf(files) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'results-'));
  for (const [name, content] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return folder;
}
const reportOf = (files) => ({ published: loadReport().published, devices: readDevices(folderOf(files)) });
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
test('devices: names as the scripts make them, old records join their device, GPUs come first', () => {
  assert.equal(deviceName({ name: 'NVIDIA H100 80GB HBM3', backend: 'cuda' }), 'H100_80GB_HBM3');
  assert.equal(deviceName({ name: 'AMD Ryzen 9 (TM)', backend: 'cpu' }), 'cpu_AMD_Ryzen_9_TM');
  const cpu = record({ device: { name: 'A', backend: 'cpu', driver: 'Linux' } });
  const devices = readDevices(
    folderOf({ 'X1.json': record(), 'large_X1.json': record(), 'X1/hw4.json': record(), 'cpu_A/hw4.json': cpu, 'README.md': 'x' }),
  );
  assert.deepEqual(
    devices.map((one) => [one.id, Object.keys(one.records).sort()]),
    [
      ['X1', ['hw4', 'large', 'standard']],
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
  const page = buildPage(
    reportOf({ 'X1/scaling_keys.json': record({ rows: [1000, 2000].map((n) => row('radix_v9', n, 1, { what: 'keys' })) }) }),
  );
  const section = (id) => page.split(`<h2 id="${id}">`)[1].split('<h2')[0];
  assert.match(section('mppsort'), /On this device\.<\/strong> <em>Not measured on this device\.<\/em>/);
  assert.doesNotMatch(section('worklog'), /Uniform keys, 1K to/);
  assert.match(buildPage(loadReport()).split('<h2 id="worklog">')[1].split('<h2')[0], /Uniform keys, 1K to/);
});
test('radix_v1 is compared with one CPU thread that has the same digits, as in the report', () => {
  const seq = [1, 8].map((kBits) => row('seq', 220480, kBits === 1 ? 30 : 6, { knobs: { kBits } }));
  const report = reportOf({ 'X1/hw4.json': record({ rows: [row('radix_v1', 220480, 3)] }), 'X1/hw4_seq.json': record({ rows: seq }) });
  assert.equal(valueOf(report, report.devices[0], 'hw4.seq1_over_v1').text, '10.0 times');
  assert.equal(valueOf(report, report.devices[0], 'hw4.seq8_over_v1').text, '2.00 times');
});
test('numbers: three digits, no exponent; sizes with a letter only where they are round', () => {
  assert.deepEqual(
    [0.03955, 26.1294, 1404.38, 0.9996, 0, null].map((x) => digits(x)),
    ['0.0396', '26.1', '1,404', '1.00', '0', null],
  );
  assert.deepEqual([1000, 220480, 1e9, 1500000, 2 ** 28].map(size), ['1K', '220,480', '1G', '1.5M', '268,435,456']);
});
test("a handout's log: its conditions and rows; a handout without one is an error", () => {
  const html = logTable(
    '# x\n## The log\nH200, n = 2^28.\n\n| step | measured |\n|---|---|\n| `a` < b | **3** ms |\n| | |\n\nMore.\n\n## Next\n',
    'x',
  );
  assert.match(html, /H200, n = 2<sup>28<\/sup>\./);
  assert.match(html, /<td><code>a<\/code> &lt; b<\/td><td><strong>3<\/strong> ms<\/td>/);
  assert.equal(html.match(/<tr>/g).length, 2);
  assert.throws(() => logTable('# x\n', 'v/README.md'), /v\/README\.md: no table/);
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
  const steps = (root) => addSteps('{{worklog.radix_v5}}<!-- further steps -->\n', report, root);
  const handout = '# radix_v6: `x` < y\n\nFrom.\n\n## The idea\n\nOne\n**two**.\n\nMore.\n';
  assert.match(
    steps(folderOf({ 'radix_v6/README.md': handout })),
    /<h3>radix_v6: <code>x<\/code> &lt; y<\/h3>\n<p>One\n<strong>two<\/strong>\.<\/p>.*\[\[\{\{worklog\.radix_v6\}\}\]\]/s,
  );
  assert.throws(() => steps(folderOf({ 'radix_v6/README.md': '# x\n\n## The log\n' })), /radix_v6\/README\.md: the page needs a title/);
  assert.throws(() => steps(folderOf({ 'radix_v6/student_func.cu': '' })), /radix_v6.README\.md/);
});
test('every measured radix version has exactly one step in the worklog, and a handout that could be one', () => {
  const report = loadReport();
  const page = buildPage(report);
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
test('one pass: the arrays of the stepper are those of radix_v2', () => {
  // The example of radix_v2's handout, "By hand".
  const { hist, start, rank, place, output } = onePass([0, 1, 3, 0, 2, 3, 1, 0]);
  assert.deepEqual(hist.flat(), [2, 1, 1, 1, 0, 1, 1, 1]);
  assert.deepEqual(start.flat(), [0, 2, 3, 4, 5, 5, 6, 7]);
  assert.deepEqual(
    [rank, place],
    [
      [0, 0, 0, 1, 0, 0, 0, 0],
      [0, 3, 6, 1, 5, 7, 4, 2],
    ],
  );
  assert.deepEqual(output, [0, 0, 0, 1, 1, 2, 3, 3]);
  // Two stable passes sort four bits.
  const keys = [5, 12, 3, 9, 6, 15, 0, 10];
  assert.deepEqual(
    onePass(onePass(keys).output, 2).output,
    [...keys].sort((a, b) => a - b),
  );
});
test('bytes per pair: the sums of the kernels, and the floors that the handouts of radix_v5 and radix_v7 name', () => {
  assert.deepEqual(
    Object.keys(TRAFFIC).map((version) => bytesOf(version)),
    [32 * 64 + 16, 8 * 44 + 16, 8 * 64 + 16, 8 * 64 + 16, 68, 68, 52],
  );
});
test('every version of the records has a mark of its own, filled or hollow, in any chart', () => {
  const styles = versionOrder(loadReport()).map((_, slot) => styleOf({ color: `slot${slot}` }));
  assert.equal(new Set(styles.map(({ mark, hollow }) => `${mark} ${hollow}`)).size, styles.length);
});
test('a table with more columns than paper has room for becomes several, each with the first column', () => {
  const html = tableHtml(
    { columns: ['n', ...Array.from({ length: 14 }, (_, i) => `c_${i}`)], rows: [['1', ...Array(14).fill('x')]] },
    'wide',
  );
  assert.equal(html.match(/<table>/g).length, 2);
  assert.equal(html.match(/<th scope="row">1</g).length, 2);
  assert.equal(html.match(/<td>x</g).length, 14);
  assert.match(html, /c_<wbr>13/);
});
test('a switch of devices: what is the same for all stands once', () => {
  const report = reportOf({ 'X1/hw4.json': record(), 'cpu_A/hw4.json': record({ device: { name: 'A', backend: 'cpu', driver: 'L' } }) });
  assert.equal(
    perDevice(report, 'p', () => 'same'),
    'same',
  );
  assert.equal(
    perDevice(report, 'p', ({ id }) => id),
    '<p data-device="X1">X1</p><p data-device="cpu_A">cpu_A</p>',
  );
});
test('settings beside each other and repeated runs have tables once they are measured, and no places before', () => {
  const knobs = (rankWay) => ({ nBits: 4, rankWay });
  const runs = (times) =>
    times.map((time, i) => [`X1/${i === 0 ? '' : `repeat_${i + 1}_`}hw4.json`, record({ rows: [row('radix_v2', 220480, time)] })]);
  const report = reportOf({
    'X1/variant_rank_way.json': record({ rows: [1, 2].map((way) => row('radix_v2', 220480, way, { knobs: knobs(way), noise: 0.02 })) }),
    ...Object.fromEntries(runs([1, 1.3, 1.1])),
  });
  const table = (id) => tablesOf(report, report.devices[0]).find((one) => one.id === id);
  assert.deepEqual(
    table('variants').rows.map((cells) => cells.slice(1, 6)),
    [1, 2].map((way) => [`nBits 4, rankWay ${way}`, '220,480', 'pairs', `${way}.00`, '\u00b12.0%']),
  );
  assert.deepEqual(table('repeats').rows[0].slice(4), ['1.00', '1.30', '1.10', '30%']);
  assert.match(buildPage(report), /Three runs, X1/);
  assert.doesNotMatch(buildPage(reportOf({ 'X1/hw4.json': record() })), /Three runs, X1/);
});
test("the course's glossary: its terms are the page's, and the text links to them", () => {
  const terms = glossaryOf('# Glossary\n\n**exclusive scan** `out[0] = 0`\nand *so* on.\n\n**SM** a part.\n');
  assert.deepEqual(
    [...terms],
    [
      ['exclusive scan', '<code>out[0] = 0</code> and <em>so</em> on.'],
      ['SM', 'a part.'],
    ],
  );
  assert.equal(linkTerms('<em>scan</em> <em>other</em>', terms), '<a class="term" href="#term-exclusive-scan">scan</a> <em>other</em>');
});
test('the page is smaller than 1.3 MB and loads nothing', () => {
  const page = buildPage(loadReport());
  assert.ok(Buffer.byteLength(page) < 1.3e6);
  assert.doesNotMatch(page, /(src|href)="(?!#|data:|\.\.\/labs\/)[^"]*"|@import|url\(/);
});
test('questions.md: the page answers each question where it says', () => {
  const page = fs.readFileSync(path.join(ROOT, 'report/index.html'), 'utf8');
  const plain = (html) =>
    html
      .replace(/<[^>]*>/g, '')
      .replace(/&#39;/g, "'")
      .replace(/&quot;/g, '"')
      .replace(/&amp;/g, '&')
      .replace(/\s+/g, ' ');
  const sections = Object.fromEntries(
    page
      .split('<h2 id="')
      .map((part, i) => (i === 0 ? ['opening', part] : [part.split('"')[0], part]))
      .map(([id, part]) => [id, plain(part)]),
  );
  const text = fs.readFileSync(path.join(ROOT, 'tests/report/questions.md'), 'utf8');
  const asked = text
    .split(/^## /m)
    .slice(1)
    .map((part) => [part.split('\n')[0], [...part.matchAll(/^\d\. .*?\n   > (.*(?:\n   > .*)*)/gm)]]);
  assert.deepEqual(
    asked.map(([id]) => id),
    Object.keys(sections),
  );
  for (const [id, answers] of asked) {
    assert.equal(answers.length, 3, `three questions about ${id}`);
    for (const [, quote] of answers) {
      const wanted = quote.replace(/\n   > /g, ' ');
      assert.ok(sections[id].includes(wanted), `${id} does not say: ${wanted}`);
    }
  }
});
test('without any record there is no page, but a sentence', () => {
  assert.throws(() => buildPage({ published: {}, devices: [] }), /make reproduce makes some/);
});
test('the same input gives the same bytes; another input, others', () => {
  const page = buildPage(loadReport());
  assert.equal(buildPage(loadReport()), page);
  const changed = loadReport();
  changed.devices[0].records[Object.keys(changed.devices[0].records)[0]].rows[0].median_ms *= 2;
  assert.notEqual(buildPage(changed), page);
});
test('report/index.html is what a fresh build gives (else: make report)', () => {
  const committed = fs.readFileSync(path.join(ROOT, 'report/index.html'), 'utf8');
  assert.ok(committed === buildPage(loadReport()), 'report/index.html is out of date: run make report and commit it');
});
