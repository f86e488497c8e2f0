// Numbers as text, in tables and inside sentences.

export const NOT_MEASURED = 'not measured on this device';

// Significant digits, without an exponent: 0.0396, 26.1, 1,404.
export function digits(x, count = 3) {
  if (x == null || !Number.isFinite(x)) return null;
  if (x === 0) return '0';
  const rounded = Number(x.toPrecision(count)); // 0.9996 has the exponent of 1.00
  const places = Math.max(0, count - 1 - Math.floor(Math.log10(Math.abs(rounded))));
  return x.toLocaleString('en-US', { minimumFractionDigits: places, maximumFractionDigits: places });
}

// A published figure, as it is printed in the report but for zeros at its end.
export const plain = (x) => (x == null ? null : String(x));

export const count = (n) => n?.toLocaleString('en-US') ?? null;

// 220480 as such, round numbers with a letter (1K, 16M, 1G: thousands), large powers of two as such: 2\u00b2\u2078.
const RAISED = '\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079';
export const raised = (number) => [...String(number)].map((digit) => RAISED[digit]).join('');
export function size(n) {
  const power = Math.log2(n);
  if (power >= 20 && Number.isInteger(power)) return `2${raised(power)}`;
  for (const [unit, letter] of [
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'K'],
  ]) {
    if (n >= unit && n % (unit / 10) === 0) return `${n / unit}${letter}`;
  }
  return count(n);
}

export const ms = (x) => (x == null ? null : `${digits(x)} ms`);
export const percent = (x) => (x == null ? null : `${x >= 10 ? Math.round(x).toLocaleString('en-US') : digits(x, 2)}%`);
export const times = (x) => (x == null ? null : `${digits(x)} times`);

// "5.20 times as fast as X"; below 1 the other way round.
export const against = (gain, name) =>
  gain == null ? null : gain >= 1 ? `${times(gain)} as fast as ${name}` : `${name} is ${times(1 / gain)} as fast`;

// "A is 5.20 times as fast as B", or B as A.
export const faster = (a, b, gain) => (gain == null ? null : gain >= 1 ? `${a} is ${against(gain, b)}` : `${b} is ${against(1 / gain, a)}`);

// a / b, or null where one of them is missing.
export const over = (a, b) => (a == null || b == null || b === 0 ? null : a / b);

// "8M keys in 0.25 ms: 5.20 times as fast as X; 1.40 times as fast as Y."; others: [milliseconds, name] of each.
export function outcome(what, own, others, note = '') {
  if (own === null) return null;
  const parts = others.map(([time, name]) => against(over(time, own), name)).filter(Boolean);
  return `${what} in ${ms(own)}${note}${parts.length > 0 ? `: ${parts.join('; ')}` : ''}.`;
}

// A table of these items: each column has its name, and what it says of an item.
export const tableOfItems = (columns, items) => ({
  columns: columns.map(([name]) => name),
  rows: items.map((item) => columns.map(([, text]) => text(item))),
});

export function list(items) {
  if (items.length < 2) return items.join('');
  return `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}
