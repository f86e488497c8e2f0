#!/usr/bin/env node
// The pictures of README.md and the handouts, report/svg/*.svg, drawn by gnuplot from the same figures as
// the page: those of the first device with a GPU. make report runs it where gnuplot is installed.
//   node report/plots.js [FOLDER]
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadReport } from './build.js';
import { colorOf, roundOf } from './page/js/colors.js';
import { figuresOf } from './page/js/page.js';
import { isGpu, label } from './page/js/records.js';

const HERE = path.dirname(fileURLToPath(import.meta.url));

// A light paper of its own: GitHub shows pictures on white or on black.
const head = (file, width, height) => `
set terminal svg size ${width},${height} dynamic enhanced background rgb '#ffffff' font 'Helvetica,Arial,sans-serif,14' name 'plot'
set output '${file}'
set border lc rgb '#555555'
set grid lc rgb '#dddddd' lw 1
set tics textcolor rgb '#222222'
`;
// In gnuplot's text _ and ^ lower and raise what follows.
const quoted = (text) => `'${text.replace(/'/g, "''").replace(/[_^]/g, '\\$&')}'`;

// gnuplot reads blocks of lines: $name << EOD ... EOD
const block = (name, rows) => `$${name} << EOD\n${rows.map((row) => row.join(' ')).join('\n')}\nEOD\n`;

// The bars of a figure as boxes {from, to, low, high}, a list for each series: side by side within a
// category, from the top down, or one behind the other.
function boxes(figure, start) {
  const groups = figure.categories.length;
  const ends = new Array(groups).fill(0);
  const thick = figure.stacked ? 0.7 : 0.8 / figure.series.length;
  return figure.series.map((one, s) =>
    one.values
      .map((value, i) => {
        const top = groups - i - (figure.stacked ? 0.15 : 0.1 + s * thick);
        const from = figure.stacked ? ends[i] : start;
        if (figure.stacked) ends[i] += value ?? 0;
        return { value, from, to: figure.stacked ? ends[i] : value, low: top - 0.92 * thick, high: top };
      })
      .filter(({ value }) => value !== null),
  );
}

function bars(figure, file, { title, xrange, mark }) {
  const groups = figure.categories.length;
  const series = boxes(figure, xrange[0]);
  const tics = figure.categories.map((name, i) => `${quoted(name)} ${groups - i - 0.5}`).join(', ');
  // Each bar with its value, where there is room for it: not within a stack.
  const texts = figure.stacked
    ? []
    : series.flatMap((list) =>
        list.map(
          ({ value, to, low, high }) =>
            `set label ${quoted(figure.format(value))} at ${to},${(low + high) / 2} offset 0.6,0 left font ',11' textcolor rgb '#222222'`,
        ),
      );
  const style = ({ color }) =>
    /^published/.test(color)
      ? `fs empty border rgb '${colorOf(color, false)}' lc rgb '${colorOf(color, false)}'`
      : `fs solid noborder lc rgb '${colorOf(color, false)}'`;
  const height = 130 + 20 * series.length + groups * (12 + 14 * (figure.stacked ? 1 : series.length));
  return (
    head(file, 860, height) +
    series
      .map((list, s) =>
        block(
          `s${s}`,
          list.map(({ from, to, low, high }) => [from, from, to, low, high]),
        ),
      )
      .join('') +
    `
set title ${quoted(title)}
${figure.x.log ? 'set logscale x' : ''}
set xrange [${xrange.join(':')}]
set yrange [-0.2:${groups + 0.2}]
set ytics (${tics}) scale 0
set grid x noy
set xlabel ${quoted(figure.x.label)}
set key below left Left reverse samplen 1.5 height 1
${mark ? `set arrow from ${mark.value},-0.2 to ${mark.value},${groups + 0.2} nohead dt 2 lw 1.5 lc rgb '#222222'` : ''}
${texts.join('\n')}
plot ${series.map((_, s) => `$s${s} using 1:4:2:3:4:5 with boxxyerror ${style(figure.series[s])} title ${quoted(figure.series[s].name)}`).join(', ')}
`
  );
}

// Lines through points on two logarithmic axes.
function lines(figure, file, { title }) {
  const list = figure.series;
  const style = (one) =>
    one.roof
      ? `with lines dt 3 lw 2 lc rgb '#555555'`
      : `with linespoints dt ${1 + roundOf(one.color)} lw ${one.strong ? 3 : 1.5} pt 7 ps ${one.strong ? 0.6 : 0.4} lc rgb '${colorOf(one.color, false)}'`;
  return (
    head(file, 860, 620) +
    list
      .map((one, s) =>
        block(
          `s${s}`,
          one.points.map(({ x, y }) => [x, y]),
        ),
      )
      .join('') +
    `
set title ${quoted(title)}
set logscale xy
set format x '10^{%T}'
set format y '%g'
set xlabel ${quoted(figure.x.label)}
set ylabel ${quoted(figure.y.label)}
set key below left Left reverse samplen 2 height 1
plot ${list.map((one, s) => `$s${s} using 1:2 ${style(one)} title ${quoted(one.name)}`).join(', ')}
`
  );
}

function main([folderOut = path.join(HERE, 'svg')]) {
  const report = loadReport();
  const device = report.devices.find(isGpu);
  if (!device) throw new Error('no record of a GPU, so no pictures');
  const figure = (id) => figuresOf(report, device).find((one) => one.id === id);
  const scripts = {
    worklog: (file) =>
      bars(figure('worklog'), file, {
        title: `Speed in per cent of Thrust's on the same device (dashed: 100%)`,
        xrange: [0.1, 2000],
        mark: { value: 100 },
      }),
    hw4: (file) => bars(figure('hw4-stages'), file, { title: `Shares of the stages, 220,480 pairs, ${label(device)}`, xrange: [0, 100] }),
    scaling: (file) => lines(figure('scaling-keys'), file, { title: `Bare keys, uniform, ${label(device)}` }),
  };
  fs.mkdirSync(folderOut, { recursive: true });
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'plots-'));
  for (const [name, script] of Object.entries(scripts)) {
    const drawn = path.join(folder, `${name}.svg`);
    execFileSync('gnuplot', ['-'], { input: script(drawn), stdio: ['pipe', 'inherit', 'inherit'] });
    fs.copyFileSync(drawn, path.join(folderOut, `${name}.svg`));
  }
  fs.rmSync(folder, { recursive: true });
  console.error(
    `plots: in ${path.relative('.', folderOut)}: ${Object.keys(scripts)
      .map((name) => `${name}.svg`)
      .join(', ')}`,
  );
}

try {
  main(process.argv.slice(2));
} catch (error) {
  console.error(`plots: in ${path.relative('.', folderOut)}: ${error.message}`);
  process.exit(2);
}
