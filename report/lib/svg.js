// SVG as text: marks, scales, ticks, legends and the frame of a chart. lib/charts.js draws with them.
import { scaleLinear, scaleLog } from 'd3-scale';
import { size } from '../page/js/format.js';
import { markDefinitions, styleOf } from './marks.js';

export const escapeHtml = (text) => String(text).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
export const px = (x) => String(Math.round(x * 10) / 10);
// Widths in em, of a wide system font (DejaVu Sans), so that a label fits in the narrower ones too.
const WIDTHS = [
  [/[ijlI|',.:;!]/, 0.33],
  [/[frt/() -]/, 0.4],
  [/[mwMW%=+<>]/, 0.93],
  [/[A-Z]/, 0.7],
];
export const textWidth = (text, points) =>
  [...String(text)].reduce((sum, one) => sum + (WIDTHS.find(([which]) => which.test(one))?.[1] ?? 0.64), 0) * points;

// The style sheet has a class for each anchor: there are thousands of texts in the page.
const ANCHORS = { middle: 'am', end: 'ae' };
const classOf = (names) => (names.some(Boolean) ? ` class="${names.filter(Boolean).join(' ')}"` : '');
export const text = (x, y, content, { anchor, cls, turn, bold } = {}) =>
  `<text x="${Math.round(x)}" y="${Math.round(y)}"${classOf([cls, ANCHORS[anchor]])}` +
  `${bold ? ' font-weight="600"' : ''}${turn ? ` transform="rotate(${turn} ${px(x)} ${px(y)})"` : ''}>${escapeHtml(content)}</text>`;
export const line = (x1, y1, x2, y2, cls) => `<path class="${cls}" d="M${px(x1)} ${px(y1)}L${px(x2)} ${px(y2)}"/>`;
// A tooltip.
export const tip = (title) => (title ? `<title>${escapeHtml(title)}</title>` : '');
export const mark = (style, x, y, title) =>
  `<use href="#m${style.mark}" x="${Math.round(x)}" y="${Math.round(y)}" class="${style.color}${style.hollow ? ' h' : ''}"` +
  (tip(title) ? `>${tip(title)}</use>` : '/>');

export function ticksOf(axis, scale, room) {
  if (!axis.log) return scale.ticks(Math.max(2, Math.floor(room / 75))).map((value) => [value, value.toLocaleString('en-US')]);
  const [low, high] = scale.domain();
  const decades = Math.log10(high / low);
  let leads = decades < 1.3 ? [1, 2, 4, 8] : decades < 2.5 && !axis.sizes ? [1, 2, 5] : [1];
  if (decades > 1 && leads.length * decades * 38 > room) leads = [1];
  const every = Math.max(1, Math.ceil((decades * 46) / room));
  const found = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
    if (power % every !== 0) continue;
    for (const lead of leads) {
      const value = Number(`${lead}e${power}`);
      if (value < low * 0.999 || value > high * 1.001) continue;
      found.push([value, axis.sizes ? size(value) : value.toLocaleString('en-US', { maximumSignificantDigits: 1 })]);
    }
  }
  return found;
}

const extent = (values, axis) => {
  const known = values.filter((value) => value != null && (!axis.log || value > 0));
  let [low, high] = [axis.min ?? Math.min(...known), axis.max ?? Math.max(...known)];
  if (axis.log) {
    if (axis.sizes) return [low, high];
    return [axis.min ?? low / 1.25, high * 1.25];
  }
  if (axis.max == null && high > 0) high *= 1.05;
  if (low === high) high = low + 1;
  return [low, high];
};
export const scaleOf = (axis, values, range) => (axis.log ? scaleLog() : scaleLinear()).domain(extent(values, axis)).range(range);

// Series that the text discusses are drawn above the grey ones.
export const greyFirst = (series) => [...series].sort((a, b) => Number(Boolean(b.grey)) - Number(Boolean(a.grey)));

// Moves labels apart, each at least `gap` below the one before, all between low and high.
export function dodge(wanted, gap, low, high) {
  const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b]);
  const places = [...wanted];
  order.forEach((i, k) => (places[i] = Math.max(wanted[i], k ? places[order[k - 1]] + gap : low)));
  for (let k = order.length - 1, limit = high; k >= 0 && places[order[k]] > limit; k--, limit -= gap) places[order[k]] = limit;
  return places;
}

// All grid lines in one path, below everything else.
function gridFirst(body) {
  const grid = [];
  const rest = body.replace(/<path class="g" d="([^"]+)"\/>/g, (_, d) => (grid.push(d), ''));
  return `${grid.length > 0 ? `<path class="g" d="${grid.join('')}"/>` : ''}${rest}`;
}

export function frame(figure, { width, height, alone, title }, body) {
  const top = title ? 34 : 0;
  const head = alone
    ? `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 ${-top} ${px(width)} ${px(height + top)}" width="${px(width)}" height="${px(height + top)}">` +
      `<style>${alone}</style>${markDefinitions()}<rect y="${-top}" width="100%" height="100%" fill="#fff"/>${text(10, -12, title ?? '', { cls: 'title' })}`
    : `<svg viewBox="0 0 ${px(width)} ${px(height)}" role="img" aria-label="${escapeHtml(figure.title)}; the ${figure.elsewhere ? 'data page' : 'table below'} has the numbers">`;
  return `${head}${gridFirst(body)}</svg>`;
}

// Rows of a legend: mark and name, wrapped; returns {svg, height}.
export function legend(series, { x, width, font, box }) {
  let [left, y] = [x, font];
  const parts = series.map((one) => {
    const style = styleOf(one);
    const room = textWidth(one.name, font) + 34;
    if (left > x && left + room > x + width) [left, y] = [x, y + font + 8];
    const sign = box
      ? `<rect x="${px(left)}" y="${px(y - 11)}" width="12" height="12" class="${style.color} b"/>`
      : one.roof
        ? `<path class="l pub" d="M${px(left)} ${px(y - 5)}h14" stroke-dasharray="2 4"/>`
        : mark(style, left + 6, y - 5);
    const svg = `${sign}${text(left + 18, y, one.name)}`;
    left += room;
    return svg;
  });
  return { svg: parts.join(''), height: y + 14 };
}
