// Appearance of a series: colour, mark, dash. Each is enough to tell two series of a chart apart, so that no chart
// depends on colour vision. Colours are CSS variables (page/style.css), so that one drawing serves light and dark.

// Marks around the origin, about 10 pixels wide, all in outline so that they can be hollow.
export const MARKS = [
  'M-5 0A5 5 0 1 0 5 0A5 5 0 1 0-5 0Z', // circle
  'M-4.5-4.5H4.5V4.5H-4.5Z', // square
  'M0-5.5L5.3 4.2H-5.3Z', // triangle
  'M0-6L6 0L0 6L-6 0Z', // diamond
  'M0 5.5L5.3-4.2H-5.3Z', // triangle, point down
  'M-1.7-5.5H1.7V-1.7H5.5V1.7H1.7V5.5H-1.7V1.7H-5.5V-1.7H-1.7Z', // plus
  'M0-6L5.7-1.9L3.5 4.9H-3.5L-5.7-1.9Z', // pentagon
  'M-5-5L0-2L5-5L2 0L5 5L0 2L-5 5L-2 0Z', // star of four
  'M-5-5H5L-5 5H5Z', // hourglass
  'M-5-5L5 5V-5L-5 5Z', // bow tie
  'M-2-6H2V6H-2Z', // upright bar
  'M-6-2H6V2H-6Z', // level bar
  'M-5.2-3.4L-3.4-5.2L0-1.8L3.4-5.2L5.2-3.4L1.8 0L5.2 3.4L3.4 5.2L0 1.8L-3.4 5.2L-5.2 3.4L-1.8 0Z', // cross
  'M-6 3A6 6 0 0 1 6 3Z', // half disc
];
const DASHES = ['', '9 3', '3 3', '10 3 2 3'];
const COLORS = 8;

// 'slot3' counts from 0, 'device1' from 1; page.js turns a version's name into its slot.
function slotOf(color) {
  const [, kind, number] = /^(slot|device)(\d+)$/.exec(color);
  return Number(number) - (kind === 'device' ? 1 : 0);
}

// {color: a CSS class, mark: index into MARKS, hollow, dash}
export function styleOf({ color, published, roof, grey }) {
  if (color === 'published') return { color: 'pub', mark: 0, hollow: true, dash: '6 4' };
  if (color === 'published2') return { color: 'pub', mark: 1, hollow: true, dash: '6 4' };
  if (color === 'neutral' || roof) return { color: 'pub', mark: 3, hollow: true, dash: '2 4' };
  const slot = slotOf(color);
  const round = Math.floor(slot / MARKS.length);
  return {
    color: grey ? 'grey' : `k${slot % COLORS}`,
    mark: slot % MARKS.length,
    hollow: Boolean(published) || round % 2 === 1,
    dash: published ? '6 4' : DASHES[Math.floor(slot / COLORS) % DASHES.length],
  };
}

// Hatching of stacked bars, by colour: lines over a square of 10 pixels that repeats.
const HATCHES = [
  '', // plain
  'M-1 11L11-1M-1 1L1-1M9 11L11 9', // rising
  'M-1-1L11 11M9-1L11 1M-1 9L1 11', // falling
  'M0 5H10', // level
  'M5 0V10', // upright
  'M-1 11L11-1M-1-1L11 11', // both ways
  'M0 5H10M5 0V10', // a grid
  'M1 3H5M6 8H10', // dashes
];

// The definitions that `use` elements and fills refer to: once in the page, once in each separate picture.
export const markDefinitions = () =>
  `<defs>${MARKS.map((path, i) => `<path id="m${i}" d="${path}"/>`).join('')}${HATCHES.map(
    (path, i) =>
      `<pattern id="h${i}" class="k${i}" width="10" height="10" patternUnits="userSpaceOnUse"><path class="hf" d="M0 0H10V10H0Z"/><path class="hl" d="${path}"/></pattern>`,
  ).join('')}</defs>`;
