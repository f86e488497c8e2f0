#!/usr/bin/env node
// Builds report/index.html, the article, and report/data.html from published/*.csv, results/, page/ and the code that the
// article cites. Each is one file that needs nothing else.
//   node report/build.js [FOLDER]        (make report; make report_setup installs the packages)
// The same input gives the same bytes: neither the time nor the machine enters the pages.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { glossaryHtml, glossaryOf, linkTerms } from './lib/glossary.js';
import { fillCode } from './lib/code.js';
import { introduction } from './lib/handout.js';
import { readCounted, readCsvs, readDevices, readMulti } from './lib/inputs.js';
import { fillPlaces, fillValues } from './lib/render.js';
import { fillLinks } from './lib/links.js';
import { markDefinitions } from './lib/marks.js';
import { stepperHtml } from './lib/one_pass.js';
import { trafficSvg } from './lib/traffic.js';
import { contradictions, gaps, missingNumbers } from './page/js/claims.js';
import { figuresOf, tablesOf } from './page/js/page.js';
import { isGpu, label, radixPath } from './page/js/records.js';
import { escapeHtml } from './lib/svg.js';
import { replaceFile } from '../scripts/replace_file.js';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const ROOT = path.join(HERE, '..');
const read = (...names) => fs.readFileSync(path.join(HERE, ...names), 'utf8');
const source = (file) => fs.readFileSync(path.join(ROOT, file), 'utf8');
const ARTICLE = 'article.html';
const TITLE = 'From {{story.first}} to {{story.last}}: sorting 100 million pairs on one GPU';
const plainText = (html) => html.replace(/<[^>]*>/g, '');

export function loadReport(folder = HERE) {
  return {
    published: readCsvs(path.join(folder, 'published')),
    devices: readDevices(path.join(folder, 'results')),
    counted: readCounted(path.join(folder, 'results')),
    multi: readMulti(path.join(folder, '../multi/results')),
  };
}

// <!-- further steps -->: a step of the article for each measured radix version that the text does not describe,
// from the version's handout. A version whose folder is gone has none.
export function addSteps(html, report, root = ROOT) {
  const measured = radixPath(...report.devices.flatMap((device) => Object.values(device.records)));
  const steps = measured
    .filter((version) => !html.includes(`id="${version}"`) && fs.existsSync(path.join(root, version)))
    .map((version) => {
      const { title, idea } = introduction(fs.readFileSync(path.join(root, version, 'README.md'), 'utf8'), `${version}/README.md`);
      return `<li id="${version}"><div><h3>${title}</h3>\n<p>${idea}</p>\n<dl><dt>Measured</dt><dd>[[{{story.${version}}}]]</dd></dl>\n<!-- links ${version} --></div></li>\n`;
    });
  return html.replace('<!-- further steps -->\n', () => steps.join(''));
}

// <!-- traffic VERSION -->: the bytes that the version moves per pair, to scale.
const fillTraffic = (html) => html.replace(/<!-- traffic (\w+) -->/g, (_, version) => trafficSvg(version));

// data:image of a picture beside this file.
const image = (name) =>
  `data:image/${name.endsWith('.jpg') ? 'jpeg' : 'png'};base64,${fs.readFileSync(path.join(HERE, 'images', name)).toString('base64')}`;
const fillImages = (html) => html.replace(/<!-- image (\S+) -->/g, (_, name) => image(name));

// The switch: a radio button for each device. Style sheets show the parts of the one that is chosen.
function deviceSwitch(report) {
  return report.devices
    .map(
      (device, i) =>
        `<label><input type="radio" name="device" value="${device.id}"${i === 0 ? ' checked' : ''}><span>${escapeHtml(label(device)).replace(/ \(.*\)$/, '<span class="more">$&</span>')}</span></label>`,
    )
    .join('\n');
}
const deviceStyle = (report) =>
  report.devices.map(({ id }) => `html:has(input[value="${id}"]:checked) [data-device="${id}"]`).join(',\n') +
  ' { display: revert; }\n' +
  `@supports not selector(html:has(a)) { [data-device="${report.devices[0].id}"] { display: revert; } }`;

// The line under the title: what was measured, with which driver, when.
function describe(device) {
  const records = Object.values(device.records);
  const d = records[0].device;
  const dates = records.map((one) => one.date.slice(0, 10)).sort();
  const version = (number) => `${Math.floor(number / 1000)}.${(number % 1000) / 10}`;
  const parts = [
    `${d.name}, ${d.backend} backend`,
    `driver ${d.driver}`,
    d.backend === 'cuda' ? `CUDA ${version(d.runtime_version)}` : null,
    `clocks at the start: ${d.clocks}`,
    `measured ${[...new Set([dates[0], dates.at(-1)])].join(' to ')}`,
    `commit ${[...new Set(records.map((one) => one.commit))].join(', ')}`,
  ];
  const caution = isGpu(device)
    ? ''
    : `<p class="missing caution">The cpu backend: a CPU executes the kernels, with smaller n. These times show that the code runs; they are no
measure of a GPU. Only rows of CPU code (listed under Method) are times of code for this CPU.
The numbers of its charts are in report/results/${device.id}.</p>`;
  return `<div data-device="${device.id}"><p class="source">${escapeHtml(parts.filter(Boolean).join('; '))}</p>${caution}</div>`;
}

// A number and its unit stay on one line.
const unbroken = (html) =>
  html.replace(/>[^<]+/g, (text) => text.replace(/(\d) (ms|s|GB\/s|G(?:keys|pairs)\/s|MHz|KB|microseconds)\b/g, '$1\u00a0$2'));

function contents(html) {
  return [...html.matchAll(/<h2 id="([^"]+)">(.*?)<\/h2>/g)].map(([, id, title]) => `<li><a href="#${id}">${title}</a></li>`).join('\n');
}

// A place without a figure, or a figure without a place, is a mistake in the text.
function checkPlaces(html, report) {
  const places = (attribute) => [...html.matchAll(new RegExp(`${attribute}="([^"]+)"`, 'g'))].map(([, id]) => id);
  const figures = figuresOf(report, report.devices[0]).map((figure) => figure.id);
  const missing = [
    ...figures.filter((id) => !places('data-figure').includes(id)),
    ...places('data-figure').filter((id) => !figures.includes(id)),
    ...tablesOf(report, report.devices[0])
      .map((table) => table.id)
      .filter((id) => !places('data-table').includes(id)),
  ];
  if (missing.length > 0) throw new Error(`page/text and page/js do not fit together: ${missing.join(', ')}`);
}

export const textFiles = () =>
  Object.fromEntries([
    [ARTICLE, read('page', ARTICLE)],
    ...fs
      .readdirSync(path.join(HERE, 'page/text'))
      .sort()
      .map((name) => [name, read('page/text', name)]),
  ]);

// Sentences that would be wrong or empty with these records: reasons not to build the page.
export const faults = (report, texts = textFiles()) => [...missingNumbers(report, texts), ...contradictions(report)];

// {file name: HTML}: the article, about the first device, and the data, with a switch of devices.
export function buildPages(report) {
  if (report.devices.length === 0) throw new Error('report/results has no record; make reproduce makes some');
  const texts = textFiles();
  const { [ARTICLE]: article, ...data } = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, addSteps(text, report)]));
  checkPlaces(Object.values(texts).join('\n'), report);
  const terms = glossaryOf(read('../labs/glossary.md'));
  const one = { ...report, shown: report.devices.slice(0, 1) };
  const fill = (text, which, glossary) =>
    unbroken(fillPlaces(fillImages(fillTraffic(fillValues(linkTerms(text, terms, glossary), which))), which))
      .replace('<!-- one pass -->', stepperHtml)
      .replace('<!-- glossary -->', () => glossaryHtml(terms));
  const style = read('page/style.css').trim();
  const marks = `<svg width="0" height="0" aria-hidden="true" class="defs">${markDefinitions()}</svg>`;
  const script = read('page/js/main.js').trim();
  // A function: in a replacement string $& has a meaning.
  const framed = (parts) =>
    read('page/frame.html').replace(/<!-- (\w+) -->/g, (all, name) => ({ style, marks, script, top: '', ...parts })[name] ?? all);
  const title = plainText(unbroken(`<b>${fillValues(TITLE, one)}</b>`));
  const code = (html) =>
    fillLinks(fillCode(html, source), source('SOURCES.md'), (version) => fs.existsSync(path.join(ROOT, version, 'LOG.md')));
  const sections = Object.values(data).join('\n');
  return {
    'index.html': framed({ title, description: title, main: code(fill(article, one, 'data.html')) }),
    'data.html': framed({
      title: 'GPU sorting, version by version: the data',
      description: 'Tables, charts and method behind the article',
      style: `${style}\n${deviceStyle(report)}`,
      top: `<div id="switch"><div><fieldset id="devices"><legend>Device</legend>\n${deviceSwitch(report)}\n</fieldset></div></div>`,
      main:
        `<div id="device">\n${report.devices.map(describe).join('\n')}\n</div>\n` +
        fill(sections, report, '').replace('<!-- contents -->', contents(sections)),
    }),
  };
}

function main([folder = HERE]) {
  let pages;
  try {
    const report = loadReport();
    pages = buildPages(report);
    for (const gap of gaps(report)) console.error(`build: note: ${gap}`);
    const wrong = faults(report);
    if (wrong.length > 0) throw new Error(wrong.join('\nbuild: '));
  } catch (error) {
    console.error(`build: ${error.message}`);
    process.exit(2);
  }
  for (const [name, page] of Object.entries(pages)) {
    replaceFile(path.join(folder, name), page);
    console.error(`build: ${path.relative('.', path.join(folder, name))}, ${Math.round(page.length / 1024)} KB`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
