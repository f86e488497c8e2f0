// Statements whose truth depends on the records. {{if.NAME}} in a [[?sentence]] keeps it where the statement holds, and
// {{not.NAME}} where it does not; both are empty texts. Without a record of it neither sentence is shown.
import { best, bestMs, firstRecord, rowsOf, rowWith, versionsOf } from './records.js';
import { over } from './format.js';
import { sequentialMs } from './merge_cpu.js';
import { hits } from './questions.js';

const formMs = (device, n, knobs) => rowWith(firstRecord(device, 'variant_bitonic'), knobs, { n })?.median_ms ?? null;

// The largest factor of a version's time on an input over that on uniform keys.
function mostSensitive(device) {
  const record = firstRecord(device, 'inputs_keys');
  if (!record) return null;
  const worst = versionsOf(record).map((version) => {
    const uniform = bestMs(record, { version, input: 'uniform' });
    return { version, factor: Math.max(...rowsOf(record, { version, status: 'ok' }).map((row) => over(row.median_ms, uniform) ?? 0)) };
  });
  return worst.reduce((a, b) => (b.factor > a.factor ? b : a)).version;
}
const greater = (a, b) => (a == null || b == null ? null : a > b);

// Each returns true, false, or null where the device has no record of it.
const STATEMENTS = {
  speedup_rises: (device) => {
    const record = firstRecord(device, 'merge_bottomup_test2');
    const speedup = (n) => over(sequentialMs(device, n), bestMs(record, { n, what: 'keys' }));
    return greater(speedup(1e8), 1.02 * speedup(6e7) || null);
  },
  // One step a visit costs ours about what the article's form costs.
  visits_not_mirrors: (device) => {
    const [article, one] = [formMs(device, 2 ** 26, { textbook: 1 }), formMs(device, 2 ** 26, { textbook: 0, steps: 1 })];
    return article === null || one === null ? null : one > 0.8 * article;
  },
  mppsort_depends_most: (device) => {
    const version = mostSensitive(device);
    return version === null ? null : version === 'mppsort';
  },
  // In the launch that gains most from smaller blocks the hit rate of the cache is higher too.
  cache_explains: (device) => {
    const { first, second } = hits(device);
    return greater(second?.['L1 hit rate'], first?.['L1 hit rate']);
  },
  // The queue of atomic additions: radix_v1's histogram beside radix_v2's.
  v1_hist_queues: (device) => {
    const [v1, v2] = ['radix_v1', 'radix_v2'].map(
      (version) => best(firstRecord(device, 'hw4'), { version, what: 'pairs' })?.stages_ms?.hist,
    );
    return v1 == null || v2 == null ? null : v1 > 2 * v2;
  },
  repeats: (device) => Object.keys(device.records).some((name) => /^repeat_/.test(name)),
};

export function values(report, device) {
  const values = {};
  for (const [name, holds] of Object.entries(STATEMENTS)) {
    const truth = holds(device);
    values[`if.${name}`] = truth === true ? '' : null;
    values[`not.${name}`] = truth === false ? '' : null;
  }
  return values;
}
