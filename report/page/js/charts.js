// From a figure's description to a Chart.js configuration, for the page and for the SVG pictures (report/plots.js).
import { colorOf, markOf, roundOf } from './colors.js';
import { count, size } from './format.js';

const TEXT = { light: ['#2b2b2b', '#dddddd'], dark: ['#d6d6d6', '#3a3a3a'] };
// More versions than colours: the second and third round of them are dashed.
const DASHES = [[], [10, 3], [3, 3]];
const fontSize = (narrow) => (narrow ? 11 : 13);

function dataset(series, figure, dark) {
  const color = colorOf(series.color, dark);
  const published = series.published || /^published/.test(series.color);
  const common = { label: series.name, borderColor: color, backgroundColor: color, data: series.values ?? series.points };
  if (figure.type === 'bar')
    return {
      ...common,
      borderWidth: published ? 1.5 : 0,
      backgroundColor: published ? 'transparent' : color,
      minBarLength: 2,
      skipNull: true,
      maxBarThickness: figure.stacked ? 60 : 14,
    };
  const roof = series.roof === true;
  return {
    ...common,
    showLine: figure.type !== 'points',
    borderWidth: series.strong ? 3 : 1.7,
    borderDash: roof ? [2, 3] : published ? [6, 4] : DASHES[roundOf(series.color)],
    pointStyle: roof ? 'line' : markOf(series.color),
    pointRadius: roof ? 0 : figure.type === 'points' ? 5 : 4,
    pointBackgroundColor: published ? 'transparent' : color,
    pointBorderWidth: 1.5,
  };
}

function tick(axis, value, range) {
  if (!axis.log) return count(value);
  const lead = value / 10 ** Math.floor(Math.log10(value) + 1e-9);
  // Within one decade sizes are doubled.
  if (axis.sizes) return (range.max / range.min <= 10 ? [1, 2, 4, 8] : [1]).some((one) => Math.abs(lead - one) < 1e-6) ? size(value) : '';
  // Of a decade only its first value; where there are hardly two decades, also 2 and 5.
  const wide = range.max / range.min > 200;
  return (wide ? [1] : [1, 2, 5]).some((one) => Math.abs(lead - one) < 1e-6)
    ? value.toLocaleString('en-US', { maximumSignificantDigits: 1 })
    : '';
}

function scale(axis, colors, narrow, extra = {}) {
  const [text, grid] = colors;
  return {
    type: axis.log ? 'logarithmic' : 'linear',
    min: axis.min,
    max: axis.max,
    title: { display: true, text: axis.label, color: text, font: { size: fontSize(narrow) } },
    ticks: {
      color: text,
      font: { size: fontSize(narrow) },
      maxRotation: axis.log ? 0 : 60,
      autoSkip: !axis.log,
      callback(value) {
        return tick(axis, value, this);
      },
    },
    grid: { color: grid },
    ...extra,
  };
}

// Categories keep all their names, so the axis is a plain list.
const categories = (axis, colors, narrow) => ({
  type: 'category',
  title: { display: Boolean(axis?.label), text: axis?.label, color: colors[0], font: { size: fontSize(narrow) } },
  ticks: { color: colors[0], font: { size: fontSize(narrow) }, autoSkip: false, maxRotation: 90 },
  grid: { display: false },
});

// A line across the chart at a value of the measured axis: Thrust = 100%.
const marks = {
  id: 'marks',
  afterDatasetsDraw(chart, _, options) {
    const { ctx, chartArea: area } = chart;
    for (const mark of options.list ?? []) {
      const axis = chart.scales[mark.axis ?? 'x'];
      const at = axis.getPixelForValue(mark.value);
      if (!(at >= axis.left - 1 && at <= axis.right + 1) && !(at >= axis.top - 1 && at <= axis.bottom + 1)) continue;
      ctx.save();
      Object.assign(ctx, {
        strokeStyle: options.color,
        fillStyle: options.color,
        lineWidth: 1.5,
        font: `12px ${chart.options.font.family}`,
        textBaseline: 'bottom',
      });
      ctx.setLineDash([5, 4]);
      ctx.beginPath();
      if (axis.isHorizontal()) {
        ctx.moveTo(at, area.top);
        ctx.lineTo(at, area.bottom);
      } else {
        ctx.moveTo(area.left, at);
        ctx.lineTo(area.right, at);
      }
      ctx.stroke();
      ctx.textAlign = axis.isHorizontal() && at > area.left + 0.7 * area.width ? 'right' : 'left';
      if (axis.isHorizontal()) ctx.fillText(mark.label, at + (ctx.textAlign === 'right' ? -5 : 5), area.top - 1);
      else ctx.fillText(mark.label, area.left + 6, at - 2);
      ctx.restore();
    }
  },
};

// The value of each bar beside its end, for a picture without tooltips. Not within a stack: no room.
const values = {
  id: 'values',
  afterDatasetsDraw(chart, _, { format, color }) {
    const { ctx } = chart;
    ctx.save();
    Object.assign(ctx, { fillStyle: color, font: `11px ${chart.options.font.family}`, textBaseline: 'middle', textAlign: 'left' });
    chart.data.datasets.forEach(({ data }, i) =>
      chart.getDatasetMeta(i).data.forEach((bar, j) => {
        if (data[j] != null) ctx.fillText(format(data[j]), bar.x + 5, bar.y);
      }),
    );
    ctx.restore();
  },
};

const paper = {
  id: 'paper',
  beforeDraw({ ctx, width, height }) {
    ctx.save();
    ctx.fillStyle = '#ffffff';
    ctx.fillRect(0, 0, width, height);
    ctx.restore();
  },
};

// A picture of its own: light, with a background, a title and the values of bars.
export function pictureOf(figure, title) {
  const config = configOf(figure, { dark: false, narrow: false });
  const { plugins } = config.options;
  Object.assign(config.options, { responsive: false, devicePixelRatio: 1 });
  plugins.title = { display: true, text: title, color: TEXT.light[0], font: { size: 15, weight: 'normal' }, padding: { bottom: 14 } };
  config.plugins.push(paper);
  if (figure.type === 'bar' && !figure.stacked) {
    config.plugins.push(values);
    plugins.values = { format: figure.format, color: TEXT.light[0] };
    config.options.layout.padding.right = 50;
  }
  return config;
}

export function configOf(figure, { dark, narrow }) {
  const colors = TEXT[dark ? 'dark' : 'light'];
  const [across, measured] = figure.horizontal ? ['y', 'x'] : ['x', 'y'];
  const scales = figure.categories
    ? { [across]: categories(figure[across], colors, narrow), [measured]: scale(figure[measured], colors, narrow) }
    : { x: scale(figure.x, colors, narrow), y: scale(figure.y, colors, narrow) };
  if (figure.stacked) for (const axis of Object.values(scales)) axis.stacked = true;
  const value = (context) => context.parsed[measured];
  return {
    type: figure.type === 'bar' ? 'bar' : 'line',
    data: { labels: figure.categories, datasets: figure.series.map((series) => dataset(series, figure, dark)) },
    plugins: [marks],
    options: {
      indexAxis: figure.horizontal ? 'y' : 'x',
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      layout: { padding: { top: figure.marks && figure.horizontal ? 18 : 4 } },
      interaction: { mode: 'nearest', intersect: false },
      scales,
      plugins: {
        legend: {
          position: 'bottom',
          align: 'start',
          labels: {
            color: colors[0],
            usePointStyle: figure.type !== 'bar',
            boxWidth: 14,
            boxHeight: figure.type === 'bar' ? 12 : 7,
            font: { size: fontSize(narrow) },
          },
        },
        marks: { list: figure.marks, color: colors[0] },
        tooltip: {
          callbacks: {
            title: ([item]) => (figure.categories ? item.label : figure.x.sizes ? `n = ${count(item.parsed.x)}` : `${item.parsed.x}`),
            label: (context) => `${context.dataset.label}: ${figure.format ? figure.format(value(context)) : value(context)}`,
          },
        },
      },
    },
  };
}

// Room for every category and for the legend.
export function heightOf(figure, narrow) {
  const bars = figure.type === 'bar' && !figure.stacked ? figure.series.length : 1;
  const rows = figure.horizontal ? figure.categories.length * Math.max(22, 13 * bars) : figure.tall ? 420 : 320;
  const legend = figure.series.length * (narrow ? 22 : 11);
  return rows + legend + 90;
}
