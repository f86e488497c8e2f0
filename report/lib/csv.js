// A CSV file as a list of objects, one for each line after the header. An empty cell is null. A cell that is not a number stays text.
import Papa from 'papaparse';

export function parseCsv(text, file = 'csv') {
  const { data, errors, meta } = Papa.parse(text.trim(), { delimiter: ',', header: true, skipEmptyLines: true, transform: cellValue });
  if (!meta.fields?.length) throw new Error(`${file}: empty`);
  if (errors.length > 0) throw new Error(`${file}: row ${errors[0].row + 1}: ${errors[0].message}`);
  return data;
}

// A commit stays text: 516e10 is no number.
function cellValue(cell, column) {
  if (cell === '') return null;
  if (column === 'commit') return cell;
  return Number.isFinite(Number(cell)) ? Number(cell) : cell;
}
