// The view of warps: keys, minimap, brush, the note at the pointer, names of blocks, instants; a trace of a million states.
import { join } from 'node:path';
import { check, folder, frame, painted, timeline } from './harness.mjs';
import { bigTrace, dataOf, open, view, withData } from './page.mjs';

const range = async (page) => (await page.locator('#warps [role=status]').innerText()).match(/[\d,]+/g).slice(0, 2).map((t) => Number(t.replaceAll(',', '')));
const cycle = async (page) => Number((await page.locator('#warps .every-warp caption').innerText()).match(/cycle ([\d,]+)/)[1].replaceAll(',', ''));

export async function warpsView(page, name) {
  await view(page, 'warps');
  check(`${name}: the canvas has colours`, (await painted(timeline(page))) >= 4);
  check(`${name}: the minimap, too`, (await painted(page.locator('#warps .minimap'))) >= 3);
  const whole = await range(page);
  await page.focus('#warps canvas:not(.minimap)');
  await page.keyboard.press('+');
  await page.keyboard.press('+');
  await frame(page);
  const near = await range(page);
  check(`${name}: keys zoom`, near[1] - near[0] < whole[1] - whole[0]);
  await timeline(page).click({ position: { x: 400, y: 60 } });
  check(`${name}: an instant`, (await page.locator('#warps .every-warp tbody tr').count()) > 0);
  check(`${name}: rows have the names of warps`, /^\(\d+(,\d+)*\) warp \d+$/.test((await page.locator('#warps .every-warp tbody th').first().innerText()).trim()));
  const before = await cycle(page);
  await page.keyboard.press('n');
  check(`${name}: next instruction`, (await cycle(page)) !== before);
  // An instruction that issues together with the next one has no cycle of its own.
  const issues = async () => (await page.locator('#warps .selected-warp').innerText()).includes('issues an instruction');
  for (let i = 0; i < 3 && !(await issues()); ++i) await page.keyboard.press('n');
  check(`${name}: it issues`, await issues());
  const start = await cycle(page);
  await page.keyboard.press(' ');
  await page.waitForTimeout(700);
  await page.keyboard.press(' ');
  const played = await cycle(page);
  check(`${name}: Space plays`, played > start && played < start + 60, `${start} to ${played}`);
  await page.waitForTimeout(200);
  check(`${name}: Space stops`, (await cycle(page)) === played);
  await page.keyboard.press('p');
  await page.keyboard.press('Enter');
  check(`${name}: Enter opens the line`, (await page.locator('#source.shown tr[aria-selected=true]').count()) === 1);
}

/// With a mouse.
export async function pointer(browser, file) {
  const { page, context, errors } = await open(browser, file, { viewport: { width: 1400, height: 900 } });
  await view(page, 'warps');
  const box = await timeline(page).boundingBox();
  const whole = await range(page);
  await page.mouse.move(box.x + 300, box.y + 60);
  const note = page.locator('#warps .note-at-pointer');
  const text = await note.innerText();
  check('the pointer: warp, cycle, reason, since when, line', /\(0,0\) warp 1, cycle [\d,]+/.test(text) && /\([a-z_]+\)/.test(text) && /cycles?, [\d,]+ to [\d,]+/.test(text) && /matmul\.cu:\d+/.test(text) && /PTX \d+/.test(text), text);
  const [note_, screen] = [await note.boundingBox(), 1400];
  check('the note is on the screen', note_.x >= 0 && note_.x + note_.width <= screen);
  await page.mouse.move(box.x + 400, box.y + 100);
  await page.mouse.down();
  await page.mouse.move(box.x + 500, box.y + 110, { steps: 3 });
  await page.mouse.up();
  await frame(page);
  const brushed = await range(page);
  const perPixel = (whole[1] - whole[0]) / (box.width - 92);
  check('a brush zooms to what is between', Math.abs(brushed[0] - whole[0] - (400 - 92) * perPixel) < 2 * perPixel && Math.abs(brushed[1] - brushed[0] - 100 * perPixel) < 2 * perPixel, `${brushed} of ${whole}`);
  const map = await page.locator('#warps .minimap').boundingBox();
  await page.mouse.move(map.x + map.width - 40, map.y + 20);
  await page.mouse.down();
  await page.mouse.up();
  await frame(page);
  const moved = await range(page);
  check('the minimap moves the window', moved[0] > brushed[0] && Math.abs(moved[1] - moved[0] - brushed[1] + brushed[0]) <= 1, `${moved}`);
  await timeline(page).dblclick({ position: { x: 600, y: 60 } });
  await frame(page);
  check('a double click shows the whole launch', (await range(page)).join() === '0,136645', (await range(page)).join());
  const pixels = (hex) =>
    timeline(page).evaluate((c, rgb) => {
      const { data } = c.getContext('2d').getImageData(0, 0, c.width, c.height);
      let count = 0;
      for (let i = 0; i < data.length; i += 4) if (((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]) === rgb) ++count;
      return count;
    }, hex);
  const [barrier, busy] = [0xa391ca, 0xf2ce3c];
  const all = await pixels(busy);
  await page.locator('#warps .legend button', { hasText: 'barrier' }).click();
  await frame(page);
  check('a state alone', all > 1000 && (await pixels(busy)) === 0 && (await pixels(barrier)) > 100, all);
  await view(page, 'source');
  await page.locator('#source tr[data-place="matmul.cu:39"]').click();
  await page.locator('#source .detail button', { hasText: 'longest wait' }).click();
  check('the longest wait of a line', (await page.locator('#warps.shown .note').innerText()).includes('Only matmul.cu:39'));
  check('is at that line', (await page.locator('#warps .selected-warp button').first().innerText()) === 'matmul.cu:39');
  check('the pointer: nothing on the console', errors.length === 0, errors.join('; '));
  await context.close();
}

/// The instant: stacks with entries, requests on their way, and who holds what a warp waits for.
export async function instants(browser, file, name, divergent) {
  const { page, context, errors } = await open(browser, file);
  await view(page, 'warps');
  await timeline(page).click({ position: { x: 110, y: 32 } });
  let deep = 0;
  let requests = 0;
  let holders = 0;
  for (let i = 0; i < 150; ++i) {
    await page.keyboard.press(i < 120 ? 'n' : 'ArrowDown');
    deep = Math.max(deep, await page.locator('#warps .simt tbody tr').count());
    requests = Math.max(requests, await page.locator('#warps .requests tbody tr').count());
    const text = await page.locator('#warps .instant').innerText();
    if (/is missing, which|Not there yet|is held by \(|chose \(/.test(text)) ++holders;
  }
  check(`${name}: a SIMT stack`, divergent ? deep > 1 : deep >= 1, deep);
  check(`${name}: requests on their way`, requests > 0, requests);
  check(`${name}: who holds it`, holders > 0, holders);
  check(`${name}: instants: nothing on the console`, errors.length === 0, errors.join('; '));
  await context.close();
}

export async function million(browser, from) {
  const file = join(folder, 'million.html');
  const data = dataOf(from);
  withData(from, file, { ...data, trace: bigTrace(data.trace, 1_000_000) });
  const { page, context, errors } = await open(browser, file);
  await view(page, 'warps');
  await page.focus('#warps canvas:not(.minimap)');
  const frames = [];
  for (const key of ['0', '+', '+', 'ArrowRight', 'ArrowRight', '+', '+', '+', 'ArrowLeft', '+', '+', '+', '+', '-', '-', '0']) {
    await page.keyboard.press(key);
    await frame(page);
    frames.push(Number(await timeline(page).getAttribute('data-frame')));
  }
  const worst = Math.max(...frames);
  check('1 million states: a frame takes at most 100 ms', worst <= 100, frames.join(' '));
  check('1 million states: it draws', (await painted(timeline(page))) >= 4);
  check('1 million states: nothing on the console', errors.length === 0, errors.join('; '));
  console.log(`1 million states: slowest frame ${worst} ms`);
  await context.close();
}
