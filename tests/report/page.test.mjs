// The page in a browser: the switch, the stepper, widths, dark, print, without a script.
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { PAGES, choose, devicesOf, forEachDevice, launch, open } from './browser.mjs';

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const openAll = (page) => page.$$eval('details', (all) => all.forEach((one) => (one.open = true)));
// Elements that take up room, among those that a selector finds.
const shown = (page, selector) => page.$$eval(selector, (all) => all.filter((one) => one.getClientRects().length > 0).length);

for (const javaScriptEnabled of [true, false]) {
  test(`the switch shows one device at a time, ${javaScriptEnabled ? 'with' : 'without'} a script`, async () => {
    const { page } = await open(browser, { javaScriptEnabled });
    const seen = new Set();
    for (const device of await devicesOf(page)) {
      await choose(page, device);
      assert.ok((await shown(page, `[data-device="${device}"]`)) > 20, device);
      assert.equal(await shown(page, `[data-device]:not([data-device="${device}"])`), 0, device);
      assert.equal((await shown(page, '.caution')) > 0, device.startsWith('cpu_'), device);
      const text = await page.innerText('body');
      assert.doesNotMatch(text, /NaN|undefined|null|Infinity|\{\{|\[\[|<!--/, device);
      seen.add(text);
    }
    assert.equal(seen.size, (await devicesOf(page)).length);
  });
}
test('without a script: every figure has its chart or a note, its numbers and its source; the stepper is a list', async () => {
  const { page } = await open(browser, { javaScriptEnabled: false });
  for (const device of await devicesOf(page)) {
    await choose(page, device);
    const figures = await page.$$eval('figure[data-figure]', (all) => {
      const visible = (place, selector) => [...place.querySelectorAll(selector)].filter((one) => one.getClientRects().length > 0);
      return all.map((figure) => ({
        id: figure.dataset.figure,
        marks: visible(figure, 'svg use, svg rect, svg path.c').length,
        notes: visible(figure, '.missing').length,
        source: visible(figure, '.source').length,
      }));
    });
    assert.ok(figures.length >= 17);
    for (const { id, marks, notes, source } of figures) {
      assert.ok(marks > 2 || notes > 0, `${device} ${id}: neither a chart nor a note that there is none`);
      assert.ok(source > 0 || notes > 0, `${device} ${id}: no source`);
    }
  }
});
test('the stepper: a slider by keyboard; a still picture without a script', async () => {
  const { page } = await open(browser, { name: 'index.html', width: 390 });
  const seen = async () => [
    await page.innerText('.stepper li.shown'),
    await shown(page, '.stepper [data-since]:not(.later)'),
    await shown(page, '.stepper .now'),
  ];
  await page.focus('.stepper input');
  assert.deepEqual((await seen()).slice(1), [0, 0]);
  await page.keyboard.press('ArrowRight');
  assert.match((await seen())[0], /^Histogram/);
  await page.keyboard.press('End');
  assert.match((await seen())[0], /All keys are in order of this digit/);
  assert.deepEqual((await seen()).slice(1), [24, 3]);
  await page.keyboard.press('ArrowLeft');
  assert.equal((await seen())[1], 23);
  const { page: still } = await open(browser, { name: 'index.html', javaScriptEnabled: false });
  assert.equal(await shown(still, '.stepper [data-since]'), 24);
  assert.equal(await shown(still, '.stepper li'), 4);
  assert.equal(await shown(still, '.stepper input'), 0);
});
test('the article has at most 15 screens at 1,400 pixels', async () => {
  const { page } = await open(browser, { name: 'index.html', width: 1400 });
  const screens = await page.evaluate(() => document.documentElement.scrollHeight / innerHeight);
  assert.ok(screens <= 15, `${screens} screens`);
});
test('the contents lead to headings that are there; "The numbers" opens by key', async () => {
  const { page } = await open(browser);
  const targets = await page.$$eval('a[href^="#"]', (links) =>
    links.map((link) => [link.hash, Boolean(document.querySelector(link.hash))]),
  );
  assert.ok(targets.length >= 10);
  for (const [hash, found] of targets) assert.ok(found, hash);
  const table = 'figure[data-figure="worklog"] [data-device="H200"] table';
  assert.equal(await page.isVisible(table), false);
  await page.focus('figure[data-figure="worklog"] [data-device="H200"] summary');
  await page.keyboard.press('Enter');
  assert.equal(await page.isVisible(table), true);
});
test('no errors, no network, in light and dark', async () => {
  for (const name of PAGES)
    for (const colorScheme of ['light', 'dark']) {
      const { page, trouble } = await open(browser, { name, colorScheme });
      await forEachDevice(page, () => {});
      assert.deepEqual(trouble, [], `${name}, ${colorScheme}`);
    }
});
const views = (...widths) => PAGES.flatMap((name) => widths.map((width) => [name, width]));
for (const [name, width] of views(360, 1400))
  test(`${name}: nothing is wider than the screen at ${width} pixels, with all tables open${width > 1000 ? '; no table scrolls' : ''}`, async () => {
    const { page } = await open(browser, { name, width });
    await forEachDevice(page, async (device) => {
      await openAll(page);
      const wide = await page.evaluate(
        ([room, scrolls]) => [
          ...[...document.querySelectorAll('body *')]
            .filter((one) => !one.closest('.scroll, svg, pre, .chart.wide') && one.getBoundingClientRect().right > room + 0.5)
            .map((one) => one.outerHTML.slice(0, 80)),
          ...[...document.querySelectorAll('.scroll')]
            .filter((one) => scrolls && one.scrollWidth > one.clientWidth + 1)
            .map((one) => `scrolls: ${one.getAttribute('aria-label')}`),
        ],
        [width, width > 1000],
      );
      assert.deepEqual(wide, [], device);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    });
  });
for (const [name, width] of views(390, 1400))
  test(`${name}: no label of a drawing is cut off or lies on another one at ${width} pixels`, async () => {
    const { page } = await open(browser, { name, width });
    await forEachDevice(page, async (device) => assert.deepEqual(await page.evaluate(badLabels), [], device));
  });
test('a label that is cut off and two that overlap are found', async () => {
  const page = await browser.newPage();
  const text = (x, content) => `<text x="${x}" y="20">${content}</text>`;
  await page.setContent(
    `<svg viewBox="0 0 200 40" width="200" aria-label="a">${text(-9, 'cut')}${text(60, 'one')}${text(66, 'two')}</svg>`,
  );
  assert.deepEqual(await page.evaluate(badLabels), ['a: cut', 'a: one / two']);
});
test('a finger hits every control: 44 pixels; regions that scroll have names', async () => {
  for (const name of PAGES) {
    const { page } = await open(browser, { name, width: 390 });
    const low = await page.$$eval('input[type=range], summary, #devices label, nav.contents a', (all) =>
      all
        .filter((one) => one.getClientRects().length > 0 && one.getBoundingClientRect().height < 43.9)
        .map((one) => one.outerHTML.slice(0, 60)),
    );
    assert.deepEqual(low, [], name);
    assert.equal(await page.$$eval('[tabindex="0"]', (all) => all.filter((one) => !one.ariaLabel).length), 0, name);
  }
});
for (const name of PAGES)
  test(`${name}, print: light, all tables open, nothing cut off at the right, nothing below 8 points`, async () => {
    const { page } = await open(browser, { name, colorScheme: 'dark', width: 688 }); // A4 less margins of 14 mm
    await page.emulateMedia({ media: 'print' });
    await page.waitForFunction(() => !document.querySelector('details:not([open])'), null, { timeout: 30000 });
    await forEachDevice(page, async (device) => {
      const state = await page.evaluate(() => ({
        paper: getComputedStyle(document.body).backgroundColor,
        width: document.documentElement.scrollWidth,
        cut: [...document.querySelectorAll('table, svg, pre')]
          .filter((one) => one.getBoundingClientRect().right > 689)
          .map((one) => one.outerHTML.slice(0, 90)),
        small: [...document.querySelectorAll('main svg text, td, th, p, pre')]
          .filter((one) => one.getClientRects().length > 0)
          .map((one) => {
            const svg = one.closest('svg');
            const box = svg?.getBoundingClientRect();
            const scale = svg ? Math.min(box.width / svg.viewBox.baseVal.width, box.height / svg.viewBox.baseVal.height) : 1;
            return { size: 0.75 * scale * parseFloat(getComputedStyle(one).fontSize), text: one.textContent.slice(0, 40) };
          })
          .filter(({ size }) => size < 7.9)
          .slice(0, 5),
      }));
      assert.equal(state.paper, 'rgb(255, 255, 255)');
      assert.equal(state.width, 688, device);
      assert.deepEqual([state.cut, state.small], [[], []], device);
    });
    await page.emulateMedia({ media: 'screen' });
    await page.waitForFunction(() => !document.querySelector('details[open]'), null, { timeout: 30000 });
    assert.ok((await page.pdf({ format: 'A4' })).length > 50000);
  });
test('text and series stand out from the paper, light and dark', async () => {
  for (const colorScheme of ['light', 'dark']) {
    const { page } = await open(browser, { colorScheme });
    const { paper, text, series } = await page.evaluate(() => ({
      paper: getComputedStyle(document.body).backgroundColor,
      text: getComputedStyle(document.body).color,
      series: [...new Set([...document.querySelectorAll('main svg use')].map((one) => getComputedStyle(one).color))],
    }));
    const { page: article } = await open(browser, { name: 'index.html', colorScheme });
    const code = await article.evaluate(() => ({
      panel: getComputedStyle(document.querySelector('pre')).backgroundColor,
      colors: [...new Set([...document.querySelectorAll('pre, pre span')].map((one) => getComputedStyle(one).color))],
    }));
    assert.ok(code.colors.length > 4);
    for (const color of code.colors) assert.ok(contrast(code.panel, color) > 4.5, `${colorScheme}: code ${color}`);
    assert.ok(contrast(paper, text) > 7, `${colorScheme}: text`);
    assert.ok(series.length > 6);
    for (const color of series) assert.ok(contrast(paper, color) > 3, `${colorScheme}: ${color}`);
  }
});

// Texts of the drawings that are shown: those outside their drawing, and pairs of which one covers the other.
function badLabels() {
  const found = [];
  for (const svg of document.querySelectorAll('svg[viewBox]')) {
    if (svg.getClientRects().length === 0) continue;
    const { x, y, width, height } = svg.viewBox.baseVal;
    const name = svg.getAttribute('aria-label');
    const all = [...svg.querySelectorAll('text:not([transform])')].map((one) => ({ text: one.textContent, box: one.getBBox() }));
    const inside = (box) => box.x > x - 1 && box.x + box.width < x + width + 1 && box.y > y - 2 && box.y + box.height < y + height + 2;
    const both = (start, size, a, b) => Math.min(a[start] + a[size], b[start] + b[size]) - Math.max(a[start], b[start]);
    for (const { text, box } of all) if (!inside(box)) found.push(`${name}: ${text}`);
    all.forEach((a, i) => {
      for (const b of all.slice(i + 1))
        if (both('x', 'width', a.box, b.box) > 1 && both('y', 'height', a.box, b.box) > 5) found.push(`${name}: ${a.text} / ${b.text}`);
    });
  }
  return found;
}

// WCAG's contrast ratio of two colours.
function contrast(a, b) {
  const luminance = (color) => {
    const [r, g, blue] = color
      .match(/\d+/g)
      .slice(0, 3)
      .map((part) => Number(part) / 255)
      .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * blue;
  };
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}
