// The report in a real browser: node tests/run.mjs WARPTIME. Prints a line for each failed check.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bigTrace, dataOf, launch, open, view, withData } from './page.mjs';

const [binary] = process.argv.slice(2);
if (!binary) throw new Error('usage: node tests/run.mjs WARPTIME');
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
  check(`${name}: tiles`, (await page.locator('#overview .tile').count()) === 6);
  check(`${name}: bars`, (await page.locator('#overview .bars tbody tr').count()) > 5);
  check(`${name}: charts`, (await page.locator('#overview .chart canvas').count()) === 4);
  check(`${name}: timeline`, (await page.locator('#overview svg rect').count()) > 0);
  const findings = dataOf(file).findings.length;
  const figures = (dataOf(file).statistics.figures ?? []).map((f) => f.name);
  const named = await page.locator('#overview .figures th').allInnerTexts();
  check(`${name}: the figures of the program`, named.join() === figures.join(), named);
  check(`${name}: a launch file's figures are there`, name !== 'scale-any' || figures.length === 2, figures);
  check(`${name}: the findings of the run`, (await page.locator('.findings li').count()) === findings, findings);

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
  const cycle = await page.locator('#warps .instant caption').last().innerText();
  await page.keyboard.press('n');
  check(`${name}: next instruction`, (await page.locator('#warps .instant caption').last().innerText()) !== cycle);
  // An instruction that issues together with the next one has no cycle of its own.
  for (let i = 0; i < 3 && !(await page.locator('#warps .selected-warp').innerText()).includes('issues an instruction'); ++i) await page.keyboard.press('n');
  check(`${name}: it issues`, (await page.locator('#warps .selected-warp').innerText()).includes('issues an instruction'));
  const instant = async () => Number((await page.locator('#warps .instant caption').last().innerText()).match(/[\d,]+/)[0].replaceAll(',', ''));
  const start = await instant();
  await page.keyboard.press(' ');
  await page.waitForTimeout(700);
  await page.keyboard.press(' ');
  const played = await instant();
  check(`${name}: Space plays`, played > start && played < start + 60, `${start} to ${played}`);
  await page.waitForTimeout(200);
  check(`${name}: Space stops`, (await instant()) === played);
  await page.keyboard.press('p');
  await page.keyboard.press('Enter');
  check(`${name}: Enter opens the line`, (await page.locator('#source.shown tr[aria-selected=true]').count()) === 1);

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
  await page.emulateMedia({ media: 'print' });
  check(`${name}: all views print`, (await page.locator('.view:visible').count()) === (await page.locator('.view').count()));
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

/// The instant: stacks with entries, requests on their way, and who holds what a warp waits for.
async function instants(browser, file, name, divergent) {
  const { page, context, errors } = await open(browser, file);
  await view(page, 'warps');
  await page.locator('#warps canvas').click({ position: { x: 80, y: 32 } });
  let deep = 0;
  let requests = 0;
  let holders = 0;
  for (let i = 0; i < 150; ++i) {
    await page.keyboard.press(i < 120 ? 'n' : 'ArrowDown');
    deep = Math.max(deep, await page.locator('#warps .simt tbody tr').count());
    requests = Math.max(requests, await page.locator('#warps .requests tbody tr').count());
    const text = await page.locator('#warps .instant').innerText();
    if (/is missing, which|Not there yet|is held by|chose slot/.test(text)) ++holders;
  }
  check(`${name}: a SIMT stack`, divergent ? deep > 1 : deep >= 1, deep);
  check(`${name}: requests on their way`, requests > 0, requests);
  check(`${name}: who holds it`, holders > 0, holders);
  check(`${name}: instants: nothing on the console`, errors.length === 0, errors.join('; '));
  await context.close();
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

/// `report --native`: a box shows below each line what issues for it; other pages have no box.
async function nativeInstructions(browser, without) {
  const { page, context, errors } = await open(browser, report('native', ['matmul:tiled', '--param', 'n=32', '--native']));
  await view(page, 'source');
  const box = page.locator('#source label', { hasText: 'what issues' }).locator('input');
  check('native: hidden at first', (await page.locator('#source tr.issues').count()) === 0);
  await box.check();
  const lines = await page.locator('#source tr[data-line]').count();
  check('native: one below each instruction', (await page.locator('#source tr.issues').count()) === lines - 1, `${lines}`);
  check('native: with cycles', (await page.locator('#source').innerText()).includes('#23-26 sp: mul.u16 mad.u16 shl mad.u16; issue 8, pipe 16, latency 88'));
  await page.locator('#source tr[data-line="560"]').click();
  check('native: a line describes it', (await page.locator('#source .detail').innerText()).includes('Issues: #23-26'));
  check('native: nothing on the console', errors.length === 0, errors.join('; '));
  await context.close();
  const other = await open(browser, without);
  await view(other.page, 'source');
  check('no box without --native', (await other.page.locator('#source label', { hasText: 'what issues' }).count()) === 0);
  await other.context.close();
}

/// Two runs: what moved is shown by reason and by line, and every statistic has two values.
async function comparing(browser) {
  const stats = (name, more) => {
    const file = join(folder, `${name}.json`);
    execFileSync(warptime, ['run', 'matmul:tiled', '--param', 'n=64', '--stats', file, '--stats-per-instruction', '--quiet', ...more]);
    return file;
  };
  const file = report('compared', [stats('before', []), stats('after', ['--set', 'memory.partitions=1'])]);
  const { page, context, errors } = await open(browser, file);
  const tabs = await page.locator('[role=tab]').allInnerTexts();
  check('a comparison has its view first', tabs.join() === 'Comparison,Overview,Source,Statistics', tabs.join());
  check('comparison: times', (await page.locator('#comparison .tile').first().innerText()).includes('→'));
  check('comparison: limits', (await page.locator('#comparison .bars tbody tr').count()) > 5);
  check('comparison: two bars', (await page.locator('#comparison .stack').count()) === 2);
  check('comparison: lines', (await page.locator('#comparison .moved tbody tr').count()) > 5);
  const moved = (await page.locator('#comparison .moved tbody td:nth-child(5)').allInnerTexts()).map((t) => Math.abs(parseFloat(t.replace('−', '-'))));
  check('comparison: largest first', moved.every((n, i) => i === 0 || n <= moved[i - 1] + 0.011), moved.slice(0, 6).join());
  check('comparison: reasons', (await page.locator('#comparison .moved tbody td:nth-child(6)').first().innerText()).length > 5);
  await page.locator('#comparison .moved tbody tr[data-line]').first().click();
  check('comparison: a line opens', (await page.locator('#source.shown tr[aria-selected=true]').count()) === 1);
  await view(page, 'statistics');
  check('comparison: statistics before and after', (await page.locator('#statistics thead th').allInnerTexts()).join().includes('before,after,change'));
  check('comparison: nothing on the console', errors.length === 0, errors.join('; '));
  await context.close();
}

/// A statistics file and the trace of its run: the same warps as in the page of the run.
async function fromTrace(browser) {
  const stats = join(folder, 'traced.json');
  const trace = join(folder, 'trace.json');
  const words = ['matmul:tiled', '--param', 'n=64'];
  execFileSync(warptime, ['run', ...words, '--stats', stats, '--stats-per-instruction', '--quiet']);
  execFileSync(warptime, ['trace', ...words, '-o', trace], { stdio: 'ignore' });
  const { page, context, errors } = await open(browser, report('traced', [stats, trace]));
  await view(page, 'warps');
  check('trace file: the canvas has colours', (await painted(page)) >= 4);
  await page.locator('#warps canvas').click({ position: { x: 400, y: 60 } });
  check('trace file: an instant', (await page.locator('#warps .instant tbody tr').count()) > 0);
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
  const files = kernels.map(([name, words]) => [name, report(name, words)]);
  for (const [name, file] of files) await everyView(browser, file, name);
  await instants(browser, files[0][1], 'tiled', false);
  await instants(browser, files[4][1], 'block-sum', true);
  await million(browser, files[0][1]);
  await others(browser, files[0][1]);
  await fromStatistics(browser);
  await nativeInstructions(browser, files[0][1]);
  await comparing(browser);
  await fromTrace(browser);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
