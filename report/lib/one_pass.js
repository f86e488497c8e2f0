// The stepper: one radix pass over a tile of 16 keys. The arrays are computed here, by the steps of radix_v2, not by its
// kernels, whose tiles have at least 32 elements. drawing.test.mjs compares a pass with what they write.
export const KEYS = [5, 12, 3, 9, 6, 13, 0, 10, 5, 2, 9, 8, 1, 14, 4, 9];
const [BINS, BITS] = [4, 2];

// All arrays of one pass over the digit at `shift`, in tiles of `tile` keys.
export function onePass(keys, shift = 0, tile = keys.length) {
  const tiles = keys.length / tile;
  const digit = keys.map((key) => (key >> shift) & (BINS - 1));
  const tileOf = (i) => Math.floor(i / tile);
  const hist = Array.from({ length: BINS }, (_, bin) =>
    Array.from({ length: tiles }, (__, t) => digit.filter((d, i) => d === bin && tileOf(i) === t).length),
  );
  let sum = 0;
  const start = hist.map((row) => row.map((count) => (sum += count) - count));
  const rank = digit.map((d, i) => digit.slice(tileOf(i) * tile, i).filter((other) => other === d).length);
  const place = digit.map((d, i) => start[d][tileOf(i)] + rank[i]);
  const output = [];
  place.forEach((to, i) => (output[to] = keys[i]));
  return { keys, digit, hist, start, rank, place, output };
}

const CELL = 30;
const WIDTH = KEYS.length * CELL + 4;
const at = (i) => 2 + i * CELL;
const binary = (value) => value.toString(2).padStart(BITS, '0');
const label = (y, text) => `<text x="2" y="${y}">${text}</text>`;
// Empty at first, filled from `step` on, marked in the steps `now`.
const cell = (x, y, width, height, text, digit, { step = 0, now = [] } = {}) =>
  `${step ? `<rect class="cell" x="${x}" y="${y}" width="${width}" height="${height}"/>` : ''}<g${step ? ` data-since="${step}"` : ''}><rect class="cell d${digit}" x="${x}" y="${y}" width="${width}" height="${height}"` +
  `${now.length > 0 ? ` data-now="${now.join(' ')}"` : ''}/>` +
  `<text x="${x + width / 2}" y="${y + height / 2 + 5}" text-anchor="middle" class="n">${text}</text></g>`;

const [HISTOGRAM, SCAN, SCATTER] = [1, 2, 3]; // the steps; each key is scattered in a step of its own

// {svg, captions}: the picture with all that the last step shows, and a sentence for each step.
export function stepper() {
  const p = onePass(KEYS);
  const [counts, starts] = [p.hist.map(([count]) => count), p.start.map(([start]) => start)];
  const step = (i) => SCATTER + i;
  const stepsOf = (bin) => p.digit.flatMap((digit, i) => (digit === bin ? [step(i)] : []));
  const wide = (WIDTH - 4) / BINS;
  const bins = (y, values, text, first) =>
    values.map((value, bin) =>
      cell(2 + bin * wide, y, wide, 28, `${binary(bin)}: ${text(value)}`, bin, { step: first, now: first === SCAN ? stepsOf(bin) : [] }),
    );
  const from = p.place.map((_, to) => p.place.indexOf(to));
  const parts = [
    label(14, 'The keys of a tile, and their digits: the lower two bits'),
    ...p.keys.map((key, i) => cell(at(i), 22, CELL, 28, key, p.digit[i], { now: [step(i)] })),
    ...p.digit.map((digit, i) => cell(at(i), 50, CELL, 24, binary(digit), digit)),
    label(104, 'Histogram: how many keys have each digit?'),
    ...bins(112, counts, (count) => `${count} key${count === 1 ? '' : 's'}`, HISTOGRAM),
    label(170, 'Scan: at which place does the first of them go?'),
    ...bins(178, starts, (start) => `place ${start}`, SCAN),
    label(236, 'Scatter: start + rank, the number of equal digits before'),
    ...from.map((i, to) => cell(at(to), 264, CELL, 28, p.keys[i], p.digit[i], { step: step(i), now: [step(i)] })),
    ...from.map((_, to) => `<text x="${at(to) + CELL / 2}" y="258" text-anchor="middle" class="a">${to}</text>`),
  ];
  const svg = `<svg viewBox="0 0 ${WIDTH} 296" role="img" aria-label="Sixteen keys, the counts of their digits, the scan, and the keys in order of their digits">${parts.join('')}</svg>`;
  const captions = [
    'A radix sort looks at a few bits of each key at a time, the digit. Here it is the lower two bits; colour shows it.',
    `Histogram: each digit is counted. ${counts[1]} keys have digit 01.`,
    `Scan: each count is replaced by the sum of those before it. The ${counts[1]} keys of digit 01 begin at place ${starts[1]}.`,
    ...p.keys.map(
      (key, i) =>
        `Scatter: key ${key} has digit ${binary(p.digit[i])}, which begins at place ${starts[p.digit[i]]}, and ${p.rank[i]} equal digit${p.rank[i] === 1 ? ' is' : 's are'} before it. ` +
        `${starts[p.digit[i]]} + ${p.rank[i]} = ${p.place[i]}.${i === p.keys.length - 1 ? ' All keys are in order of this digit; the next pass takes the upper two bits.' : ''}`,
    ),
  ];
  return { svg, captions };
}

// Without a script, and in print: the last picture, and the sentences of the first steps. main.js adds the slider.
export function stepperHtml() {
  const { svg, captions } = stepper();
  return `<div class="stepper">${svg}<ol aria-live="polite">\n${captions.map((text) => `<li>${text}</li>`).join('\n')}\n</ol></div>`;
}
