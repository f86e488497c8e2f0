// Bytes of memory that a radix version reads and writes per pair (key and position, 4 bytes each), counted from its code.
// Tables of counts per tile are left out: they are smaller by the tile's length.
import { size } from '../page/js/format.js';
import { SECOND } from '../page/js/second.js';
import { escapeHtml, textWidth } from './svg.js';

// scatter of v1 to v4: reads digit, rank, key and position, writes key and position: 24 bytes.
const fourSteps = (second) => [['digits', 8], second, ['rank', 8], ['scatter', 24]];
// `steps` are the steps of one pass; `once` is moved outside of the passes.
// `upTo`: only for so many elements; more of them take the way of another version.
export const TRAFFIC = {
  seq: {
    passes: 4,
    once: 0,
    steps: [
      ['count', 4],
      ['scatter', 16],
    ],
  },
  radix_v1: {
    passes: 32,
    once: 16,
    steps: [
      ['digits', 8],
      ['count', 4],
      ['scan', 16],
      ['rank', 12],
      ['scatter', 24],
    ],
  },
  radix_v2: { passes: 8, once: 16, steps: fourSteps(['count', 4]) },
  radix_v3: { passes: 8, once: 16, steps: fourSteps(['sort tiles', 24]) },
  radix_v4: { passes: 8, once: 16, steps: fourSteps(['sort tiles', 24]) },
  radix_v5: { passes: 4, once: 4, steps: [['one sweep', 16]] },
  radix_v6: { passes: 4, once: 4, steps: [['one sweep', 16]] },
  // In one step; beyond, 24 bytes in two.
  radix_v7: {
    of: 'key',
    upTo: 8.9e6,
    passes: 1,
    once: 0,
    steps: [
      ['move', 8],
      ['sort', 8],
    ],
  },
  radix_v8: {
    upTo: 8.9e6,
    passes: 1,
    once: 0,
    steps: [
      ['sort tiles', 16],
      ['gather, sort', 16],
    ],
  },
  // Uniform keys, two sweeps over the upper bits, no count: from 8.9M pairs on.
  radix_v9: { passes: 2, once: 16, steps: [['sweep', 16]] },
};
const bytesOfPass = ({ steps }) => steps.reduce((sum, [, bytes]) => sum + bytes, 0);
export const bytesOf = (version) => TRAFFIC[version].once + TRAFFIC[version].passes * bytesOfPass(TRAFFIC[version]);
const ONCE = { radix_v5: 'histograms', radix_v6: 'histograms', radix_v9: 'buckets' };

// A bar of all trips of 8 bytes through memory, and the count's read, of a version that SECOND lists; all to one scale.
function tripsSvg(version) {
  const { n, bytes } = SECOND[version];
  const [trips, count] = [Math.floor(bytes / 8), bytes % 8];
  const width = 460;
  const scale = width / Math.max(...Object.values(SECOND).map((one) => one.bytes));
  const text = `${size(n)} keys, ${bytes} bytes each: ${count ? `count ${count} + ` : ''}${trips} trips x 8`;
  const parts = [count, ...Array(trips).fill(8)].filter(Boolean);
  const starts = parts.map((_, i) => parts.slice(0, i).reduce((sum, part) => sum + part, 0));
  const bar = ([part, start], i) =>
    `<rect class="k${count && i === 0 ? 1 : 5} b" x="${(start * scale).toFixed(1)}" y="22" width="${(part * scale).toFixed(1)}" height="16"/>`;
  return (
    `<svg class="traffic" viewBox="0 0 ${width} 42" role="img" aria-label="${escapeHtml(`${version} moves ${text}`)}">` +
    `<text x="0" y="15">${text}</text>${parts.map((part, i) => bar([part, starts[i]], i)).join('')}</svg>`
  );
}

// Two bars to scale: one pass (all versions on one scale), and the whole sort beside radix_v1's.
export function trafficSvg(version) {
  if (SECOND[version]) return tripsSvg(version);
  const { passes, once, steps, of = 'pair', upTo } = TRAFFIC[version];
  const [total, most] = [bytesOf(version), bytesOf('radix_v1')];
  const pass = bytesOfPass(TRAFFIC[version]);
  const width = 460;
  const scale = width / 64;
  const head = passes === 1 ? 'the whole sort' : `one of ${passes} passes`;
  const parts = [`<text x="0" y="15">${head}: ${pass} bytes a ${of}${upTo ? `, up to ${size(upTo)} ${of}s` : ''}</text>`];
  let [x, below] = [0, 0];
  steps.forEach(([name, bytes], i) => {
    const w = bytes * scale;
    // The name of a part that is too short for it stands below.
    const fits = w > textWidth(`${name} ${bytes}`, 15);
    if (!fits) below = 16;
    parts.push(
      `<rect class="k${i} b" x="${x.toFixed(1)}" y="20" width="${w.toFixed(1)}" height="24"><title>${name}: ${bytes} bytes</title></rect>`,
      `<text x="${(x + w / 2).toFixed(1)}" y="37" text-anchor="middle" class="i">${fits ? `${name} ${bytes}` : bytes}</text>`,
      fits ? '' : `<text x="${x.toFixed(1)}" y="58">${name}</text>`,
    );
    x += w;
  });
  const text = `${total.toLocaleString('en-US')} bytes`;
  const sum = `${passes} x ${pass}${once > 0 ? ` + ${once} (${ONCE[version] ?? 'last copy'})` : ''}`;
  if (passes > 1)
    parts.push(
      `<text x="0" y="${66 + below}">whole sort: ${text} = ${sum}</text>`,
      `<rect class="k5 b" x="0" y="${72 + below}" width="${Math.max(3, (total / most) * width).toFixed(1)}" height="16"/>`,
    );
  return (
    `<svg class="traffic" viewBox="0 0 ${width} ${(passes > 1 ? 92 : 48) + below}" role="img" aria-label="${escapeHtml(`${version} moves ${text} a ${of}: ${sum}`)}">` +
    `${parts.join('')}</svg>`
  );
}
