// Screenshots of every view for five kernels, for docs/report/: node tests/screenshots.mjs WARPTIME FOLDER [KERNEL...]
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch, open, view } from './page.mjs';
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

async function shoot(page, name) {
  await page.mouse.move(1, 1);
  writeFileSync(join(to, `${name}.png`), withPalette(await page.screenshot()));
}

async function kernel(browser, name, words) {
  const file = join(folder, `${name}.html`);
  execFileSync(warptime, ['report', ...words, '-o', file], { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  const { page, context } = await open(browser, file, { viewport: { width: 1200, height: 860 }, colorScheme: 'light' });
  await shoot(page, `${name}-overview`);
  await view(page, 'source');
  await page.locator('#source thead button', { hasText: 'stalled' }).click();
  await page.locator('#source .lines tbody tr[data-line]').first().click();
  await shoot(page, `${name}-source`);
  await view(page, 'warps');
  await page.focus('#warps canvas');
  for (let i = 0; i < 3; ++i) await page.keyboard.press('+');
  await page.locator('#warps canvas').click({ position: { x: 500, y: 60 } });
  await shoot(page, `${name}-warps`);
  // To an instant at which the warp has a stack of several entries, or else waits with a request on its way.
  const deep = () => page.locator('#warps .simt tbody tr').count().then((n) => n > 1);
  const waits = () => page.locator('#warps .requests tbody tr').count().then((n) => n > 0);
  const goTo = async (found, most) => {
    for (let i = 0; i < most && !(await found()); ++i) await page.keyboard.press('n');
    return found();
  };
  if (!(await goTo(deep, 120))) {
    await page.locator('#warps canvas').click({ position: { x: 500, y: 60 } });
    if (await goTo(waits, 60)) await page.keyboard.press('ArrowUp');
    else await page.locator('#warps canvas').click({ position: { x: 500, y: 60 } });
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

/// Two runs of one kernel, the second with half the partitions.
async function compared(browser) {
  const stats = (name, set) => {
    const file = join(folder, `${name}.json`);
    execFileSync(warptime, ['run', 'matmul:tiled', '--param', 'n=128', '--quiet', '--stats', file, '--stats-per-instruction', ...set], { cwd, stdio: 'ignore' });
    return file;
  };
  const file = join(folder, 'compared.html');
  execFileSync(warptime, ['report', stats('before', []), stats('after', ['--set', 'memory.partitions=2']), '-o', file], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  const { page, context } = await open(browser, file, { viewport: { width: 1200, height: 860 }, colorScheme: 'light' });
  await shoot(page, 'comparison');
  await page.evaluate(() => document.querySelector('#comparison .moved').scrollIntoView({ block: 'end' }));
  await shoot(page, 'comparison-lines');
  await context.close();
}

const browser = await launch();
try {
  for (const [name, words] of kKernels) if (only.length === 0 || only.includes(name)) await kernel(browser, name, words);
  if (only.length === 0 || only.includes('comparison')) await compared(browser);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
