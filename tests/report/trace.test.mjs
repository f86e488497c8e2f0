// The stepper's arrays against a real run: radix_v2's kernels on the cpu backend, traced, 64 keys in two tiles of 32.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { onePass } from '../../report/lib/one_pass.js';
import { ROOT } from './browser.mjs';

test('one pass: the arrays are those that the kernels of radix_v2 wrote', (t) => {
  if (!fs.existsSync(path.join(ROOT, 'build/cpu/radix_v2/student_func.o'))) return t.skip('build/cpu/radix_v2 is not built');
  const keys = Array.from({ length: 64 }, (_, i) => (i * i * 7 + 3 * i + 5) % 16);
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'trace-')), 'trace.json');
  const set = 'nBits=2 blockSize=32';
  execFileSync('make', ['-s', 'BACKEND=cpu', 'trace', 'V=radix_v2', `KEYS=${keys.join(' ')}`, `SET=${set}`, `JSON=${file}`], {
    cwd: ROOT,
    env: { ...process.env, MAKEFLAGS: '', MAKELEVEL: '' },
  });
  const { steps } = JSON.parse(fs.readFileSync(file, 'utf8'));
  const pass = steps.slice(0, 1 + steps.findIndex(({ name }) => name === 'scatter'));
  const written = (array) => pass.flatMap(({ changed }) => changed).findLast((one) => one.array === array).values;
  const ours = onePass(keys, 0, 32);
  assert.deepEqual(written('digit'), ours.digit);
  assert.deepEqual(written('hist'), ours.hist.flat());
  assert.deepEqual(written('start').slice(0, -1), ours.start.flat());
  assert.deepEqual(written('rank'), ours.rank);
  assert.deepEqual(written('d_outputVals'), ours.output);
});
