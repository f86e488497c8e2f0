// Charts as SVG text, from the descriptions that page/js makes. One drawing per width: `narrow` for phones.
import { scalePoint } from 'd3-scale';
import { size } from '../page/js/format.js';
import { styleOf } from './marks.js';
import { dodge, frame, greyFirst, legend, line, mark, px, scaleOf, text, textWidth, ticksOf, tip } from './svg.js';

// The ends of the line that shows a value's noise.
const whisker = (value, noise) => [value * (1 - Math.min(noise ?? 0, 0.9)), value * (1 + (noise ?? 0))];

// A dot for each value, on rows of categories: lengths of bars would mean nothing on a logarithmic axis.
function dots(figure, options) {
  const { width, narrow } = options;
  const font = narrow ? 12 : 14;
  const left = Math.max(...figure.categories.map((name) => textWidth(name, font))) + 14;
  const numbers = figure.numbers === false ? [] : narrow ? figure.series.slice(-1) : figure.series;
  const column = narrow ? 74 : 96;
  const right = width - numbers.length * column - 14;
  const key = legend(figure.series, { x: 4, width: width - 8, font });
  const top = key.height + (figure.marks ? 22 : 8) + (numbers.length > 0 ? 14 : 0);
  const step = figure.categories.length > 20 ? 22 : 25;
  const bottom = top + step * figure.categories.length;
  const scale = scaleOf(
    figure.x,
    figure.series.flatMap((one) => one.values),
    [left, right],
  );
  const row = (i) => top + step * (i + 0.5);
  const parts = [key.svg];
  numbers.forEach((one, i) => parts.push(mark(styleOf(one), right + 8 + (i + 1) * column - 16, top - 14)));
  for (const [value, label] of ticksOf(figure.x, scale, right - left))
    parts.push(line(scale(value), top, scale(value), bottom, 'g'), text(scale(value), bottom + 18, label, { anchor: 'middle', cls: 'a' }));
  for (const one of figure.marks ?? []) {
    const x = scale(one.value);
    parts.push(
      line(x, top - 4, x, bottom, 'r'),
      text(x, top - 8, one.label, { anchor: x > (left + right) / 2 ? 'end' : 'middle', cls: 'a' }),
    );
  }
  figure.categories.forEach((name, i) => {
    parts.push(text(left - 10, row(i) + 5, name, { anchor: 'end' }), line(left, row(i), right, row(i), 'g'));
    for (const one of greyFirst(figure.series))
      if (one.values[i] != null) {
        const [low, high] = whisker(one.values[i], one.noise?.[i]).map(scale);
        if (high - low > 14) parts.push(line(low, row(i), high, row(i), `w ${styleOf(one).color}`));
        parts.push(
          mark(
            styleOf(one),
            scale(one.values[i]),
            row(i),
            numbers.includes(one) || one.grey ? null : `${one.name}: ${figure.format(one.values[i])}`,
          ),
        );
      }
    numbers.forEach((one, k) => {
      if (one.values[i] != null)
        parts.push(text(right + 8 + (k + 1) * column, row(i) + 5, figure.format(one.values[i]), { anchor: 'end', cls: 'n' }));
    });
  });
  parts.push(text(left, bottom + 40, figure.x.label, { cls: 'a' }));
  return frame(figure, { ...options, height: bottom + 50 }, parts.join(''));
}

// Stacked bars on rows, each part with its name where it fits.
function bars(figure, options) {
  const { width, narrow } = options;
  const font = narrow ? 12 : 14;
  const left = Math.max(...figure.categories.map((name) => textWidth(name, font))) + 14;
  const right = width - 30;
  const key = legend(figure.series, { x: 4, width: width - 8, font, box: true });
  const [top, step] = [key.height + 4, 28];
  const bottom = top + step * figure.categories.length;
  const sums = figure.categories.map((_, i) => figure.series.reduce((sum, one) => sum + (one.values[i] ?? 0), 0));
  const scale = scaleOf({ min: 0, ...figure.x }, sums, [left, right]);
  const parts = [key.svg];
  for (const [value, label] of ticksOf(figure.x, scale, right - left))
    parts.push(line(scale(value), top, scale(value), bottom, 'g'), text(scale(value), bottom + 18, label, { anchor: 'middle', cls: 'a' }));
  figure.categories.forEach((name, i) => {
    const y = top + step * i;
    parts.push(text(left - 10, y + 19, name, { anchor: 'end' }));
    let sum = 0;
    for (const one of figure.series) {
      const value = one.values[i];
      if (value == null) continue;
      const [from, to] = [scale(sum), scale((sum += value))];
      parts.push(
        `<rect x="${px(from)}" y="${px(y + 4)}" width="${px(to - from)}" height="20" class="${styleOf(one).color} b">` +
          `${tip(`${name}, ${one.name}: ${figure.format(value)}`)}</rect>`,
      );
      if (to - from > textWidth(one.name, font) + 8)
        parts.push(text((from + to) / 2, y + 19, one.name, { anchor: 'middle', cls: `j ${styleOf(one).color}` }));
    }
  });
  parts.push(text(left, bottom + 40, figure.x.label, { cls: 'a' }));
  return frame(figure, { ...options, height: bottom + 50 }, parts.join(''));
}

// Lines over a numeric axis or over categories; the name of a series stands at its end.
function lines(figure, options) {
  const { width, narrow } = options;
  const font = narrow ? 12 : 14;
  const points = figure.series.map((one) =>
    (one.points ?? one.values.map((y, i) => ({ x: figure.categories[i], y }))).filter(({ y }) => y != null),
  );
  const nameOf = (one) => (narrow && one.short) || one.name;
  const levels = (figure.marks ?? []).map((one) => ({ value: one.value, name: (narrow && one.short) || one.label }));
  const widest = Math.max(...[...figure.series.map(nameOf), ...levels.map(({ name }) => name)].map((name) => textWidth(name, font)));
  const direct = widest < (narrow ? 0.4 : 0.34) * width;
  const key = direct ? { svg: '', height: 4 } : legend(figure.series, { x: 4, width: width - 8, font });
  const [left, right] = [narrow ? 50 : 62, width - (direct ? widest + 34 : 24)];
  const top = key.height + 26;
  const bottom = top + Math.max(narrow ? 260 : figure.tall ? 460 : 300, direct ? (figure.series.length + levels.length) * (font + 3) : 0);
  const x = figure.categories
    ? scalePoint(figure.categories, [left, right]).padding(0.3)
    : scaleOf(
        figure.x,
        points.flat().map((point) => point.x),
        [left, right],
      );
  const y = scaleOf(figure.y, [...points.flat().map((point) => point.y), ...levels.map(({ value }) => value)], [bottom, top]);
  const parts = [key.svg, text(4, key.height + 12, figure.y.label, { cls: 'a' })];
  for (const [value, label] of ticksOf(figure.y, y, bottom - top))
    parts.push(line(left, y(value), right, y(value), 'g'), text(left - 8, y(value) + 5, label, { anchor: 'end', cls: 'a' }));
  const along = figure.categories ? figure.categories.map((name) => [name, String(name)]) : ticksOf(figure.x, x, right - left);
  for (const [value, label] of along)
    parts.push(line(x(value), top, x(value), bottom, 'g'), text(x(value), bottom + 18, label, { anchor: 'middle', cls: 'a' }));
  parts.push(text((left + right) / 2, bottom + 40, figure.x.label, { anchor: 'middle', cls: 'a' }));
  const ends = points.map((list) => list.at(-1));
  const places = dodge([...ends.map((end) => y(end.y)), ...levels.map(({ value }) => y(value))], font + 3, top, bottom);
  levels.forEach(({ value, name }, i) => {
    const place = places[ends.length + i];
    parts.push(line(left, y(value), right, y(value), 'r'));
    if (direct && Math.abs(place - y(value)) > 3) parts.push(line(right + 2, y(value), right + 12, place, 'e'));
    parts.push(direct ? text(right + 16, place + 5, name, { cls: 'a' }) : text(left + 6, y(value) - 6, name, { cls: 'a o' }));
  });
  for (const i of greyFirst(figure.series).map((one) => figure.series.indexOf(one))) {
    const [one, style] = [figure.series[i], styleOf(figure.series[i])];
    const path = points[i].map((point, k) => `${k ? 'L' : 'M'}${px(x(point.x))} ${px(y(point.y))}`).join('');
    if (figure.type !== 'points')
      parts.push(
        `<path class="l ${style.color}${one.strong ? ' s' : ''}" d="${path}"${style.dash ? ` stroke-dasharray="${style.dash}"` : ''}/>`,
      );
    if (!one.roof)
      for (const point of points[i]) {
        const [low, high] = whisker(point.y, point.noise).map(y);
        if (low - high > 14) parts.push(line(x(point.x), low, x(point.x), high, `w ${style.color}`));
        const at = figure.categories ? point.x : figure.x.sizes ? size(point.x) : point.x;
        parts.push(mark(style, x(point.x), y(point.y), one.grey ? null : `${one.name}, ${at}: ${figure.format(point.y)}`));
      }
    if (direct) {
      const [endX, endY] = [x(ends[i].x), y(ends[i].y)];
      if (Math.abs(places[i] - endY) > 3 || right - endX > 8) parts.push(line(endX + 7, endY, right + 12, places[i], 'e'));
      parts.push(text(right + 16, places[i] + 5, nameOf(one), { cls: one.grey || one.roof ? 'a' : '', bold: one.strong }));
    }
  }
  return frame(figure, { ...options, height: bottom + 50 }, parts.join(''));
}

// Labelled points in a field of two logarithmic axes, and a roof above them.
function field(figure, options) {
  const { width, narrow } = options;
  const font = narrow ? 12 : 14;
  const [left, right, top] = [narrow ? 50 : 62, width - (narrow ? 84 : 110), 30];
  const bottom = top + (narrow ? 320 : 440);
  const all = figure.series.flatMap((one) => one.points);
  const x = scaleOf(
    figure.x,
    all.map((point) => point.x),
    [left, right],
  );
  const y = scaleOf(
    figure.y,
    all.map((point) => point.y),
    [bottom, top],
  );
  const parts = [text(4, 12, figure.y.label, { cls: 'a' })];
  for (const [value, label] of ticksOf(figure.y, y, bottom - top))
    parts.push(line(left, y(value), right, y(value), 'g'), text(left - 8, y(value) + 5, label, { anchor: 'end', cls: 'a' }));
  for (const [value, label] of ticksOf(figure.x, x, right - left))
    parts.push(line(x(value), top, x(value), bottom, 'g'), text(x(value), bottom + 18, label, { anchor: 'middle', cls: 'a' }));
  parts.push(text((left + right) / 2, bottom + 40, figure.x.label, { anchor: 'middle', cls: 'a' }));
  const single = figure.series.filter((one) => !one.roof);
  const places = dodge(
    single.map((one) => y(one.points[0].y)),
    font + 3,
    top + 10,
    bottom - 6,
  );
  for (const one of figure.series.filter((each) => each.roof)) {
    const [a, b] = one.points;
    parts.push(line(x(a.x), y(a.y), x(b.x), y(b.y), 'r'), text(x(a.x) + 10, y(a.y) + 2, one.name, { cls: 'a' }));
  }
  // A roof falls from left to right: a label that it would cross stands on the left.
  const roofs = figure.series.filter((one) => one.roof).map(({ points: [a, b] }) => [x(a.x), y(a.y), x(b.x), y(b.y)]);
  const crossed = (x0, y0, width_) => roofs.some(([ax, ay, bx, by]) => y0 - 8 < ay + ((x0 + width_ - ax) / (bx - ax)) * (by - ay));
  single.forEach((one, i) => {
    const [point] = one.points;
    const [at, room] = [x(point.x), textWidth(one.name, font)];
    const covers = ({ points: [other] }) => x(other.x) > at - 24 - room && x(other.x) < at - 8 && Math.abs(y(other.y) - places[i]) < font;
    const before = crossed(at + 16, places[i], room) && at - 16 - room > left && !single.some(covers);
    const side = before ? -1 : 1;
    if (Math.abs(places[i] - y(point.y)) > 4) parts.push(line(at + 6 * side, y(point.y), at + 13 * side, places[i], 'e'));
    parts.push(
      mark(styleOf(one), at, y(point.y), `${one.name}: ${figure.format(point.y)}`),
      text(at + 16 * side, places[i] + 5, one.name, { cls: 'o', anchor: before ? 'end' : undefined }),
    );
  });
  return frame(figure, { ...options, height: bottom + 50 }, parts.join(''));
}

// A grid of squares for each value of a third knob, the darker the slower.
function heat(figure, options) {
  const { width, narrow } = options;
  const [across, down] = [narrow ? 2 : 3, figure.panels.length];
  const cell = (narrow ? 20 : 35) * (down > 1 ? 1 : narrow ? 2.3 : 1.6);
  const left = 46;
  const [panelWidth, panelHeight] = [figure.columns.length * cell + left + 14, figure.rows.length * cell + 56];
  const all = figure.panels.flatMap((panel) => panel.cells.flat()).filter((value) => value != null);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const shade = (value) => 0.06 + (0.86 * Math.log(value / low)) / Math.log(high / low);
  const parts = [];
  const squares = new Map(); // one path for all squares of a shade
  figure.panels.forEach((panel, k) => {
    const [x0, y0] = [(k % across) * Math.min(panelWidth, width / across) + left, Math.floor(k / across) * panelHeight + 30];
    parts.push(text(x0, y0 - 10, panel.name, { bold: true }));
    panel.cells.forEach((row, i) => {
      parts.push(text(x0 - 6, y0 + i * cell + cell / 2 + 5, figure.rows[i], { anchor: 'end', cls: 'a' }));
      row.forEach((value, j) => {
        if (value == null) return;
        const [x, y] = [px(x0 + j * cell), px(y0 + i * cell)];
        const tone = (Math.round(25 * shade(value)) / 25).toFixed(2);
        squares.set(tone, `${squares.get(tone) ?? ''}M${x} ${y}h${cell}v${cell}h-${cell}z`);
        if (!narrow || down === 1)
          parts.push(
            text(x0 + (j + 0.5) * cell, y0 + i * cell + cell / 2 + 4, figure.short(value), {
              anchor: 'middle',
              cls: shade(value) > 0.5 ? 't i' : 't',
            }),
          );
        if (value === low)
          parts.push(`<rect x="${px(x0 + j * cell)}" y="${px(y0 + i * cell)}" width="${cell}" height="${cell}" class="best"/>`);
      });
    });
    figure.columns.forEach((name, j) => {
      if (!narrow || down === 1 || j % 2 === 0)
        parts.push(text(x0 + (j + 0.5) * cell, y0 + figure.rows.length * cell + 14, name, { anchor: 'middle', cls: 't' }));
    });
  });
  const height = Math.ceil(down / across) * panelHeight + 24;
  parts.push(text(4, height - 4, `down: ${figure.y.label}; across: ${figure.x.label}; framed: the fastest`, { cls: 'a' }));
  parts.unshift(...[...squares].map(([tone, path]) => `<path d="${path}" class="c" fill-opacity="${tone}"/>`));
  return frame(figure, { ...options, height: height + 6 }, parts.join(''));
}

const DRAWERS = { heat, field };

// Without tooltips: for phones, which have no pointer, and for pictures.
const untitled = (svg) => svg.replace(/<title>[^<]*<\/title>/g, '').replace(/><\/(use|rect)>/g, '/>');

// `plain`: no tooltips. `alone`: the style sheet of a picture that stands by itself; without it, the page's applies.
export function chartSvg(figure, options) {
  // Dozens of marks on each row of a phone: those that the text is about; the table has all.
  if (options.narrow && figure.type === 'points') figure = { ...figure, series: figure.series.filter(({ grey }) => !grey) };
  const drawer =
    DRAWERS[figure.type] ??
    (figure.stacked ? bars : figure.categories && (figure.type === 'bar' || figure.type === 'points') ? dots : lines);
  const svg = drawer(figure, options);
  return options.narrow || options.alone || options.plain ? untitled(svg) : svg;
}
