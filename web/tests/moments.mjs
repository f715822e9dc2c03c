// Addresses: each moment has one, it leads back to what was shown, also inside another page.
import { join } from 'node:path';
import { readFileSync, writeFileSync } from 'node:fs';
import { check, folder, frame, timeline } from './harness.mjs';
import { open, view } from './page.mjs';

const hash = (page) => page.evaluate(() => location.hash);

async function reopened(browser, file, address, then) {
  const { page, context, errors } = await open(browser, `${file}`, {}, address);
  await then(page);
  check(`${address}: nothing on the console`, errors.length === 0, errors.join('; '));
  await context.close();
}

export async function moments(browser, file) {
  const { page, context } = await open(browser, file);
  await view(page, 'warps');
  await timeline(page).click({ position: { x: 500, y: 110 } });
  for (const key of ['+', '+', '+', 'n', 'n']) await page.keyboard.press(key);
  await frame(page);
  const warps = await hash(page);
  check('a moment of a warp has an address', /^#warps\?warp=\d+,\d+,\d+\.\d+&cycle=\d+&from=\d+&to=\d+$/.test(warps), warps);
  const told = await page.locator('#warps .selected-warp p').first().innerText();
  await page.keyboard.press('Enter');
  const line = await hash(page);
  check('a line has an address', /^#source\?ptx=\d+$/.test(line), line);
  const text = await page.locator('#source .detail').innerText();
  await page.goBack();
  check('the way back leads to the moment', (await hash(page)) === warps && (await page.locator('#warps.shown').count()) === 1);
  await view(page, 'memory');
  await page.locator('#memory .lines-of-memory tbody tr').nth(1).click();
  const memory = await hash(page);
  await view(page, 'statistics');
  await page.fill('#statistics input', 'row_hits');
  const statistics = await hash(page);
  await context.close();

  await reopened(browser, file, warps, async (again) => {
    check('the address of a moment opens it', (await again.locator('#warps .selected-warp p').first().innerText()) === told);
    check('and stays', (await hash(again)) === warps, await hash(again));
  });
  await reopened(browser, file, line, async (again) => check('the address of a line opens it', (await again.locator('#source .detail').innerText()) === text));
  await reopened(browser, file, memory, async (again) => check('the address of an access opens it', (await again.locator('#memory tbody tr').nth(1).getAttribute('aria-selected')) === 'true'));
  await reopened(browser, file, statistics, async (again) => check('the address of a search opens it', (await again.locator('#statistics tbody tr').count()) === 1));
  await reopened(browser, file, '#source?order=cost&line=matmul.cu:41', async (again) =>
    check('an address by CUDA line', (await again.locator('#source tr[aria-selected=true]').getAttribute('data-place')) === 'matmul.cu:41' && (await again.locator('#source thead th[aria-sort=descending]').count()) === 1));
  for (const nonsense of ['#nothing', '#warps?warp=x&cycle=99999999&from=9&to=1&pc=a', '#warps?cycle=-1', '#source?ptx=abc&kernel=%', '#source?line=none.cu:1&order=x', '#memory?ptx=', '#statistics?search=%00', '#%%%'])
    await reopened(browser, file, nonsense, async (again) => check(`${nonsense} opens the page`, (await again.locator('.view.shown').count()) === 1));
}

/// In a frame from a blob and from `srcdoc`: it opens, follows the page around it, and tells it where it is.
export async function embedded(browser, file) {
  const html = JSON.stringify(readFileSync(file, 'utf8')).replaceAll('<', '\\u003c');
  for (const way of ['blob', 'srcdoc']) {
    const host = join(folder, `host-${way}.html`);
    const start = way === 'blob' ? "f.src = URL.createObjectURL(new Blob([html], {type: 'text/html'})) + '#warps?warp=0,0,0.2&cycle=5000'" : 'f.srcdoc = html';
    writeFileSync(host, `<!doctype html><iframe id=f width=1200 height=800></iframe><script type="application/json" id=d>${html}</script><script>
      window.told = []; addEventListener('message', (e) => told.push(e.data.hash));
      const html = JSON.parse(document.getElementById('d').textContent), f = document.getElementById('f'); ${start};</script>`);
    const page = await (await browser.newContext({ viewport: { width: 1300, height: 900 } })).newPage();
    const errors = [];
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await page.goto(`file://${host}`);
    await page.waitForFunction(() => told.length > 0);
    const inside = page.frames()[1];
    check(`${way}: the first address`, (await page.evaluate(() => told[0])) === (way === 'blob' ? '#warps?warp=0,0,0.2&cycle=5000' : '#overview'));
    await page.evaluate(() => document.getElementById('f').contentWindow.postMessage({ type: 'warptime', hash: '#source?line=matmul.cu:41' }, '*'));
    await inside.waitForSelector('#source.shown tr[data-place="matmul.cu:41"][aria-selected=true]');
    await inside.click('#tab-statistics');
    await page.waitForFunction(() => told.at(-1) === '#statistics');
    check(`${way}: it follows and tells`, (await inside.locator('#statistics.shown').count()) === 1);
    check(`${way}: nothing on the console`, errors.length === 0, errors.join('; '));
    await page.context().close();
  }
}
