// The report in a real browser: node tests/run.mjs WARPTIME. Prints a line for each failed check.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fourFiles, twoFiles, twoTargets } from './comparing.mjs';
import { check, cleanUp, counts, folder, painted, report, run, timeline, use } from './harness.mjs';
import { embedded, moments } from './moments.mjs';
import { dataOf, launch, open, view, withData } from './page.mjs';
import { nothingCutOff, paper } from './sizes.mjs';
import { columnsInSight, findings, foundByCheck, nativeInstructions, ownLines, sourceView } from './source.mjs';
import { instants, million, pointer, warpsView } from './warps.mjs';

const [binary] = process.argv.slice(2);
if (!binary) throw new Error('usage: node tests/run.mjs WARPTIME');
use(binary);

async function everyView(browser, file, name) {
  const { page, context, errors, requests, milliseconds } = await open(browser, file);
  check(`${name} opens in 1.5 s`, milliseconds <= 1500, `${milliseconds} ms`);
  check(`${name} has at most 8 MB`, statSync(file).size <= 8e6);
  check(`${name}: tiles`, (await page.locator('#overview .tile').count()) === 6);
  check(`${name}: warps that are resident, and room for them`, /\d+\.\d resident\s+on average; room for \d+ of \d+/.test(await page.locator('#overview .tiles').innerText()));
  check(`${name}: bars`, (await page.locator('#overview .bars tbody tr').count()) > 5);
  check(`${name}: where the slots go`, (await page.locator('#overview .hot-lines tbody tr').count()) >= 2);
  check(`${name}: charts`, (await page.locator('#overview .chart canvas').count()) === 4);
  check(`${name}: timeline`, (await page.locator('#overview .host-timeline rect').count()) > 0);
  const list = dataOf(file).findings.length;
  const figures = (dataOf(file).statistics.figures ?? []).map((f) => f.name);
  const named = await page.locator('#overview .figures th').allInnerTexts();
  check(`${name}: the figures of the program`, named.join() === figures.join(), named);
  check(`${name}: a launch file's figures are there`, name !== 'scale-any' || figures.length === 2, figures);
  check(`${name}: the findings of the run`, (await page.locator('#overview .findings li').count()) === list, list);
  await page.locator('#overview .hot-lines button').first().click();
  check(`${name}: the line that costs the most opens`, (await page.locator('#source.shown tr[aria-selected=true]').count()) === 1);
  await page.goBack();

  await sourceView(page, name);
  await warpsView(page, name);
  await everyAccess(page, name);

  await view(page, 'statistics');
  const many = await page.locator('#statistics tbody tr').count();
  check(`${name}: statistics`, many > 40, many);
  const meaning = await page.locator('#statistics tbody tr').first().locator('td').nth(2).boundingBox();
  check(`${name}: the meaning of a statistic is in sight`, meaning.x < 800, meaning.x);
  await page.fill('#statistics input[type=search]', 'row_hits');
  check(`${name}: searched`, (await page.locator('#statistics tbody tr').count()) === 1);
  await page.locator('[role=tab][aria-selected=true]').press('ArrowRight');
  check(`${name}: arrow keys change the view`, (await page.locator('#overview.shown').count()) === 1);
  check(`${name}: nothing on the console`, errors.length === 0, errors.join('; '));
  check(`${name}: no request but for itself`, requests.every((url) => url.startsWith('file:') || url.startsWith('data:')) && requests.filter((url) => url.startsWith('file:')).length === 1, requests.slice(0, 3));
  await context.close();
  console.log(`${name}: ${milliseconds} ms to open, ${(statSync(file).size / 1e6).toFixed(2)} MB`);
}

/// The memory view: a picture for each kind of access, maps that are not empty, the way to the source.
async function everyAccess(page, name) {
  await view(page, 'memory');
  const rows = page.locator('#memory .lines-of-memory tbody tr');
  const count = await rows.count();
  check(`${name}: lines that access memory`, count > 1, count);
  check(`${name}: one is selected`, (await page.locator('#memory tr[aria-selected=true]').count()) === 1);
  let lanes = 0;
  let banks = 0;
  await rows.nth(0).click();
  for (let i = 0; i < count; ++i) {
    const ways = await page.locator('#memory svg.coalescing line.way').count();
    const words = await page.locator('#memory svg.banks rect.word').count();
    lanes = Math.max(lanes, ways);
    banks = Math.max(banks, words);
    check(`${name}: line ${i} of memory has a sentence`, (await page.locator('#memory .access p').first().innerText()).length > 20);
    if (i + 1 < count) await page.keyboard.press('ArrowDown');
  }
  check(`${name}: lanes have ways to their transactions`, lanes > 0 && lanes <= 64, lanes);
  if (name === 'tiled') check(`${name}: words have banks`, banks > 0, banks);
  const colours = await page.evaluate(() =>
    [...document.querySelectorAll('#memory .heat canvas')].map((canvas) => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      return new Set(new Uint32Array(data.buffer)).size;
    }),
  );
  check(`${name}: maps of partitions, banks and buffers`, colours.length >= 3 && colours.every((n) => n > 2), colours.join());
  check(`${name}: DRAM over time`, (await page.locator('#memory .chart canvas').count()) === 1);
  await page.locator('#memory .heat canvas').first().hover({ position: { x: 300, y: 5 } });
  check(`${name}: the map names what the pointer is at`, (await page.locator('#memory .reading').first().innerText()).includes('partition 0'));
  await page.locator('#memory .access h2 button').click();
  check(`${name}: the line of an access opens`, (await page.locator('#source.shown tr[aria-selected=true]').count()) === 1);
  await view(page, 'memory');
}

/// What the table and the sentence say of the bytes of an access is the same.
async function bytesOfAccess(browser) {
  const { page, context } = await open(browser, report('naive', ['matmul:naive', '--param', 'n=64']));
  await view(page, 'memory');
  const heads = await page.locator('#memory thead th').allInnerTexts();
  const at = heads.findIndex((t) => t.includes('requested'));
  const rows = page.locator('#memory .lines-of-memory tbody tr');
  for (let i = 0; i < (await rows.count()); ++i) {
    await rows.nth(i).click();
    const found = /move ([\d,]+) bytes; the lanes request ([\d,]+) bytes/.exec(await page.locator('#memory .access p').first().innerText());
    if (!found) continue;
    const [moved, requested] = found.slice(1).map((t) => Number(t.replaceAll(',', '')));
    const ratio = Number(await rows.nth(i).locator('td').nth(at).innerText());
    check(`naive: bytes of line ${i}`, Math.abs(ratio - requested / moved) < 0.01 * ratio, `${ratio}, ${requested} of ${moved}`);
  }
  await context.close();
}

async function broken(browser, from) {
  const file = join(folder, 'broken.html');
  withData(from, file, null);
  const page = await (await browser.newContext()).newPage();
  await page.goto(`file://${file}`);
  await page.waitForSelector('[role=alert]');
  check('broken data is a sentence', (await page.locator('[role=alert]').innerText()).includes('cannot be read'));
}

/// Without a trace; lines of CUDA by their names in the file.
async function fromStatistics(browser) {
  const stats = join(folder, 'stats.json');
  run(['run', 'vecadd', '--stats', stats, '--stats-per-instruction', '--quiet']);
  const { page, context, errors } = await open(browser, report('stats', [stats]));
  const tabs = await page.locator('[role=tab]').allInnerTexts();
  check('statistics have no warps', tabs.join() === 'Overview,Source,Statistics', tabs.join());
  await view(page, 'source');
  check('statistics have lines of CUDA', (await page.locator('#source tbody tr.cuda:not(.empty)').count()) >= 2);
  await page.locator('#source button', { hasText: 'unfold all PTX' }).click();
  check('statistics have lines', (await page.locator('#source tbody tr[data-line]').count()) > 5);
  check('statistics: nothing on the console', errors.length === 0, errors.join('; '));
  await context.close();
}

/// A statistics file and the trace of its run: the same warps as in the page of the run.
async function fromTrace(browser) {
  const stats = join(folder, 'traced.json');
  const trace = join(folder, 'trace.json');
  const words = ['matmul:tiled', '--param', 'n=64'];
  run(['run', ...words, '--stats', stats, '--stats-per-instruction', '--quiet']);
  run(['trace', ...words, '-o', trace]);
  const { page, context, errors } = await open(browser, report('traced', [stats, trace]));
  await view(page, 'warps');
  check('trace file: the canvas has colours', (await painted(timeline(page))) >= 4);
  await timeline(page).click({ position: { x: 400, y: 60 } });
  check('trace file: an instant', (await page.locator('#warps .every-warp tbody tr').count()) > 0);
  check('trace file: nothing on the console', errors.length === 0, errors.join('; '));
  await context.close();
  const states = (file) => dataOf(file).trace.warps.map((w) => [w.slot, w.block.join(), w.index, w.state.filter((x) => x >= 0).length].join(':')).sort().join(' ');
  check('trace file: the states of the run', states(join(folder, 'traced.html')) === states(report('ran', words)));
}

const browser = await launch();
try {
  const kernels = [
    ['tiled', ['matmul:tiled', '--param', 'n=128']],
    ['naive', ['matmul:naive', '--param', 'n=64']],
    ['vecadd', ['vecadd']],
    ['nbody', ['nbody']],
    ['block-sum', ['docs/examples/block_sum.yaml']],
    ['scale-any', ['docs/examples/scale-any.yaml']],
  ];
  const files = Object.fromEntries(kernels.map(([name, words]) => [name, report(name, words)]));
  for (const [name, file] of Object.entries(files)) await everyView(browser, file, name);
  const two = report('targets', ['matmul:naive', 'matmul:tiled', '--param', 'n=64']);
  await ownLines(browser);
  await columnsInSight(browser, files.tiled);
  await findings(browser, files.tiled);
  await foundByCheck(browser);
  await pointer(browser, files.tiled);
  await moments(browser, files.tiled);
  await embedded(browser, files.tiled);
  for (const name of ['tiled', 'block-sum', 'scale-any']) await nothingCutOff(browser, files[name], name);
  await nothingCutOff(browser, two, 'two targets');
  for (const name of ['tiled', 'block-sum', 'scale-any']) await paper(browser, files[name], name);
  await paper(browser, two, 'two targets');
  await bytesOfAccess(browser);
  await instants(browser, files.tiled, 'tiled', false);
  await instants(browser, files['block-sum'], 'block-sum', true);
  await million(browser, files.tiled);
  await broken(browser, files.tiled);
  await fromStatistics(browser);
  await nativeInstructions(browser);
  await twoFiles(browser);
  await twoTargets(browser, two);
  await fourFiles();
  await fromTrace(browser);
} finally {
  await browser.close();
  cleanUp();
}
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exit(counts.failed === 0 ? 0 : 1);
