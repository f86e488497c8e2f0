// The page in a browser: charts drawn with the records' values, controls, widths, dark and print.
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { chartsOf, choose, devicesOf, launch, open, record } from './browser.mjs';

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const near = (a, b, what) => assert.ok(Math.abs(a - b) <= 1e-6 * Math.abs(b), `${what}: the chart has ${a}, the record gives ${b}`);
const median = (rows, wanted) =>
  rows
    .filter((row) => Object.entries(wanted).every(([k, v]) => row[k] === v) && row.status === 'ok')
    .map((row) => row.median_ms)
    .sort((a, b) => a - b)[0];
// Runs a check for each device; a device that lacks the record has nothing to compare.
async function eachDevice(page, names, check) {
  let compared = 0;
  for (const device of await devicesOf(page)) {
    const found = record(device, ...names);
    if (!found) continue;
    await choose(page, device);
    compared += await check(device, found, await chartsOf(page));
  }
  assert.ok(compared > 0, `no device has one of ${names.join(', ')}`);
}

test('worklog: per cent of Thrust, from the record', async () => {
  const { page } = await open(browser);
  await eachDevice(page, ['hw4'], (device, { rows }, charts) => {
    const { labels, datasets } = charts.worklog;
    const data = Object.entries(datasets).find(([name]) => /220,480 pairs/.test(name) && !/820M/.test(name))[1];
    const time = (version) => median(rows, { version, what: 'pairs' });
    labels.forEach((version, i) => near(data[i], (100 * time('thrust_ref')) / time(version), `${device} ${version}`));
    const published = Object.entries(datasets).find(([name]) => /820M/.test(name))[1];
    near(published[labels.indexOf('radix_v1')], (100 * 3.3823) / 91.7025, 'the report, radix_v1');
    assert.equal(published[labels.indexOf('radix_v4')], null);
    return labels.length;
  });
});
test('hw4: totals of every version, published and measured', async () => {
  const { page } = await open(browser);
  await eachDevice(page, ['hw4'], (device, { rows }, charts) => {
    const { labels, datasets } = charts['hw4-total'];
    const [reports, slides, ours] = Object.values(datasets);
    near(reports[labels.indexOf('radix_v2')], 23.7413, 'report, radix_v2');
    near(slides[labels.indexOf('radix_level1')], 705.817, 'slides, level 1');
    const versions = [...new Set(rows.filter((row) => row.what === 'pairs' && row.status === 'ok').map((row) => row.version))].filter(
      (name) => name !== 'seq',
    );
    for (const version of versions) {
      const at = labels.findIndex((label) => label.replace(' (CPU)', '') === version);
      near(ours[at], median(rows, { version, what: 'pairs' }), `${device} ${version}`);
    }
    return versions.length;
  });
});
test('scaling: 10^9 elements per second at every n, and the roof', async () => {
  const { page } = await open(browser);
  for (const [what, bytes] of [
    ['keys', 36],
    ['pairs', 68],
  ]) {
    await eachDevice(page, [`scaling_${what}`, `scaling_all_${what}`, 'large'], (device, found, charts) => {
      const { datasets } = charts[`scaling-${what}`];
      const thrust = found.rows.filter((row) => row.version === 'thrust_ref' && row.what === what && row.status === 'ok');
      for (const row of thrust)
        near(datasets.thrust_ref.find(({ x }) => x === row.n).y, row.n / row.median_ms / 1e6, `${device} thrust_ref ${row.n}`);
      near(datasets[`roof: copy rate / ${bytes} bytes`][0].y, found.copy_gb_per_s / bytes, 'roof');
      return thrust.length;
    });
  }
});
test('inputs: time relative to uniform', async () => {
  const { page } = await open(browser);
  await eachDevice(page, ['inputs_keys', 'standard'], (device, { rows }, charts) => {
    const { labels, datasets } = charts['inputs-keys'];
    const n = rows.some((row) => row.n === 8e6) ? 8e6 : rows[0].n;
    const time = (version, input) => median(rows, { version, input, n, what: 'keys' });
    for (const [version, data] of Object.entries(datasets)) {
      labels.forEach((input, i) => near(data[i], time(version, input) / time(version, 'uniform'), `${device} ${version} ${input}`));
    }
    return labels.length;
  });
});
test('MPPSort: speed relative to Thrust, published and measured', async () => {
  const { page } = await open(browser);
  await eachDevice(page, ['mppsort', 'standard'], (device, { rows }, charts) => {
    const [reports, ours] = Object.values(charts['mppsort-speed'].datasets);
    assert.deepEqual(
      reports.map(({ x, y }) => [x, y]),
      [
        [1e6, 0.39],
        [2e6, 0.55],
        [4e6, 0.51],
        [8e6, 0.31],
      ],
    );
    const time = (version, n) => median(rows, { version, n, what: 'keys', input: 'uniform' });
    for (const { x, y } of ours) near(y, time('thrust_ref', x) / time('mppsort', x), `${device} ${x}`);
    return ours.length;
  });
});
test('merge: times of both tests and of the CPU, where they were measured', async () => {
  const { page } = await open(browser);
  await eachDevice(page, ['merge_bottomup_test1'], (device, { rows }, charts) => {
    const [, data] = Object.entries(charts['bottomup-time'].datasets).find(([name]) => !/slides/.test(name) && /Test 1/.test(name));
    for (const row of rows) near(data.find(({ x }) => x === row.n).y, row.median_ms, `${device} ${row.n}`);
    return rows.length;
  });
  await eachDevice(page, ['merge_cpu_sequential'], (device, { rows }, charts) => {
    const data = charts['merge-cpu-time'].datasets['ours: sequential'];
    for (const row of rows.filter((one) => one.status === 'ok'))
      near(data.find(({ x }) => x === row.n).y, row.median_ms / 1000, `${device} ${row.n}`);
    return rows.length;
  });
});
test('every chart is drawn, has a table, and names its source', async () => {
  const { page } = await open(browser);
  for (const device of await devicesOf(page)) {
    await choose(page, device);
    const figures = await page.$$eval('figure[data-figure]', (all) =>
      all.map((figure) => {
        const canvas = figure.querySelector('canvas');
        const pixels = canvas?.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
        const inked = pixels ? pixels.filter((value, i) => i % 4 === 3 && value > 0).length : 0;
        return {
          id: figure.dataset.figure,
          canvas: Boolean(canvas),
          inked,
          missing: Boolean(figure.querySelector('.missing')),
          rows: figure.querySelectorAll('tbody tr').length,
          source: Boolean(figure.querySelector('.source')),
        };
      }),
    );
    assert.ok(figures.length >= 14);
    for (const figure of figures) {
      assert.ok(figure.canvas || figure.missing, `${device} ${figure.id}: neither a chart nor a note that there is none`);
      if (figure.canvas) assert.ok(figure.inked > 3000 && figure.rows > 0, `${device} ${figure.id}: an empty chart or table`);
      assert.ok(figure.source || figure.missing, `${device} ${figure.id}: no source`);
    }
    const text = await page.innerText('body');
    assert.doesNotMatch(text, /NaN|undefined|null|Infinity|\{\{|\[\[/, device);
  }
});
test('the switch changes charts, sentences and the description; the cpu backend comes with a caution', async () => {
  const { page } = await open(browser);
  const devices = await devicesOf(page);
  const seen = [];
  for (const device of devices) {
    await choose(page, device);
    seen.push(JSON.stringify([await chartsOf(page), await page.innerText('#device'), await page.innerText('#worklog ~ ol')]));
    assert.equal(await page.isVisible('#caution'), device.startsWith('cpu_'), device);
    for (const name of Object.values(await chartsOf(page)).flatMap(({ datasets }) => Object.keys(datasets))) {
      for (const other of devices.filter((one) => one !== device))
        assert.ok(!name.includes(other.replace(/_/g, ' ')), `${name} on the page of ${device}`);
    }
  }
  assert.equal(new Set(seen).size, devices.length);
  await page.focus('#devices input:checked');
  await page.keyboard.press('ArrowLeft');
  assert.equal(await page.$eval('#devices input:checked', (input) => input.value), devices.at(-2) ?? devices[0]);
  assert.equal(
    JSON.stringify([await chartsOf(page), await page.innerText('#device'), await page.innerText('#worklog ~ ol')]),
    seen.at(-2) ?? seen[0],
  );
});
test('"The numbers" opens by click and by key', async () => {
  const { page } = await open(browser);
  const table = 'figure[data-figure="worklog"] table';
  assert.equal(await page.isVisible(table), false);
  await page.click('figure[data-figure="worklog"] summary');
  assert.equal(await page.isVisible(table), true);
  await page.focus('figure[data-figure="hw4-total"] summary');
  await page.keyboard.press('Enter');
  assert.equal(await page.isVisible('figure[data-figure="hw4-total"] table'), true);
});
test('the contents lead to headings that are there', async () => {
  const { page } = await open(browser);
  const targets = await page.$$eval('nav.contents a', (links) =>
    links.map((link) => [link.hash, Boolean(document.querySelector(link.hash))]),
  );
  assert.ok(targets.length >= 9);
  for (const [hash, found] of targets) assert.ok(found, hash);
});
test('no errors, no network, in light and dark', async () => {
  for (const colorScheme of ['light', 'dark']) {
    const { page, trouble } = await open(browser, { colorScheme });
    for (const device of await devicesOf(page)) await choose(page, device);
    assert.deepEqual(trouble, [], colorScheme);
  }
});
test('nothing is wider than the screen at 360 pixels, also with all tables open', async () => {
  const { page } = await open(browser, { width: 360 });
  for (const device of await devicesOf(page)) {
    await choose(page, device);
    await page.$$eval('details', (all) =>
      all.forEach((one) => {
        one.open = true;
      }),
    );
    const wide = await page.evaluate(() =>
      [...document.querySelectorAll('body *')]
        .filter((one) => !one.closest('.scroll, svg'))
        .filter((one) => one.getBoundingClientRect().right > 360.5)
        .map((one) => one.outerHTML.slice(0, 80)),
    );
    assert.deepEqual(wide, [], device);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
  }
});
test('text and series stand out from the paper, light and dark', async () => {
  for (const colorScheme of ['light', 'dark']) {
    const { page } = await open(browser, { colorScheme });
    const { paper, text, series } = await page.evaluate(() => ({
      paper: getComputedStyle(document.body).backgroundColor,
      text: getComputedStyle(document.body).color,
      series: Object.values(reportPage.Chart.instances).flatMap((chart) => chart.data.datasets.map((one) => [one.label, one.borderColor])),
    }));
    assert.ok(contrast(paper, text) > 7, `${colorScheme}: text`);
    for (const [name, color] of series)
      if (!/TITAN Xp/.test(name)) assert.ok(contrast(paper, color) > 3, `${colorScheme}: ${name} ${color}`);
  }
});
test('print: light, every table open, charts within the page; afterwards all as before', async () => {
  const { page } = await open(browser, { colorScheme: 'dark' });
  const state = () =>
    page.evaluate(() => ({
      open: [...document.querySelectorAll('details')].filter((one) => one.open).length,
      all: document.querySelectorAll('details').length,
      paper: getComputedStyle(document.body).backgroundColor,
      ink: Object.values(reportPage.Chart.instances)[0].options.scales.x.ticks.color,
    }));
  const before_ = await state();
  const opened = (count) => page.waitForFunction((n) => document.querySelectorAll('details[open]').length === n, count, { timeout: 5000 });
  await page.emulateMedia({ media: 'print' });
  await opened(before_.all);
  const printed = await state();
  assert.ok(contrast(printed.paper, printed.ink) > 7, 'axis labels on paper');
  assert.equal(printed.paper, 'rgb(255, 255, 255)');
  await page.emulateMedia({ media: 'screen' });
  await opened(before_.open);
  assert.deepEqual(await state(), before_);
  assert.ok((await page.pdf({ format: 'A4' })).length > 50000);
});

// WCAG's contrast ratio of two colours.
function contrast(a, b) {
  const luminance = (color) => {
    const parts = color.startsWith('#')
      ? color.match(/\w\w/g).map((hex) => parseInt(hex, 16))
      : color.match(/\d+/g).slice(0, 3).map(Number);
    const [r, g, blue] = parts.map((part) => part / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * blue;
  };
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}
