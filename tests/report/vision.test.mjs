// Marks and hatchings of one chart on screenshots, with each kind of colour vision that the browser simulates.
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { launch, open } from './browser.mjs';

let browser, page, session;
before(async () => {
  browser = await launch();
  ({ page } = await open(browser));
  await page.$$eval('input[value="H200"]', ([input]) => input.click());
  session = await page.context().newCDPSession(page);
});
after(() => browser.close());

const VISIONS = ['none', 'deuteranopia', 'protanopia', 'achromatopsia'];
// Draws rows of cells over the page, photographs them with a kind of colour vision, and returns the pairs of cells of a
// row in which fewer than `least` pixels differ by more than `step` in a colour. Pixels at a cell's edge do not count.
async function alike(vision, rows, cell, edge, step, least) {
  await session.send('Emulation.setEmulatedVisionDeficiency', { type: vision });
  const [width, height] = [cell * Math.max(...rows.map((row) => row.length)), cell * rows.length];
  await page.evaluate(
    ([list, size, w, h]) => {
      document.querySelector('#sheet')?.remove();
      const drawn = list.map((row, y) => row.map((one, x) => `<g transform="translate(${x * size} ${y * size})">${one}</g>`).join(''));
      const style = 'position:fixed;top:0;left:0;z-index:9;background:var(--paper)';
      const sheet = `<div id="sheet"><svg width="${w}" height="${h}" style="${style}">${drawn.join('')}</svg></div>`;
      document.body.insertAdjacentHTML('beforeend', sheet);
    },
    [rows, cell, width, height],
  );
  const picture = (await page.screenshot({ clip: { x: 0, y: 0, width, height } })).toString('base64');
  return page.evaluate(
    async ([data, list, size, border, far, few]) => {
      const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
      const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
      canvas.drawImage(image, 0, 0);
      const inner = size - 2 * border;
      return list.flatMap((row, y) => {
        const pixels = row.map((_, x) => canvas.getImageData(x * size + border, y * size + border, inner, inner).data);
        const different = (a, b) => {
          let count = 0;
          for (let i = 0; i < a.length; i += 4) if ([0, 1, 2].some((k) => Math.abs(a[i + k] - b[i + k]) > far)) count++;
          return count;
        };
        return row.flatMap((one, a) =>
          row
            .slice(0, a)
            .filter((_, b) => different(pixels[a], pixels[b]) < few)
            .map((other) => [one, other]),
        );
      });
    },
    [picture, rows, cell, edge, step, least],
  );
}

for (const vision of VISIONS) {
  test(`marks of one chart differ on a screenshot, colour vision: ${vision}`, async () => {
    const charts = await page.$$eval('figure[data-figure]', (figures) =>
      figures.map((figure) => {
        const chart = [...figure.querySelectorAll('.wide svg')].find((one) => one.getClientRects().length > 0);
        const mark = (one) => `<use class="${one.getAttribute('class')}" href="${one.getAttribute('href')}" x="12" y="12"/>`;
        return [...new Set([...(chart?.querySelectorAll('use') ?? [])].map(mark))];
      }),
    );
    const rows = charts.filter((marks) => marks.length > 1);
    assert.ok(rows.length >= 10);
    assert.deepEqual(await alike(vision, rows, 24, 0, 40, 12), []);
  });
  test(`stacked bars differ on a screenshot, colour vision: ${vision}`, async () => {
    const squares = Array.from({ length: 8 }, (_, k) => `<rect class="b k${k}" width="30" height="30"/>`);
    assert.deepEqual(await alike(vision, [squares], 30, 3, 25, 21), []);
  });
}
