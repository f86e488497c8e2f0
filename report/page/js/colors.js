// Colours of the charts. After Okabe and Ito (2008), distinct with any colour vision; each in two
// shades, for paper and for a dark screen. A version keeps its colour and its mark in all charts.
const PALETTE = [
  ['#0068a8', '#5ab4ee'], // blue
  ['#c24e00', '#ff9152'], // vermilion
  ['#007d5b', '#3fcfa2'], // green
  ['#a23c78', '#e693c3'], // purple
  ['#a67500', '#edb32c'], // orange
  ['#2e2e9e', '#a3a3ff'], // indigo
  ['#6b6b00', '#d9d94a'], // olive
  ['#7a4a2b', '#c99a78'], // brown
];
const GREYS = { published: ['#8a8a8a', '#8f8f8f'], published2: ['#c4c4c4', '#5f5f5f'], neutral: ['#555555', '#b0b0b0'] };
const MARKS = ['circle', 'rect', 'triangle', 'rectRot', 'star', 'cross', 'crossRot', 'rectRounded'];

// The number in 'slot3' (from 0) or 'device1' (from 1). page.js turns the name of a version into a slot.
function slot(color) {
  const [, kind, number] = /^(slot|device)(\d+)$/.exec(color);
  return Number(number) - (kind === 'device' ? 1 : 0);
}

export function colorOf(color, dark) {
  return (GREYS[color] ?? PALETTE[slot(color) % PALETTE.length])[dark ? 1 : 0];
}

export const roundOf = (color) => (GREYS[color] ? 0 : Math.floor(slot(color) / PALETTE.length) % 3);
export const markOf = (color) => (GREYS[color] ? 'circle' : MARKS[(slot(color) + 3 * roundOf(color)) % MARKS.length]);
