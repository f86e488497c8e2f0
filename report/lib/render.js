// HTML of figures, tables and numbers: once for each device, shown by the switch at the top (page/style.css), so that
// the page needs no script for it.
import { figuresOf, sentenceOf, tablesOf, valueOf } from '../page/js/page.js';
import { isGpu } from '../page/js/records.js';
import { chartSvg } from './charts.js';
import { escapeHtml } from './svg.js';

// Below this width the page shows the second drawing of a chart.
export const WIDE = 840;
export const NARROW = 360;

// HTML that is the same for all devices stands once; otherwise each device has a part, of which one is shown.
// `shown`: the devices of the page, if not all.
export function perDevice(report, tag, make) {
  const devices = report.shown ?? report.devices;
  const parts = devices.map((device) => make(device));
  if (parts.every((part) => part === parts[0])) return parts[0];
  return devices.map((device, i) => (parts[i] ? `<${tag} data-device="${device.id}">${parts[i]}</${tag}>` : '')).join('');
}

// Long texts may wrap, numbers and names may not.
const wraps = (content) => typeof content === 'string' && content.length > 24;
const cell = (content) => (content == null ? '\u2013' : (content.html ?? escapeHtml(content)));

// A line may break after an underscore of a column's name, nowhere else inside a word.
const headCell = (column) => escapeHtml(column).replace(/_/g, '_<wbr>');

// More columns than fit on paper: several tables, each with the first column. `name` becomes the name of the
// scrolling region.
const MOST_COLUMNS = 13;
export function tableHtml(table, name) {
  const { columns, rows, groups } = table;
  if (columns.length <= MOST_COLUMNS || groups) return onePart(table, name);
  const parts = Math.ceil((columns.length - 1) / (MOST_COLUMNS - 1));
  const each = Math.ceil((columns.length - 1) / parts);
  return Array.from({ length: parts }, (_, i) => {
    const cut = (list) => [list[0], ...list.slice(1 + i * each, 1 + (i + 1) * each)];
    return onePart({ columns: cut(columns), rows: rows.map(cut) }, `${name}, part ${i + 1}`);
  }).join('');
}

function onePart({ columns, rows, groups }, name) {
  // A gap before the first column of each group.
  const starts = (groups ?? []).reduce((list, [, span]) => [...list, list.at(-1) + span], [0]);
  const gap = (i) => (groups && i > 0 && starts.includes(i) ? ['gap'] : []);
  const classOf = (names) => (names.length > 0 ? ` class="${names.join(' ')}"` : '');
  const head = groups
    ? `<tr>${groups.map(([text, span]) => `<th scope="colgroup" colspan="${span}">${escapeHtml(text)}</th>`).join('')}</tr>`
    : '';
  return (
    `<div class="scroll" tabindex="0" role="region" aria-label="${escapeHtml(name)}"><table><thead>${head}<tr>` +
    `${columns.map((column, i) => `<th scope="col"${classOf(gap(i))}>${headCell(column)}</th>`).join('')}</tr></thead><tbody>\n` +
    rows
      .map(
        (row) =>
          `<tr>${row.map((one, i) => (i === 0 ? `<th scope="row">${cell(one)}</th>` : `<td${classOf([...(wraps(one) ? ['wrap'] : []), ...gap(i)])}>${cell(one)}</td>`)).join('')}</tr>`,
      )
      .join('\n') +
    '\n</tbody></table></div>'
  );
}

// The numbers of a chart that has no table.
export function tablesOfFigure(figure) {
  if (figure.tables) return figure.tables;
  return [
    {
      columns: ['', ...figure.series.map((series) => series.name)],
      rows: figure.categories.map((category, i) => [
        category,
        ...figure.series.map((series) => (series.values[i] == null ? null : figure.format(series.values[i]))),
      ]),
    },
  ];
}

function figureHtml(figure, device) {
  const parts = [`<div class="drawn"><figcaption>${escapeHtml(figure.title)}</figcaption>`];
  const drawn = figure.panels ? figure.panels.length > 0 : figure.series.length > 0;
  if (figure.missing) parts.push(`<p class="missing">Not measured on this device${drawn ? '; the published figures alone' : ''}.</p>`);
  if (drawn) {
    // The cpu backend's times are no result to be read on a phone; its wide drawing scrolls there.
    const scrolls = isGpu(device) ? '' : ` tabindex="0" role="region" aria-label="${escapeHtml(figure.title)}"`;
    parts.push(`<div class="chart wide"${scrolls}>${chartSvg(figure, { width: figure.width ?? WIDE, plain: !isGpu(device) })}</div>`);
    if (isGpu(device)) parts.push(`<div class="chart narrow">${chartSvg(figure, { width: NARROW, narrow: true })}</div>`);
  }
  parts.push('</div>');
  // The cpu backend's times are no result; its numbers are in its records only.
  const tables = (isGpu(device) && !figure.elsewhere && (figure.tables || drawn) ? tablesOfFigure(figure) : [])
    .map(
      (table) =>
        (table.rows.length > 0 ? tableHtml(table, figure.title) : '') + (table.note ? `<p class="note">${escapeHtml(table.note)}</p>` : ''),
    )
    .join('');
  if (tables.includes('<table')) parts.push(`<details><summary>The numbers</summary>${tables}</details>`);
  if (figure.elsewhere) parts.push(`<p class="source"><a href="${figure.elsewhere}">The numbers</a></p>`);
  if (figure.note) parts.push(`<p class="note">${escapeHtml(figure.note)}</p>`);
  for (const source of figure.sources.filter(Boolean)) parts.push(`<p class="source">${escapeHtml(source)}</p>`);
  return parts.join('\n');
}

const standing = (table) =>
  `${table.caption ? `<p class="caption">${escapeHtml(table.caption)}</p>` : ''}${tableHtml(table, table.caption ?? table.name)}` +
  `${table.note ? `<p class="note">${escapeHtml(table.note)}</p>` : ''}`;

// <figure data-figure="ID"></figure> and <div data-table="ID"></div> get their content.
export function fillPlaces(html, report) {
  const figures = new Map(report.devices.map((device) => [device, figuresOf(report, device)]));
  const tables = new Map(report.devices.map((device) => [device, tablesOf(report, device)]));
  const find = (all, id) => all.find((one) => one.id === id);
  return html
    .replace(/<figure data-figure="([^"]+)"><\/figure>/g, (_, id) => {
      const content = perDevice(report, 'div', (device) => figureHtml(find(figures.get(device), id), device));
      return `<figure id="${id}" data-figure="${id}">${content}</figure>`;
    })
    .replace(/<div data-table="([^"]+)"><\/div>/g, (_, id) => {
      const one = (device) => find(tables.get(device), id);
      return `<div data-table="${id}">${perDevice(report, 'div', (device) => (one(device) ? standing(one(device)) : ''))}</div>`;
    });
}

// {{key}}: a number inside a sentence. [[sentence]]: shown if all its numbers exist, else "not measured"; a
// [[?sentence]] is left out then.
export function fillValues(html, report) {
  const keysIn = (text) => [...text.matchAll(/\{\{([^}]+)\}\}/g)].map(([, key]) => key);
  const filled = (text, device) => text.replace(/\{\{([^}]+)\}\}/g, (_, key) => escapeHtml(valueOf(report, device, key).text));
  return html
    .replace(/\[\[(\??)(.*?)\]\]/gs, (_, optional, sentence) => {
      const keys = keysIn(sentence);
      if (keys.length === 0) throw new Error(`page/text: a sentence in [[ ]] without a number: ${sentence}`);
      return perDevice(report, 'span', (device) => {
        const { missing, text } = sentenceOf(report, device, keys);
        if (missing) return optional ? '' : `<em class="none">${escapeHtml(text)}</em>`;
        return filled(sentence, device);
      });
    })
    .replace(/\{\{([^}]+)\}\}/g, (_, key) => perDevice(report, 'span', (device) => escapeHtml(valueOf(report, device, key).text)));
}
