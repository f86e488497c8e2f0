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

export async function open(browser, { width = 1280, colorScheme = 'light', file = path.join(ROOT, 'report/index.html') } = {}) {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
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

// {figure: {labels, datasets: {name: data}}} of all charts that are drawn.
export const chartsOf = (page) =>
  page.$$eval('figure[data-figure]', (figures) =>
    Object.fromEntries(
      figures.flatMap((figure) => {
        const canvas = figure.querySelector('canvas');
        const chart = canvas && reportPage.Chart.getChart(canvas);
        return chart
          ? [
              [
                figure.dataset.figure,
                { labels: chart.data.labels, datasets: Object.fromEntries(chart.data.datasets.map((one) => [one.label, one.data])) },
              ],
            ]
          : [];
      }),
    ),
  );

// The records, read without the code of the page.
export function record(device, ...names) {
  const results = path.join(ROOT, 'report/results');
  const files = names.flatMap((name) => [`${device}/${name}.json`, `${name}_${device}.json`, name === 'standard' ? `${device}.json` : '']);
  const found = files
    .filter(Boolean)
    .map((name) => path.join(results, name))
    .find((name) => fs.existsSync(name));
  return found ? JSON.parse(fs.readFileSync(found, 'utf8')) : null;
}
