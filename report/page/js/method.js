// Numbers of the part about the method: how many rows, which of them are noisy, CPU code, devices.
import { count, list, percent, size } from './format.js';
import { isCpuCode, label, versionOrder } from './records.js';

// The rows whose noise is above 10%, by version.
function noisyRows(device) {
  const noisy = Object.entries(device.records).flatMap(([name, record]) =>
    record.rows.filter((row) => row.status === 'ok' && row.noise > 0.1).map((row) => ({ name, ...row })),
  );
  if (noisy.length === 0) return null;
  const versions = [...new Set(noisy.map(({ version }) => version))];
  return versions
    .map((version) => {
      const places = noisy.filter((row) => row.version === version);
      return `${version} (${places.map((row) => `${size(row.n)} ${row.what}, \u00b1${percent(100 * row.noise)}, ${row.name}`).join('; ')})`;
    })
    .join(', ');
}

export function values(report, device) {
  const rows = Object.values(device.records).flatMap((record) => record.rows.filter((row) => row.status === 'ok'));
  return {
    'method.cpu_code': list(versionOrder(report).filter((version) => isCpuCode(report, version))),
    'method.rows': count(rows.length),
    'method.noisy': count(rows.filter((row) => row.noise > 0.1).length),
    'method.noisy_rows': noisyRows(device),
    'method.devices': list(report.devices.map(label)),
  };
}
