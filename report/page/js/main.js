// Fills the page: charts, tables and the numbers inside sentences, again for each chosen device.
import Chart from 'chart.js/auto';
import { configOf, heightOf } from './charts.js';
import { isGpu, label } from './records.js';
import { figuresOf, sentenceOf, tablesOf, valueOf } from './page.js';

export { Chart };

Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
const report = JSON.parse(document.getElementById('data').textContent);
const charts = new Map();
const narrow = () => window.innerWidth < 560;
const darkQuery = matchMedia('(prefers-color-scheme: dark)');
let printing = false;
const PRINTED_HEIGHT = 620;
const dark = () => !printing && darkQuery.matches;

function element(tag, text, attributes = {}) {
  const made = document.createElement(tag);
  if (text != null) made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function tableElement({ columns, rows }) {
  const table = element('table');
  const head = element('tr');
  for (const column of columns) head.append(element('th', column, { scope: 'col' }));
  table.append(element('thead'), element('tbody'));
  table.tHead.append(head);
  for (const row of rows) {
    const line = element('tr');
    row.forEach((cell, i) => line.append(i === 0 ? element('th', cell, { scope: 'row' }) : element('td', cell ?? '\u2013')));
    table.tBodies[0].append(line);
  }
  const frame = element('div', null, { class: 'scroll', tabindex: '0' });
  frame.append(table);
  return frame;
}

// The numbers of the chart, where the figure has no table of its own.
function tablesOfFigure(figure) {
  if (figure.tables) return figure.tables;
  return [
    {
      columns: ['', ...figure.series.map((series) => series.name)],
      rows: figure.categories.map((category, i) => [
        category,
        ...figure.series.map((series) => {
          const value = series.values[i];
          return value == null ? null : figure.format(value);
        }),
      ]),
    },
  ];
}

function drawFigure(figure) {
  const place = document.querySelector(`figure[data-figure="${figure.id}"]`);
  charts.get(figure.id)?.chart.destroy();
  charts.delete(figure.id);
  const open = place.querySelector('details')?.open;
  const box = element('div', null, { class: 'chart', style: `height:${heightOf(figure, narrow())}px` });
  const canvas = element('canvas', null, { role: 'img', 'aria-label': `${figure.title}; the table below has the numbers` });
  box.append(canvas);
  const caption = element('figcaption', figure.title);
  const parts = [caption];
  const drawn = figure.series.length > 0;
  if (figure.missing)
    parts.push(element('p', `Not measured on this device${drawn ? '; the published figures alone' : ''}.`, { class: 'missing' }));
  if (drawn) parts.push(box);
  const details = element('details');
  details.append(element('summary', 'The numbers'));
  for (const table of tablesOfFigure(figure)) {
    if (table.rows.length > 0) details.append(tableElement(table));
    if (table.note) details.append(element('p', table.note, { class: 'note' }));
  }
  details.open = Boolean(open);
  if (details.querySelector('table')) parts.push(details);
  if (figure.note) parts.push(element('p', figure.note, { class: 'note' }));
  for (const source of figure.sources.filter(Boolean)) parts.push(element('p', source, { class: 'source' }));
  place.replaceChildren(...parts);
  if (drawn) charts.set(figure.id, { figure, chart: new Chart(canvas, configOf(figure, { dark: dark(), narrow: narrow() })) });
}

function drawTable(table) {
  const place = document.querySelector(`[data-table="${table.id}"]`);
  if (place)
    place.replaceChildren(
      element('p', table.caption, { class: 'caption' }),
      tableElement(table),
      ...(table.note ? [element('p', table.note, { class: 'note' })] : []),
    );
}

function describe(device) {
  const record = Object.values(device.records)[0];
  const { device: d } = record;
  const dates = Object.values(device.records)
    .map((one) => one.date.slice(0, 10))
    .sort();
  const commits = [...new Set(Object.values(device.records).map((one) => one.commit))];
  const version = (number) => `${Math.floor(number / 1000)}.${(number % 1000) / 10}`;
  return [
    `${d.name}, ${d.backend} backend`,
    `driver ${d.driver}`,
    d.backend === 'cuda' ? `CUDA ${version(d.runtime_version)}` : null,
    `clocks at the start: ${d.clocks}`,
    `measured ${[...new Set([dates[0], dates.at(-1)])].join(' to ')}`,
    `commit ${commits.join(', ')}`,
  ]
    .filter(Boolean)
    .join('; ');
}

function choose(id) {
  const device = report.devices.find((one) => one.id === id);
  for (const button of document.querySelectorAll('#devices input')) button.checked = button.value === id;
  document.getElementById('device').textContent = describe(device);
  document.getElementById('caution').hidden = isGpu(device);
  for (const span of document.querySelectorAll('[data-value]')) span.textContent = valueOf(report, device, span.dataset.value).text;
  for (const span of document.querySelectorAll('[data-sentence]')) {
    const { text, missing } = sentenceOf(report, device, span.dataset.sentence.split(' '));
    span.hidden = missing;
    span.nextElementSibling.textContent = missing && !('optional' in span.dataset) ? text : '';
  }
  const figures = figuresOf(report, device);
  for (const figure of figures) drawFigure(figure);
  for (const table of tablesOf(report, device)) drawTable(table);
  // A device without these profiles has one table less than another.
  for (const place of document.querySelectorAll('[data-table]')) {
    if (!tablesOf(report, device).some((table) => table.id === place.dataset.table)) place.replaceChildren();
  }
}

function recolor() {
  for (const { figure, chart } of charts.values()) {
    const config = configOf(figure, { dark: dark(), narrow: narrow() });
    chart.data = config.data;
    chart.options = config.options;
    chart.update('none');
  }
}

// Paper: light colours, all tables open, charts as wide as the page and low enough to share it with the
// text before them.
function setPrinting(on) {
  if (printing === on) return;
  printing = on;
  for (const details of document.querySelectorAll('details')) {
    if (on) {
      details.dataset.open = details.open;
      details.open = true;
    } else details.open = details.dataset.open === 'true';
  }
  recolor();
  for (const { figure, chart } of charts.values()) {
    chart.canvas.parentNode.style.height = `${Math.min(heightOf(figure, narrow()), on ? PRINTED_HEIGHT : Infinity)}px`;
    chart.resize();
  }
}

for (const device of report.devices) {
  const button = element('input', null, { type: 'radio', name: 'device', value: device.id });
  const line = element('label');
  line.append(button, element('span', label(device)));
  button.addEventListener('change', () => choose(device.id));
  document.getElementById('devices').append(line);
}
darkQuery.addEventListener('change', recolor);
addEventListener('beforeprint', () => setPrinting(true));
addEventListener('afterprint', () => setPrinting(false));
matchMedia('print').addEventListener('change', (event) => setPrinting(event.matches));
choose(report.devices[0].id);
