// The article: its code is that of the files, its links lead somewhere, its figures are of the processes that have records,
// its length stays an article's.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { buildPages, loadReport } from '../../report/build.js';
import { cut } from '../../report/lib/code.js';
import { paper } from '../../report/lib/links.js';
import { KEYS, onePass, stepper } from '../../report/lib/one_pass.js';
import { valueOf } from '../../report/page/js/page.js';
import { ROOT, plain } from './browser.mjs';
import { record, reportOf, row } from './records.mjs';

const pages = buildPages(loadReport());
const article = pages['index.html'];
const read = (file) => fs.readFileSync(path.join(ROOT, file), 'utf8');
const steps = article
  .split('<li id="')
  .slice(1)
  .map((part) => ({ version: part.split('"')[0], html: part.split('</li>')[0] }));

test('all code stands in its file, line for line', () => {
  const found = [...article.matchAll(/<code data-file="([^"]+)">(.*?)<\/code><\/pre>/gs)];
  assert.ok(found.length >= 14);
  const trimmed = (code) =>
    code
      .split('\n')
      .map((line) => line.trim())
      .join('\n');
  for (const [, file, html] of found) assert.ok(trimmed(read(file)).includes(trimmed(plain(html))), `${file}:\n${plain(html)}`);
});
test('code is cut by function and by lines; what is gone is named', () => {
  const file =
    '// f(1): a comment\nint f(int a);\n\n// Says why.\nstatic int\n    f(int a) {\n  int b = a;\n#pragma x\n  if (b)\n    b++;\n  return f(b);\n}\n';
  assert.deepEqual(cut(file, 'f', 'x.c').slice(0, 3), ['static int', '    f(int a) {', '  int b = a;']);
  assert.deepEqual(cut(file, 'f', 'x.c', '#pragma', 'b++'), ['#pragma x', 'if (b)', '  b++;']);
  assert.throws(() => cut(file, 'g', 'x.c'), /x\.c has no function g, which the page shows/);
  assert.throws(() => cut(file, 'f', 'x.c', 'int b', 'b--'), /x\.c: f has no line that begins with "b--"/);
});
test('each step has code, a drawing of its bytes, what was expected and measured, its folder and its handout', () => {
  assert.ok(steps.length >= 13);
  for (const { version, html } of steps) {
    for (const part of [
      '<code data-file="',
      '<svg class="traffic"',
      '<dt>Measured</dt>',
      `href="../${version}/"`,
      `href="../${version}/README.md"`,
    ])
      assert.ok(html.includes(part), `${version}: ${part}`);
    if (version !== 'seq') assert.match(html, /<dt>Expected/, version);
  }
});
test('no link is dead: headings, pages, files of the repository, papers of SOURCES.md', () => {
  const tracked = new Set(execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).split('\n'));
  const folders = new Set([...tracked].flatMap((file) => file.split('/').map((_, i, parts) => parts.slice(0, i).join('/'))));
  const sources = read('SOURCES.md');
  const headings = (markdown) => [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, name]) => name.toLowerCase().replace(/ /g, '-'));
  for (const [name, page] of Object.entries(pages)) {
    const links = [...page.matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, href]) => href);
    assert.ok(links.length > 20, name);
    for (const href of links) {
      if (/^https:/.test(href)) {
        assert.ok(sources.includes(`(${href})`), href);
        continue;
      }
      const [file, place] = href.split('#');
      const target = file === '' ? name : file;
      if (pages[target]) assert.ok(!place || pages[target].includes(` id="${place}"`), `${name}: ${href}`);
      else {
        const where = path.posix.join('report', target).replace(/\/$/, '');
        assert.ok(tracked.has(where) || folders.has(where), `${name}: ${href}`);
        if (place) assert.ok(headings(read(where)).includes(place), `${name}: ${href}`);
      }
    }
  }
});
test('pages load nothing; the article has at most 4,000 words and 200 KB, the data 1.3 MB', () => {
  for (const page of Object.values(pages)) assert.doesNotMatch(page, /src="(?!data:)|<link(?! rel="icon" href="data:)|@import|url\((?!#)/);
  const visible = plain(article.split('<body>')[1].replace(/<(svg|script)\b.*?<\/\1>/gs, ' ')).split(/\s+/);
  assert.ok(visible.length < 4000, `${visible.length} words`);
  assert.ok(Buffer.byteLength(article) < 2e5 && Buffer.byteLength(pages['data.html']) < 1.3e6);
});
test('papers: names and year, with a link where SOURCES.md has one', () => {
  const sources = '| A. Bee, C. Dee, "Sort 1999", J 12, 2001 | [10.1/2](https://doi.org/10.1/2) | x |\n| E. Eff, *Book*, 1998 | | y |\n';
  assert.match(paper(sources, 'Sort 1999'), /^<a href="https:\/\/doi\.org\/10\.1\/2" title="[^"]*">Bee, Dee 2001<\/a>$/);
  assert.match(paper(sources, 'Book'), /^<span title="[^"]*">Eff 1998<\/span>$/);
  assert.throws(() => paper(sources, '|'), /SOURCES\.md has 2 rows with/);
});
test('the stepper: a sentence for each step, with the places of the pass', () => {
  const { captions } = stepper();
  const { place, output } = onePass(KEYS);
  assert.equal(captions.length, 3 + KEYS.length);
  place.forEach((to, i) => assert.match(captions[3 + i], new RegExp(`key ${KEYS[i]} has .* = ${to}\\.`)));
  assert.deepEqual(
    output,
    [...KEYS].sort((a, b) => (a & 3) - (b & 3)),
  );
});
test('the headline: the median of all processes with a record, and their range', () => {
  const process_ = (ours, cub) =>
    record({ rows: [row('radix_v9', 1e8, ours), row('cub_ref', 1e8, cub), row('radix_v1', 1e8, 1000, { repetitions: 1 })] });
  const value = (report, key) => valueOf(report, report.devices[0], key).text;
  const one = reportOf({ 'X1/worklog.json': process_(2, 3) });
  assert.deepEqual([value(one, 'story.cub'), value(one, 'story.cub_from')], ['1.50 times', 'one process']);
  const three = reportOf({
    'X1/worklog.json': process_(2, 3),
    'X1/repeat_2_worklog.json': process_(2, 4),
    'X1/repeat_3_worklog.json': process_(2, 10),
  });
  assert.deepEqual([value(three, 'story.cub'), value(three, 'story.cub_from')], ['2.00 times', '1.50 to 5.00 in 3 processes']);
  assert.equal(value(one, 'story.radix_v1'), '100M pairs in 1,000 ms (a single run): CUB is 333 times as fast.');
  assert.equal(value(one, 'story.radix_v9'), '100M pairs in 2.00 ms: 500 times as fast as radix_v1; 1.50 times as fast as CUB.');
});
