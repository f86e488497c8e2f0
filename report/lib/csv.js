// The published figures as a list of objects, one for each line after the header. An empty cell is null: the
// report gives no figure. A cell that is not a number stays text.
import Papa from 'papaparse';

export function parseCsv(text, file = 'csv') {
  const { data, errors, meta } = Papa.parse(text.trim(), { delimiter: ',', header: true, skipEmptyLines: true, transform: cellValue });
  if (!meta.fields?.length) throw new Error(`${file}: empty`);
  if (errors.length > 0) throw new Error(`${file}: row ${errors[0].row + 1}: ${errors[0].message}`);
  return data;
}

function cellValue(cell) {
  if (cell === '') return null;
  return Number.isFinite(Number(cell)) ? Number(cell) : cell;
}
