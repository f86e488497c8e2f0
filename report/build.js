#!/usr/bin/env node
// Builds report/index.html, one file that needs nothing else, from published/*.csv, results/, page/ and the
// logs of handouts.
//   node report/build.js [OUTPUT]        (make report; make report_setup installs the packages)
// The same input gives the same bytes: neither the time nor the machine enters the page.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { introduction, logTable } from './lib/handout.js';
import { readDevices, readPublished } from './lib/inputs.js';
import { figuresOf, sentenceOf, tablesOf, valueOf } from './page/js/page.js';
import { radixPath } from './page/js/records.js';
import { replaceFile } from '../scripts/replace_file.js';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const read = (...names) => fs.readFileSync(path.join(HERE, ...names), 'utf8');

export function loadReport(folder = HERE) {
  return { published: readPublished(path.join(folder, 'published')), devices: readDevices(path.join(folder, 'results')) };
}

// {{key}}: a number inside a sentence. [[sentences]]: shown if all their numbers exist, else "not measured";
// [[?sentences]] are left out then. Filled in here for the first device, and by main.js for the chosen one.
function fillValues(html, report) {
  const [device] = report.devices;
  const keysIn = (text) => [...text.matchAll(/\{\{([^}]+)\}\}/g)].map(([, key]) => key);
  return html
    .replace(/\[\[(\??)(.*?)\]\]/gs, (_, optional, sentence) => {
      const keys = keysIn(sentence);
      if (keys.length === 0) throw new Error(`page/text: a sentence in [[ ]] without a number: ${sentence}`);
      const { missing, text } = sentenceOf(report, device, keys);
      return (
        `<span data-sentence="${keys.join(' ')}"${optional ? ' data-optional' : ''}${missing ? ' hidden' : ''}>${sentence}</span>` +
        `<em>${optional ? '' : escapeHtml(text)}</em>`
      );
    })
    .replace(/\{\{([^}]+)\}\}/g, (_, key) => `<span data-value="${key}">${escapeHtml(valueOf(report, device, key).text)}</span>`);
}

// <!-- further steps -->: a step of the worklog for each measured radix version that the text does not describe,
// from the version's handout. A version whose folder is gone has none.
export function addSteps(html, report, root = path.join(HERE, '..')) {
  const measured = radixPath(...report.devices.flatMap((device) => Object.values(device.records)));
  const steps = measured
    .filter((version) => !html.includes(`{{worklog.${version}}}`) && fs.existsSync(path.join(root, version)))
    .map((version) => {
      const { title, idea } = introduction(fs.readFileSync(path.join(root, version, 'README.md'), 'utf8'), `${version}/README.md`);
      return `<li><h3>${title}</h3>\n<p>${idea}</p>\n<dl class="step"><dt>Bought</dt><dd>[[{{worklog.${version}}}]]</dd></dl></li>\n`;
    });
  return html.replace('<!-- further steps -->\n', () => steps.join(''));
}

// The page's script with Chart.js. Tests reach the charts through the global variable `reportPage`.
const bundle = (entry) =>
  buildSync({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: 'iife',
    globalName: 'reportPage',
    write: false,
  }).outputFiles[0].text.trim();

// <!-- log VERSION -->: the log of that version's handout.
const fillLogs = (html) =>
  html.replace(/<!-- log (\w+) -->/g, (_, version) => logTable(read('..', version, 'README.md'), `${version}/README.md`));

const escapeHtml = (text) => String(text).replace(/&/g, '&amp;').replace(/</g, '&lt;');

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

export function buildPage(report) {
  if (report.devices.length === 0) throw new Error('report/results has no record; make reproduce makes some');
  const texts = fs
    .readdirSync(path.join(HERE, 'page/text'))
    .sort()
    .map((name) => read('page/text', name));
  const [opening, ...sections] = texts.map((text) => addSteps(text, report));
  const html = texts.join('\n');
  checkPlaces(html, report);
  const data = JSON.stringify(report, (key, value) => (key === 'values' ? undefined : value)).replace(/</g, '\\u003c');
  const parts = {
    style: read('page/style.css').trim(),
    opening: fillValues(opening, report),
    contents: contents(html),
    sections: fillLogs(fillValues(sections.join('\n'), report)),
    data,
    script: bundle(path.join(HERE, 'page/js/main.js')),
  };
  // A function: in a replacement string $& has a meaning.
  return read('page/frame.html').replace(/<!-- (\w+) -->/g, (all, name) => parts[name] ?? all);
}

function main([output = path.join(HERE, 'index.html')]) {
  let page;
  try {
    page = buildPage(loadReport());
  } catch (error) {
    console.error(`build: ${error.message}`);
    process.exit(2);
  }
  replaceFile(output, page);
  console.error(`build: ${path.relative('.', output)}, ${Math.round(page.length / 1024)} KB`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
