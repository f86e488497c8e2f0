#!/usr/bin/env node
// The pictures of README.md and the handouts, report/svg/*.svg: charts of the page, as files. They show the first
// device with a GPU. make report runs it.
//   node report/plots.js [FOLDER]
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadReport } from './build.js';
import { chartSvg } from './lib/charts.js';
import { figuresOf } from './page/js/page.js';
import { isGpu, label } from './page/js/records.js';
import { replaceFile } from '../scripts/replace_file.js';

const WIDTH = 860;

// The light colours and the rules for drawings from the page's style sheet, without variables.
function style() {
  const css = fs.readFileSync(new URL('page/style.css', import.meta.url), 'utf8');
  const colors = Object.fromEntries([...css.split('@media')[0].matchAll(/(--\w+): (#\w+);/g)].map(([, name, value]) => [name, value]));
  const rules = css.match(/^(svg|use|path|rect|\.k\d|\.h[fl]\b|\.grey)[^{]*\{.*\}$/gm).filter((rule) => !/display|traffic|defs/.test(rule));
  return `${rules.join('\n')}\n.title { font-size: 16px; }`.replace(/var\((--\w+)\)/g, (_, name) => colors[name]);
}

function draw(folder) {
  const report = loadReport();
  const device = report.devices.find(isGpu);
  if (!device) throw new Error('no record of a GPU, so no pictures');
  const titles = {
    worklog: ['worklog', `Speed in per cent of Thrust's on the same device`],
    hw4: ['hw4-stages', `Shares of the stages, 220,480 pairs, ${label(device)}`],
    scaling: ['scaling-keys', `Bare keys, uniform, ${label(device)}`],
    multi: ['multi-scaling', 'Several GPUs: throughput of all together'],
  };
  const figures = figuresOf(report, device);
  fs.mkdirSync(folder, { recursive: true });
  for (const [name, [id, title]] of Object.entries(titles)) {
    const figure = figures.find((one) => one.id === id);
    // A tag a line makes differences readable.
    const svg = chartSvg(figure, { width: WIDTH, alone: style(), title }).replaceAll('><', '>\n<');
    replaceFile(path.join(folder, `${name}.svg`), `${svg}\n`);
  }
  return Object.keys(titles).map((name) => `${name}.svg`);
}

const folder = process.argv[2] ?? fileURLToPath(new URL('svg', import.meta.url));
try {
  console.error(`plots: in ${path.relative('.', folder)}: ${draw(folder).join(', ')}`);
} catch (error) {
  console.error(`plots: in ${path.relative('.', folder)}: ${error.message}`);
  process.exit(2);
}
