// A fresh build of the pages, and headless Chromium with one of them open from disk; whatever it logs or asks of the network is kept.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const require = createRequire(path.join(ROOT, 'report/build.js'));
const { chromium } = require('playwright-core');

// A fresh file of a page: of test_report.sh's build, or of one for this file alone. Those in report/ are from the last
// release and may be older.
let built = process.env.PAGES ?? null;
export function buildFile(name = 'data.html') {
  if (built === null) {
    built = fs.mkdtempSync(path.join(os.tmpdir(), 'page-'));
    process.on('exit', () => fs.rmSync(built, { recursive: true }));
    execFileSync('node', [path.join(ROOT, 'report/build.js'), built], { stdio: 'ignore' });
  }
  return path.join(built, name);
}

const executable = () =>
  execFileSync('sh', ['-c', 'command -v chromium || command -v chromium-browser || command -v google-chrome'], { encoding: 'utf8' }).trim();

// The text of HTML.
export const plain = (html) =>
  html
    .replace(/<[^>]*>/g, '')
    .replace(/&(lt|gt|quot|#39|#x27|amp);/g, (_, name) => ({ lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'", amp: '&' })[name]);

export const launch = () => chromium.launch({ executablePath: executable(), args: ['--no-sandbox'] });

export async function open(browser, { width = 1280, colorScheme = 'light', javaScriptEnabled = true, name } = {}) {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme, javaScriptEnabled });
  const trouble = [];
  page.on('console', (message) => trouble.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => trouble.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (!/^(file|data|blob):/.test(request.url())) trouble.push(`request: ${request.url()}`);
  });
  await page.goto(`file://${buildFile(name)}`);
  return { page, trouble };
}

export const PAGES = ['index.html', 'data.html'];
export const devicesOf = (page) => page.$$eval('#devices input', (inputs) => inputs.map((input) => input.value));
export const choose = (page, id) => page.check(`#devices input[value="${id}"]`);
// The page once for each device; the article has none to choose.
export async function forEachDevice(page, look) {
  const devices = await devicesOf(page);
  if (devices.length === 0) return look('the article');
  for (const device of devices) {
    await page.$eval(`input[value="${device}"]`, (input) => input.click());
    await look(device);
  }
}

// The records, read without the code of the page.
const known = new Map();
export function record(device, ...names) {
  const results = path.join(ROOT, 'report/results');
  const found = names.map((name) => path.join(results, device, `${name}.json`)).find((name) => fs.existsSync(name));
  if (found && !known.has(found)) known.set(found, JSON.parse(fs.readFileSync(found, 'utf8')));
  return found ? known.get(found) : null;
}
