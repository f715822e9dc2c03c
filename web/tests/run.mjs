// The report in a real browser: node tests/run.mjs WARPTIME [SCREENSHOT-FOLDER]. Prints a line for each failed check.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { bigTrace, dataOf, open, view, withData } from './page.mjs';

const [binary, shots] = process.argv.slice(2);
if (!binary) throw new Error('usage: node tests/run.mjs WARPTIME [SCREENSHOT-FOLDER]');
const warptime = resolve(binary);
const cwd = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'warptime-report-'));
let passed = 0;
let failed = 0;
function check(what, ok, seen = '') {
  if (ok) return ++passed;
  ++failed;
  console.log(`failed: ${what}${seen === '' ? '' : `: ${seen}`}`);
}
function report(name, words) {
  const file = join(folder, `${name}.html`);
  execFileSync(warptime, ['report', ...words, '-o', file], { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  return file;
}
const frame = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const painted = (page) =>
  page.evaluate(() => {
    const canvas = document.querySelector('#warps canvas');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size;
  });

async function everyView(browser, file, name) {
  const { page, context, errors, requests, milliseconds } = await open(browser, file);
  check(`${name} opens in 1.5 s`, milliseconds <= 1500, `${milliseconds} ms`);
  check(`${name} has at most 8 MB`, statSync(file).size <= 8e6);
  const shot = async (id) => {
    if (shots) await page.screenshot({ path: join(shots, `${name}-${id}.png`) });
  };
  check(`${name}: tiles`, (await page.locator('#overview .tile').count()) === 6);
  check(`${name}: bars`, (await page.locator('#overview .bars tbody tr').count()) > 5);
  check(`${name}: charts`, (await page.locator('#overview .chart canvas').count()) === 4);
  check(`${name}: timeline`, (await page.locator('#overview svg rect').count()) > 0);
  check(`${name}: no findings, as there are none`, (await page.locator('.findings').count()) === 0);
  await shot('overview');

  await view(page, 'source');
  const lines = page.locator('#source .lines tbody tr[data-line]');
  check(`${name}: lines`, (await lines.count()) > 5);
  await lines.nth(3).click();
  check(`${name}: a click selects the line`, (await lines.nth(3).getAttribute('aria-selected')) === 'true');
  const text = await lines.nth(3).locator('.code').first().innerText();
  check(`${name}: and describes it`, (await page.locator('#source .detail').innerText()).includes(text.trim()));
  await page.keyboard.press('ArrowDown');
  check(`${name}: arrow keys go on`, (await lines.nth(4).getAttribute('aria-selected')) === 'true');
  await page.locator('#source thead button', { hasText: 'stalled' }).click();
  const shares = await page.locator('#source .lines td.heat').allInnerTexts();
  const numbers = shares.map((s) => parseFloat(s) || 0);
  check(`${name}: sorted by cost`, numbers.every((n, i) => i === 0 || n <= numbers[i - 1]), numbers.slice(0, 5));
  const all = await lines.count();
  await page.fill('#source input[type=search]', 'ld.global');
  const few = await lines.count();
  check(`${name}: filtered`, few > 0 && few < all, `${few} of ${all}`);
  await page.fill('#source input[type=search]', '');
  await shot('source');

  await view(page, 'warps');
  check(`${name}: the canvas has colours`, (await painted(page)) >= 4);
  const before = await page.locator('#warps [role=status]').innerText();
  await page.focus('#warps canvas');
  await page.keyboard.press('+');
  await page.keyboard.press('+');
  await frame(page);
  check(`${name}: keys zoom`, (await page.locator('#warps [role=status]').innerText()) !== before);
  await page.locator('#warps canvas').click({ position: { x: 400, y: 60 } });
  check(`${name}: an instant`, (await page.locator('#warps .instant tbody tr').count()) > 0);
  const cycle = await page.locator('#warps .instant caption').innerText();
  await page.keyboard.press('n');
  check(`${name}: next instruction`, (await page.locator('#warps .instant caption').innerText()) !== cycle);
  check(`${name}: it issues`, (await page.locator('#warps .selected-warp').innerText()).includes('issues an instruction'));
  await shot('warps');
  await page.keyboard.press('Enter');
  check(`${name}: Enter opens the line`, (await page.locator('#source.shown tr[aria-selected=true]').count()) === 1);

  await view(page, 'statistics');
  const many = await page.locator('#statistics tbody tr').count();
  check(`${name}: statistics`, many > 40, many);
  await page.fill('#statistics input[type=search]', 'row_hits');
  check(`${name}: searched`, (await page.locator('#statistics tbody tr').count()) === 1);
  await shot('statistics');
  await page.locator('[role=tab][aria-selected=true]').press('ArrowRight');
  check(`${name}: arrow keys change the view`, (await page.locator('#overview.shown').count()) === 1);
  await page.emulateMedia({ media: 'print' });
  check(`${name}: all views print`, (await page.locator('.view:visible').count()) === (await page.locator('.view').count()));
  check(`${name}: nothing on the console`, errors.length === 0, errors.join('; '));
  check(`${name}: no request but for itself`, requests.every((url) => url.startsWith('file:') || url.startsWith('data:')) && requests.filter((url) => url.startsWith('file:')).length === 1, requests.slice(0, 3));
  await context.close();
  console.log(`${name}: ${milliseconds} ms to open, ${(statSync(file).size / 1e6).toFixed(2)} MB`);
}

async function million(browser, from) {
  const file = join(folder, 'million.html');
  const data = dataOf(from);
  withData(from, file, { ...data, trace: bigTrace(data.trace, 1_000_000) });
  const { page, context, errors } = await open(browser, file);
  await view(page, 'warps');
  await page.focus('#warps canvas');
  const frames = [];
  for (const key of ['0', '+', '+', 'ArrowRight', 'ArrowRight', '+', '+', '+', 'ArrowLeft', '+', '+', '+', '+', '-', '-', '0']) {
    await page.keyboard.press(key);
    await frame(page);
    frames.push(Number(await page.locator('#warps canvas').getAttribute('data-frame')));
  }
  const worst = Math.max(...frames);
  check('1 million states: a frame takes at most 100 ms', worst <= 100, frames.join(' '));
  check('1 million states: it draws', (await painted(page)) >= 4);
  check('1 million states: nothing on the console', errors.length === 0, errors.join('; '));
  console.log(`1 million states: slowest frame ${worst} ms`);
  await context.close();
}

async function others(browser, file) {
  const dark = await open(browser, file, { colorScheme: 'dark' });
  const paper = await dark.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  check('dark: the paper is', paper === 'rgb(21, 24, 28)', paper);
  if (shots) await dark.page.screenshot({ path: join(shots, 'dark-overview.png') });
  await dark.context.close();

  const findings = join(folder, 'findings.html');
  const data = dataOf(file);
  const line = data.kernels[0].rows[3].line;
  withData(file, findings, { ...data, findings: [{ rule: 'r', line, message: '<b>a</b> finding', promised: 0.25, won: null }] });
  const found = await open(browser, findings);
  check('a finding is text, not markup', (await found.page.locator('.findings').innerText()).includes('<b>a</b> finding'));
  await found.page.click('.findings button');
  check('its line opens', (await found.page.locator('#source.shown tr[aria-selected=true]').getAttribute('data-line')) === String(line));
  await found.context.close();

  const broken = join(folder, 'broken.html');
  withData(file, broken, null);
  const page = await (await browser.newContext()).newPage();
  await page.goto(`file://${broken}`);
  await page.waitForSelector('[role=alert]');
  check('broken data is a sentence', (await page.locator('[role=alert]').innerText()).includes('cannot be read'));
}

async function fromStatistics(browser) {
  const stats = join(folder, 'stats.json');
  execFileSync(warptime, ['run', 'vecadd', '--stats', stats, '--stats-per-instruction', '--quiet']);
  const { page, context, errors } = await open(browser, report('stats', [stats]));
  const tabs = await page.locator('[role=tab]').allInnerTexts();
  check('statistics have no warps', tabs.join() === 'Overview,Source,Statistics', tabs.join());
  await view(page, 'source');
  check('statistics have lines', (await page.locator('#source tbody tr[data-line]').count()) > 5);
  check('statistics: nothing on the console', errors.length === 0, errors.join('; '));
  await context.close();
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync'],
});
try {
  const kernels = [
    ['tiled', ['matmul:tiled', '--param', 'n=128']],
    ['naive', ['matmul:naive', '--param', 'n=64']],
    ['vecadd', ['vecadd']],
    ['nbody', ['nbody']],
    ['block-sum', ['docs/examples/block_sum.yaml']],
  ];
  const files = kernels.map(([name, words]) => [name, report(name, words)]);
  for (const [name, file] of files) await everyView(browser, file, name);
  await million(browser, files[0][1]);
  await others(browser, files[0][1]);
  await fromStatistics(browser);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
