// The stepper: one radix pass over eight keys in two tiles, three ways. The arrays are computed here, by the steps of
// radix_v2, radix_v5 and radix_v7, not by their kernels: a tile of theirs has at least 32 elements. trace.test.mjs compares
// a pass with what radix_v2's kernels write.
const KEYS = [5, 12, 3, 9, 6, 15, 0, 10];
const [TILE, BINS, BITS] = [4, 4, 2];

// All arrays of one pass over the digit at `shift`, in tiles of `tile` keys.
export function onePass(keys = KEYS, shift = 0, tile = TILE) {
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

const CELL = 38;
const LEFT = 126;
const WIDTH = LEFT + 8 * CELL + 16 + 14;
const at = (i) => LEFT + i * CELL + (i >= TILE ? 16 : 0); // a gap between the tiles
const plain = (i) => LEFT + i * CELL + 8;

const label = (y, text) => `<text x="0" y="${y + 20}">${text}</text>`;
const cells = (y, values, { x = at, shade = () => '', cls = '' } = {}) =>
  values
    .map(
      (value, i) =>
        `<rect class="cell ${shade(i)}${cls}" x="${x(i)}" y="${y}" width="${CELL}" height="30"/>` +
        `<text x="${x(i) + CELL / 2}" y="${y + 20}" text-anchor="middle" class="n">${value}</text>`,
    )
    .join('');
const arrow = (x1, y1, x2, y2) => {
  const middle = (y1 + y2) / 2;
  return (
    `<path class="arrow" d="M${x1} ${y1}C${x1} ${middle} ${x2} ${middle} ${x2} ${y2 - 7}"/>` +
    `<path class="head" d="M${x2} ${y2}l-4-8h8z"/>`
  );
};
const binary = (value, bits) => value.toString(2).padStart(bits, '0');
const drawing = (height, body, name) => `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${name}">${body}</svg>`;

// Frames: {title, text, svg}.
export function frames() {
  const p = onePass();
  const digitShade = (list) => (i) => `d${list[i]}`;
  const bits = p.keys.map((key) => binary(key, 4));
  const tileNames = `<text x="${at(0)}" y="12" class="a">tile 0: block 0</text><text x="${at(4)}" y="12" class="a">tile 1: block 1</text>`;
  const input = (y) => label(y, 'keys') + cells(y, p.keys, { shade: digitShade(p.digit) });
  const table = (y, rows, name, x0 = LEFT) =>
    rows
      .map(
        (row, bin) =>
          `<text x="0" y="${y + bin * 34 + 20}">${bin === 0 ? name : ''}</text><text x="${x0 - 10}" y="${y + bin * 34 + 20}" text-anchor="end" class="a">bin ${binary(bin, BITS)}</text>` +
          cells(y + bin * 34, row, { x: (i) => x0 + i * CELL, shade: () => `d${bin}` }),
      )
      .join('');
  const moves = (from, to, places) => p.keys.map((_, i) => arrow(at(i) + CELL / 2, from, plain(places[i]) + CELL / 2, to)).join('');
  const outputDigits = p.output.map((key) => key & 3);

  // Look-back: tile 1 adds what tile 0 has published to the starts of the bins.
  const totals = p.hist.map((row) => row[0] + row[1]);
  let sum = 0;
  const binStart = totals.map((count) => (sum += count) - count);

  // Buckets: the upper two bits; any order inside a bucket, then each is sorted by a block.
  const upper = p.keys.map((key) => key >> 2);
  const up = onePass(p.keys, 2);
  const sorted = [...p.keys].sort((a, b) => a - b);

  return [
    {
      title: 'The input',
      text: `Eight keys of four bits, in two tiles. A radix sort takes a few bits at a time, the digit: here the lower two. Colour and the second row show it.`,
      svg: drawing(
        92,
        tileNames + input(20) + label(56, 'binary') + cells(56, bits, { shade: digitShade(p.digit) }),
        'eight keys and their digits',
      ),
    },
    {
      title: 'radix_v2, hist: each tile counts its digits',
      text: 'A block per tile counts in shared memory. The counts become a table: a row for each digit (bin), a column for each tile.',
      svg: drawing(206, tileNames + input(20) + table(66, p.hist, 'hist'), 'counts of each digit in each tile'),
    },
    {
      title: 'scan: where does each run start?',
      text: 'An exclusive scan, row by row: each entry becomes the sum of all before it. So every tile knows where its run of each digit begins.',
      svg: drawing(
        156,
        table(10, p.hist, 'hist') +
          p.hist.map((_, i) => arrow2(LEFT + 2 * CELL + 8, 25 + i * 34)).join('') +
          table(10, p.start, '', LEFT + 5.4 * CELL) +
          `<text x="${LEFT + 7.4 * CELL + 10}" y="30" class="a">start</text>`,
        'the table of counts and its exclusive scan',
      ),
    },
    {
      title: 'rank: how many equal digits are before me in my tile?',
      text: 'Ranks are needed inside a tile only. The place of a key is the start of its run plus its rank.',
      svg: drawing(
        128,
        tileNames + input(20) + label(56, 'rank') + cells(56, p.rank) + label(92, 'place') + cells(92, p.place),
        'ranks and places of the eight keys',
      ),
    },
    {
      title: 'scatter: every key moves to its place',
      text: 'Now the keys are in order by their lower two bits, and keys with equal digits have kept their order: the pass is stable. The next pass does the same with the upper two.',
      svg: drawing(
        176,
        tileNames +
          input(20) +
          moves(51, 140, p.place) +
          label(140, 'output') +
          cells(140, p.output, { x: plain, shade: digitShade(outputDigits) }),
        'arrows from each key to its place in the output',
      ),
    },
    {
      title: 'radix_v5, look-back: no launch between the steps',
      text: `One kernel does the whole pass. The starts of the bins are known from one count at the beginning. A tile publishes its counts, then reads the counts of the tiles before it: tile 1 adds tile 0's counts to the starts.`,
      svg: drawing(
        186,
        label(30, 'starts of bins') +
          cells(30, binStart, { x: (i) => LEFT + i * CELL, shade: (i) => `d${i}` }) +
          label(80, 'tile 0 publishes') +
          cells(
            80,
            p.hist.map((row) => row[0]),
            { x: (i) => LEFT + i * CELL, shade: (i) => `d${i}` },
          ) +
          p.hist.map((_, i) => arrow(LEFT + (i + 0.5) * CELL, 111, LEFT + (i + 0.5) * CELL, 136)).join('') +
          label(136, 'tile 1 starts at') +
          cells(
            136,
            p.hist.map((row, bin) => binStart[bin] + row[0]),
            { x: (i) => LEFT + i * CELL, shade: (i) => `d${i}` },
          ) +
          `<text x="${LEFT + 4 * CELL + 14}" y="156" class="a">= starts + tile 0's</text>`,
        'tile 1 adds the counts that tile 0 published',
      ),
    },
    {
      title: 'radix_v7, buckets: the upper bits first',
      text: 'The upper two bits choose a bucket. Equal bare keys are identical, so the order inside a bucket does not matter: each key takes the next free place with one atomic addition, without a rank.',
      svg: drawing(
        176,
        tileNames +
          label(20, 'keys') +
          cells(20, p.keys, { shade: digitShade(upper) }) +
          moves(51, 140, up.place) +
          label(140, 'buckets') +
          cells(140, up.output, { x: plain, shade: (i) => `d${up.output[i] >> 2}` }),
        'arrows from each key to its bucket',
      ),
    },
    {
      title: 'A block sorts each bucket, and all is in order',
      text: 'A bucket fits into the shared memory of one block. After one trip through memory to the bucket and one back, the keys are sorted: no further pass.',
      svg: drawing(
        126,
        label(20, 'buckets') +
          cells(20, up.output, { x: plain, shade: (i) => `d${up.output[i] >> 2}` }) +
          up.output.map((key, i) => arrow(plain(i) + CELL / 2, 51, plain(sorted.indexOf(key)) + CELL / 2, 90)).join('') +
          label(90, 'sorted') +
          cells(90, sorted, { x: plain, shade: (i) => `d${sorted[i] >> 2}` }),
        'each bucket sorted',
      ),
    },
  ];
}
function arrow2(x, y) {
  return `<path class="arrow" d="M${x} ${y}H${x + 2 * CELL - 26}"/><path class="head" d="M${x + 2 * CELL - 18} ${y}l-8-4v8z"/>`;
}

// Without a script, and in print, all frames stand below each other; main.js shows one at a time.
export const onePassHtml = () =>
  `<div class="stepper" role="group" aria-label="One pass over eight keys, step by step; arrow keys move">\n<ol>\n${frames()
    .map(({ title, text, svg }) => `<li><h3>${title}</h3>${svg}<p>${text}</p></li>`)
    .join('\n')}\n</ol></div>`;
