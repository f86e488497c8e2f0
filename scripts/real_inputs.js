#!/usr/bin/env node
// Builds the two real inputs of compare, build/inputs/scores.npy and build/inputs/morton.npy.
//
// scores: the red-eye scores (float bits) of samples/portrait.ppm, a drawing of this repository;
// same licence.
//
// morton: Morton codes of the points of the world's coasts and borders: longitude and latitude
// scaled to 16 bits each, their bits interleaved (longitude in the even bits), in the order of the
// file, line after line. From countries-10m.json of the npm package world-atlas 2.0.2 (ISC, Michael
// Bostock), which is made from Natural Earth 4.1.0, 1:10m cultural vectors: public domain
// (https://www.naturalearthdata.com/about/terms-of-use/).
//
//   node scripts/real_inputs.js [world-atlas-2.0.2.tgz]      (without the file: npm fetches it)
'use strict';
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { replaceFile } = require('./replace_file.js');

const PACKAGE = 'world-atlas@2.0.2';
const OUT = 'build/inputs';

// numpy's format, version 1.0: the header is padded so that the data begin at byte 128.
function saveNpy(file, keys) {
  const text = `{'descr': '<u4', 'fortran_order': False, 'shape': (${keys.length},), }`;
  const head = Buffer.concat([
    Buffer.from([0x93]),
    Buffer.from('NUMPY\x01\x00\x76\x00', 'latin1'),
    Buffer.from(text.padEnd(117) + '\n', 'latin1'),
  ]);
  const body = Buffer.alloc(4 * keys.length);
  keys.forEach((key, i) => body.writeUInt32LE(key, 4 * i));
  replaceFile(file, Buffer.concat([head, body]));
  console.error(`real_inputs: ${file}, ${keys.length} keys`);
}

// abcd -> 0a0b0c0d, for 16 bits.
function spread(x) {
  x = (x | (x << 8)) & 0x00ff00ff;
  x = (x | (x << 4)) & 0x0f0f0f0f;
  x = (x | (x << 2)) & 0x33333333;
  return (x | (x << 1)) & 0x55555555;
}

function morton(longitude, latitude) {
  const x = Math.min(65535, Math.floor(((longitude + 180) / 360) * 65536));
  const y = Math.min(65535, Math.floor(((latitude + 90) / 180) * 65536));
  return (spread(x) | (spread(y) << 1)) >>> 0;
}

// A topology's lines ("arcs") are points on a grid, each as its difference from the one before.
function mortonCodes(topology) {
  const { scale, translate } = topology.transform;
  const codes = [];
  for (const arc of topology.arcs) {
    let x = 0,
      y = 0;
    for (const [dx, dy] of arc) {
      x += dx;
      y += dy;
      codes.push(morton(x * scale[0] + translate[0], y * scale[1] + translate[1]));
    }
  }
  return codes;
}

process.chdir(path.join(__dirname, '..'));
fs.mkdirSync(OUT, { recursive: true });
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'real_inputs.'));
try {
  const archive =
    process.argv[2] !== undefined
      ? path.resolve(process.argv[2])
      : path.join(folder, execFileSync('npm', ['pack', '--silent', PACKAGE], { cwd: folder, encoding: 'utf8' }).trim());
  execFileSync('tar', ['xzf', archive, '-C', folder, 'package/countries-10m.json']);
  const file = path.join(folder, 'package', 'countries-10m.json');
  saveNpy(`${OUT}/morton.npy`, mortonCodes(JSON.parse(fs.readFileSync(file, 'utf8'))));
} finally {
  fs.rmSync(folder, { recursive: true });
}
execFileSync('make', ['-s', 'samples', 'compare'], { stdio: 'inherit' });
execFileSync('./compare', ['--image', 'samples/portrait.ppm,samples/template.ppm', '--save-input', `${OUT}/scores.npy`], {
  stdio: 'inherit',
});
console.error(`real_inputs: ${OUT}/scores.npy`);
