// Headless Chromium with the page open from disk; whatever it logs or asks of the network is kept.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const require = createRequire(path.join(ROOT, 'report/build.js'));
const { chromium } = require('playwright-core');

const executable = () =>
  execFileSync('sh', ['-c', 'command -v chromium || command -v chromium-browser || command -v google-chrome'], { encoding: 'utf8' }).trim();

export const launch = () => chromium.launch({ executablePath: executable(), args: ['--no-sandbox'] });

export async function open(browser, { width = 1280, colorScheme = 'light', javaScriptEnabled = true, hasTouch = false } = {}) {
  const file = path.join(ROOT, 'report/index.html');
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme, javaScriptEnabled, hasTouch });
  const trouble = [];
  page.on('console', (message) => trouble.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => trouble.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (!/^(file|data|blob):/.test(request.url())) trouble.push(`request: ${request.url()}`);
  });
  await page.goto(`file://${file}`);
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
