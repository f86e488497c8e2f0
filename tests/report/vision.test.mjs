// Marks and hatchings of one chart on screenshots, with each kind of colour vision that the browser simulates.
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { launch, open } from './browser.mjs';

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

// Every mark of a chart beside each other, photographed with each kind of colour vision that the browser simulates.
for (const vision of ['none', 'deuteranopia', 'protanopia', 'achromatopsia'])
  test(`marks of one chart differ on a screenshot, colour vision: ${vision}`, async () => {
    const { page } = await open(browser);
    await page.$$eval('input[value="H200"]', ([input]) => input.click());
    const charts = await page.$$eval('figure[data-figure]', (figures) =>
      figures.map((figure) => {
        const chart = [...figure.querySelectorAll('.wide svg')].find((one) => one.getClientRects().length > 0);
        const marks = new Set(
          [...(chart?.querySelectorAll('use') ?? [])].map((one) => `${one.getAttribute('class')}|${one.getAttribute('href')}`),
        );
        return { id: figure.dataset.figure, marks: [...marks] };
      }),
    );
    const rows = charts.filter(({ marks }) => marks.length > 1);
    assert.ok(rows.length >= 10);
    const CELL = 24;
    await page.evaluate(
      ([list, cell]) => {
        const drawn = list.map(({ marks }, y) =>
          marks
            .map(
              (one, x) => `<use class="${one.split('|')[0]}" href="${one.split('|')[1]}" x="${(x + 0.5) * cell}" y="${(y + 0.5) * cell}"/>`,
            )
            .join(''),
        );
        const sheet = document.createElement('div');
        sheet.innerHTML = `<svg id="sheet" width="${cell * 24}" height="${cell * list.length}" style="position:fixed;top:0;left:0;z-index:9;background:var(--paper)">${drawn.join('')}</svg>`;
        document.body.append(sheet);
      },
      [rows, CELL],
    );
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setEmulatedVisionDeficiency', { type: vision });
    const picture = (await page.screenshot({ clip: { x: 0, y: 0, width: CELL * 24, height: CELL * rows.length } })).toString('base64');
    const alike = await page.evaluate(
      async ([data, list, cell]) => {
        const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
        const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
        canvas.drawImage(image, 0, 0);
        const found = [];
        list.forEach(({ id, marks }, y) => {
          const pixels = marks.map((_, x) => canvas.getImageData(x * cell, y * cell, cell, cell).data);
          for (let a = 0; a < marks.length; a++)
            for (let b = 0; b < a; b++) {
              let different = 0;
              for (let i = 0; i < pixels[a].length; i += 4)
                if ([0, 1, 2].some((k) => Math.abs(pixels[a][i + k] - pixels[b][i + k]) > 40)) different++;
              if (different < 12) found.push(`${id}: ${marks[a]} and ${marks[b]}, ${different} pixels`);
            }
        });
        return found;
      },
      [picture, rows, CELL],
    );
    assert.deepEqual(alike, []);
  });

// The same for the hatching of stacked bars: squares of all eight, each against each.
for (const vision of ['deuteranopia', 'protanopia', 'achromatopsia'])
  test(`stacked bars differ on a screenshot, colour vision: ${vision}`, async () => {
    const { page } = await open(browser);
    const CELL = 30;
    await page.evaluate((cell) => {
      const squares = Array.from({ length: 8 }, (_, k) => `<rect class="b k${k}" x="${k * cell}" width="${cell}" height="${cell}"/>`);
      const sheet = document.createElement('div');
      sheet.innerHTML = `<svg width="${8 * cell}" height="${cell}" style="position:fixed;top:0;left:0;z-index:9;background:var(--paper)">${squares.join('')}</svg>`;
      document.body.append(sheet);
    }, CELL);
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setEmulatedVisionDeficiency', { type: vision });
    const picture = (await page.screenshot({ clip: { x: 0, y: 0, width: 8 * CELL, height: CELL } })).toString('base64');
    const least = await page.evaluate(
      async ([data, cell]) => {
        const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
        const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
        canvas.drawImage(image, 0, 0);
        // Without the edges, which all squares have.
        const pixels = Array.from({ length: 8 }, (_, k) => canvas.getImageData(k * cell + 3, 3, cell - 6, cell - 6).data);
        let fewest = Infinity;
        for (let a = 0; a < 8; a++)
          for (let b = 0; b < a; b++) {
            let different = 0;
            for (let i = 0; i < pixels[a].length; i += 4)
              if ([0, 1, 2].some((c) => Math.abs(pixels[a][i + c] - pixels[b][i + c]) > 25)) different++;
            fewest = Math.min(fewest, different);
          }
        return fewest;
      },
      [picture, CELL],
    );
    assert.ok(least > 20, `${least} pixels of ${24 * 24}`);
  });
