// The published figures: CSV without quotes, a header line, a row a line. An empty cell is null: the
// report gives no figure. Anything that is not a number stays text.
export function parseCsv(text, file = 'csv') {
  const lines = text.split(/\r?\n/).filter((line) => line !== '');
  if (lines.length === 0) throw new Error(`${file}: empty`);
  const names = lines[0].split(',');
  return lines.slice(1).map((line, i) => {
    const cells = line.split(',');
    if (cells.length !== names.length) {
      throw new Error(`${file}: line ${i + 2} has ${cells.length} cells, the header has ${names.length}`);
    }
    return Object.fromEntries(names.map((name, j) => [name, value(cells[j])]));
  });
}

function value(cell) {
  if (cell === '') return null;
  return Number.isFinite(Number(cell)) ? Number(cell) : cell;
}
