// All figures, tables and values of the page, for one device.
import { articleFigures, articleValues } from './article.js';
import { beyondTables, beyondValues } from './beyond.js';
import { blocksFigures, blocksValues } from './blocks.js';
import { conditionsValues } from './conditions.js';
import { hw4Figures, hw4Values } from './hw4.js';
import { inputsFigures, inputsValues } from './inputs.js';
import { instructionsFigures, instructionsValues } from './instructions.js';
import { mergeBottomupFigures, mergeBottomupValues } from './merge_bottomup.js';
import { mergeCpuFigures, mergeCpuValues } from './merge_cpu.js';
import { methodValues } from './method.js';
import { mppsortFigures, mppsortValues } from './mppsort.js';
import { NOT_MEASURED } from './format.js';
import { profileTables } from './profiles.js';
import { questionsFigures, questionsValues } from './questions.js';
import { versionOrder } from './records.js';
import { multiFigures, multiValues } from './multi.js';
import { scalingFigures, scalingTables, scalingValues } from './scaling.js';
import { secondFigures, secondValues } from './second.js';
import { storyFigures, storyValues } from './story.js';
import { variantsFigures, variantsTables, variantsValues } from './variants.js';
import { worklogFigures, worklogTables, worklogValues } from './worklog.js';

const FIGURES = [
  storyFigures,
  worklogFigures,
  instructionsFigures,
  hw4Figures,
  blocksFigures,
  mergeCpuFigures,
  mergeBottomupFigures,
  mppsortFigures,
  questionsFigures,
  articleFigures,
  secondFigures,
  scalingFigures,
  inputsFigures,
  variantsFigures,
  multiFigures,
];
const VALUES = [
  conditionsValues,
  methodValues,
  storyValues,
  worklogValues,
  instructionsValues,
  hw4Values,
  blocksValues,
  mergeCpuValues,
  mergeBottomupValues,
  mppsortValues,
  questionsValues,
  articleValues,
  secondValues,
  scalingValues,
  inputsValues,
  variantsValues,
  multiValues,
  beyondValues,
];

const isDrawn = (series) => (series.values ?? series.points).some((value) => value != null);

// A series without a value is not in the legend either. A series named by its version has that version's colour, and
// is grey where the figure lists the series that its text is about, without this one.
export function figuresOf(report, device) {
  const versions = versionOrder(report);
  const colored = (series) => (versions.includes(series.color) ? { ...series, color: `slot${versions.indexOf(series.color)}` } : series);
  return FIGURES.flatMap((make) => make(report, device)).map((figure) => ({
    ...figure,
    series: figure.series
      .filter(isDrawn)
      .map((series) => colored({ ...series, grey: Boolean(figure.spoken && !series.roof && !figure.spoken.includes(series.name)) })),
  }));
}
export const tablesOf = (report, device) => [
  ...worklogTables(report, device),
  ...scalingTables(report),
  ...profileTables(report, device),
  ...variantsTables(report, device),
  ...beyondTables(report, device),
];

// 'hw4.v1_hist' is the value of the selected device, 'hw4.v1_hist@H200' the value of the H200.
export function valueOf(report, device, key) {
  const [name, id] = key.split('@');
  const wanted = id ? report.devices.find((one) => one.id === id) : device;
  if (wanted && !wanted.values) wanted.values = Object.assign({}, ...VALUES.map((make) => make(report, wanted)));
  const value = wanted?.values[name] ?? null;
  return { missing: value === null, text: value ?? (id ? `not measured on the ${id}` : NOT_MEASURED) };
}

// A sentence that lacks one of its numbers is replaced by NOT_MEASURED.
export function sentenceOf(report, device, keys) {
  const gap = keys.map((key) => valueOf(report, device, key)).find(({ missing }) => missing);
  return { missing: Boolean(gap), text: gap ? `${gap.text[0].toUpperCase()}${gap.text.slice(1)}.` : '' };
}
