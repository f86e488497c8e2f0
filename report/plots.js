#!/usr/bin/env node
// The pictures of README.md and the handouts, report/svg/*.svg: charts of the page, drawn by the page's code
// on a canvas that records SVG. They show the first device with a GPU. make report runs it.
//   node report/plots.js [FOLDER]
import { createCanvas, SvgExportFlag } from '@napi-rs/canvas';
import Chart from 'chart.js/auto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadReport } from './build.js';
import { heightOf, pictureOf } from './page/js/charts.js';
import { figuresOf } from './page/js/page.js';
import { isGpu, label } from './page/js/records.js';
import { replaceFile } from '../scripts/replace_file.js';

const WIDTH = 860;
// Widths are measured with DejaVu Sans; Verdana has the same.
const FONT = 'DejaVu Sans';
const FONTS = `'DejaVu Sans', Verdana, sans-serif`;

function svgOf(figure, title) {
  const canvas = createCanvas(WIDTH, heightOf(figure, false), SvgExportFlag.NoPrettyXML);
  new Chart(canvas, pictureOf(figure, title)).destroy();
  const svg = canvas.getContent().toString().replaceAll(`font-family="${FONT}"`, `font-family="${FONTS}"`);
  // A hundredth of a pixel is enough, and a tag a line makes differences readable.
  const rounded = (attribute) => attribute.replace(/\d+\.\d{3,}/g, (x) => String(Number(Number(x).toFixed(2))));
  return `${svg.replace(/="[^"]*"/g, rounded).replaceAll('><', '>\n<')}\n`;
}

function draw(folder) {
  const report = loadReport();
  const device = report.devices.find(isGpu);
  if (!device) throw new Error('no record of a GPU, so no pictures');
  const titles = {
    worklog: ['worklog', `Speed in per cent of Thrust's on the same device`],
    hw4: ['hw4-stages', `Shares of the stages, 220,480 pairs, ${label(device)}`],
    scaling: ['scaling-keys', `Bare keys, uniform, ${label(device)}`],
  };
  const figures = figuresOf(report, device);
  fs.mkdirSync(folder, { recursive: true });
  Chart.defaults.font.family = FONT;
  for (const [name, [id, title]] of Object.entries(titles)) {
    const figure = figures.find((one) => one.id === id);
    replaceFile(path.join(folder, `${name}.svg`), svgOf(figure, title));
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
