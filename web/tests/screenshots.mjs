// Screenshots of every view for five kernels, of a comparison, a telephone and a sheet of paper, for docs/report/: node tests/screenshots.mjs WARPTIME FOLDER [KERNEL...]
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch, open, timeline, view } from './page.mjs';
import { withPalette } from './palette.mjs';

const [binary, to, ...only] = process.argv.slice(2);
if (!to) throw new Error('usage: node tests/screenshots.mjs WARPTIME FOLDER [KERNEL...]');
const warptime = resolve(binary);
const cwd = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'warptime-screenshots-'));
mkdirSync(to, { recursive: true });

const kKernels = [
  ['tiled', ['matmul:tiled', '--param', 'n=128']],
  ['saxpy', ['saxpy:vector', '--param', 'n=65536']],
  ['mandelbrot', ['mandelbrot:f32', '--param', 'size=64', '--param', 'blocks=16']],
  ['block-sum', ['docs/examples/block_sum.yaml']],
  ['transpose', ['transpose:naive', '--param', 'n=256']],
];

async function shoot(page, name, atPointer = false) {
  if (!atPointer) await page.mouse.move(1, 1);
  writeFileSync(join(to, `${name}.png`), withPalette(await page.screenshot()));
}

async function kernel(browser, name, words) {
  const file = join(folder, `${name}.html`);
  execFileSync(warptime, ['report', ...words, '-o', file], { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  const { page, context } = await open(browser, file, { viewport: { width: 1200, height: 860 }, colorScheme: 'light' });
  await shoot(page, `${name}-overview`);
  await view(page, 'source');
  const rows = page.locator('#source .lines tbody tr:is(.cuda:not(.empty), .ptx)');
  await page.locator('#source select').last().selectOption('by cost');
  await rows.first().click();
  const fold = rows.first().locator('.fold');
  if ((await fold.count()) > 0) await fold.click();
  await shoot(page, `${name}-source`);
  await view(page, 'warps');
  const canvas = timeline(page);
  await canvas.focus();
  for (let i = 0; i < 3; ++i) await page.keyboard.press('+');
  await canvas.click({ position: { x: 500, y: 60 } });
  await page.evaluate(() => scrollTo(0, 0));
  const box = await canvas.boundingBox();
  await page.mouse.move(box.x + 700, box.y + 40);
  await shoot(page, `${name}-warps`, true);
  // To an instant at which the warp has a stack of several entries, or else waits with a request on its way.
  const deep = () => page.locator('#warps .simt tbody tr').count().then((n) => n > 1);
  const waits = () => page.locator('#warps .requests tbody tr').count().then((n) => n > 0);
  const goTo = async (found, most) => {
    for (let i = 0; i < most && !(await found()); ++i) await page.keyboard.press('n');
    return found();
  };
  if (!(await goTo(deep, 120))) {
    await canvas.click({ position: { x: 500, y: 60 } });
    if (await goTo(waits, 60)) await page.keyboard.press('ArrowUp');
    else await canvas.click({ position: { x: 500, y: 60 } });
  }
  await page.locator('#warps .instant').scrollIntoViewIfNeeded();
  await page.evaluate(() => document.querySelector('#warps .instant').scrollIntoView());
  await shoot(page, `${name}-instant`);
  await page.evaluate(() => scrollTo(0, 0));
  await view(page, 'memory');
  await page.evaluate(() => scrollTo(0, 0));
  await shoot(page, `${name}-memory`);
  await page.evaluate(() => document.querySelector('#memory .chart').scrollIntoView());
  await shoot(page, `${name}-memory-time`);
  await view(page, 'statistics');
  await page.evaluate(() => scrollTo(0, 0));
  await shoot(page, `${name}-statistics`);
  await context.close();
}

/// A report of these words, made in the folder of screenshots.
function report(name, words) {
  const file = join(folder, `${name}.html`);
  execFileSync(warptime, ['report', ...words, '-o', file], { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  return file;
}

/// Two kernels for one task.
async function compared(browser) {
  const file = report('compared', ['matmul:naive', 'matmul:tiled', '--param', 'n=64']);
  const { page, context } = await open(browser, file, { viewport: { width: 1200, height: 860 }, colorScheme: 'light' });
  await shoot(page, 'comparison');
  await page.evaluate(() => document.querySelector('#comparison .moved').closest('.scroll').previousElementSibling.scrollIntoView());
  await page.locator('#comparison .moved tbody tr.cuda').first().click();
  await shoot(page, 'comparison-lines');
  await page.evaluate(() => document.querySelector('#comparison .compared-warps').previousElementSibling.scrollIntoView());
  await shoot(page, 'comparison-warps');
  await context.close();
}

/// A telephone in the dark, and a sheet of paper.
async function otherSizes(browser) {
  const file = report('sizes', kKernels[0][1]);
  const small = await open(browser, file, { viewport: { width: 390, height: 844 }, colorScheme: 'dark', hasTouch: true });
  for (const id of ['overview', 'source', 'warps']) {
    await view(small.page, id);
    await shoot(small.page, `small-${id}`);
  }
  await small.context.close();
  const paper = await open(browser, file, { viewport: { width: 720, height: 1000 } });
  await paper.page.emulateMedia({ media: 'print' });
  for (const page of [0, 1]) writeFileSync(join(to, `paper-${page + 1}.png`), withPalette(await paper.page.locator('.sheet .page').nth(page).screenshot(), 96));
  await paper.context.close();
}

const browser = await launch();
try {
  for (const [name, words] of kKernels) if (only.length === 0 || only.includes(name)) await kernel(browser, name, words);
  if (only.length === 0 || only.includes('comparison')) await compared(browser);
  if (only.length === 0 || only.includes('sizes')) await otherSizes(browser);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
