// All figures, tables and values of the page, for one device.
import * as article from './article.js';
import * as beyond from './beyond.js';
import * as blocks from './blocks.js';
import * as conditions from './conditions.js';
import { NOT_MEASURED } from './format.js';
import * as hw4 from './hw4.js';
import * as inputs from './inputs.js';
import * as instructions from './instructions.js';
import * as mergeBottomup from './merge_bottomup.js';
import * as mergeCpu from './merge_cpu.js';
import * as method from './method.js';
import * as mppsort from './mppsort.js';
import * as multi from './multi.js';
import * as profiles from './profiles.js';
import * as questions from './questions.js';
import { source, versionOrder } from './records.js';
import * as scaling from './scaling.js';
import * as second from './second.js';
import * as story from './story.js';
import * as variants from './variants.js';
import * as worklog from './worklog.js';

// In the order of the article and of the data page.
const SECTIONS = [
  conditions,
  method,
  story,
  worklog,
  instructions,
  hw4,
  blocks,
  mergeCpu,
  mergeBottomup,
  mppsort,
  questions,
  article,
  second,
  scaling,
  profiles,
  inputs,
  variants,
  multi,
  beyond,
];
const all = (what) => SECTIONS.map((section) => section[what]).filter(Boolean);

const isDrawn = (series) => (series.values ?? series.points).some((value) => value != null);

// A series without a value is not in the legend either. A series named by its version has that version's colour, and
// is grey where the figure lists the series that its text is about, without this one. A figure with a `record` has that source, and
// is missing without it, unless it says otherwise.
export function figuresOf(report, device) {
  const versions = versionOrder(report);
  const colored = (series) => (versions.includes(series.color) ? { ...series, color: `slot${versions.indexOf(series.color)}` } : series);
  return all('figures')
    .flatMap((make) => make(report, device))
    .map(({ record, ...figure }) => ({
      sources: [source(record)],
      missing: !record,
      ...figure,
      series: figure.series
        .filter(isDrawn)
        .map((series) => colored({ ...series, grey: Boolean(figure.spoken && !series.roof && !figure.spoken.includes(series.name)) })),
    }));
}
export const tablesOf = (report, device) => all('tables').flatMap((make) => make(report, device));

// 'hw4.v1_hist' is the value of the selected device, 'hw4.v1_hist@H200' the value of the H200.
export function valueOf(report, device, key) {
  const [name, id] = key.split('@');
  const wanted = id ? report.devices.find((one) => one.id === id) : device;
  if (wanted && !wanted.values) wanted.values = Object.assign({}, ...all('values').map((make) => make(report, wanted)));
  const value = wanted?.values[name] ?? null;
  return { missing: value === null, text: value ?? (id ? `not measured on the ${id}` : NOT_MEASURED) };
}

// A sentence that lacks one of its numbers is replaced by NOT_MEASURED.
export function sentenceOf(report, device, keys) {
  const gap = keys.map((key) => valueOf(report, device, key)).find(({ missing }) => missing);
  return { missing: Boolean(gap), text: gap ? `${gap.text[0].toUpperCase()}${gap.text.slice(1)}.` : '' };
}
