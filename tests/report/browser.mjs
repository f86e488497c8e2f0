// A fresh build of the page, and headless Chromium with it open from disk; whatever it logs or asks of the network is kept.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const require = createRequire(path.join(ROOT, 'report/build.js'));
const { chromium } = require('playwright-core');

// The file of the page. report/index.html is from the last release and may be older.
let built = null;
export function buildFile() {
  if (built === null) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'page-'));
    process.on('exit', () => fs.rmSync(folder, { recursive: true }));
    execFileSync('node', [path.join(ROOT, 'report/build.js'), path.join(folder, 'index.html')], { stdio: 'ignore' });
    built = path.join(folder, 'index.html');
  }
  return built;
}

const executable = () =>
  execFileSync('sh', ['-c', 'command -v chromium || command -v chromium-browser || command -v google-chrome'], { encoding: 'utf8' }).trim();

export const launch = () => chromium.launch({ executablePath: executable(), args: ['--no-sandbox'] });

export async function open(browser, { width = 1280, colorScheme = 'light', javaScriptEnabled = true, hasTouch = false } = {}) {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme, javaScriptEnabled, hasTouch });
  const trouble = [];
  page.on('console', (message) => trouble.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => trouble.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (!/^(file|data|blob):/.test(request.url())) trouble.push(`request: ${request.url()}`);
  });
  await page.goto(`file://${buildFile()}`);
  return { page, trouble };
}

export const devicesOf = (page) => page.$$eval('#devices input', (inputs) => inputs.map((input) => input.value));
export const choose = (page, id) => page.check(`#devices input[value="${id}"]`);

// The records, read without the code of the page.
const known = new Map();
export function record(device, ...names) {
  const results = path.join(ROOT, 'report/results');
  const files = names.flatMap((name) => [`${device}/${name}.json`, `${name}_${device}.json`, name === 'standard' ? `${device}.json` : '']);
  const found = files
    .filter(Boolean)
    .map((name) => path.join(results, name))
    .find((name) => fs.existsSync(name));
  if (found && !known.has(found)) known.set(found, JSON.parse(fs.readFileSync(found, 'utf8')));
  return found ? known.get(found) : null;
}
