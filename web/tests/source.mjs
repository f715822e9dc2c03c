// The source view: CUDA first, PTX folded under it, every column in sight, order and heat by cost; and the ways to it.
import { check, folder, isSorted, numbers, report, run } from './harness.mjs';
import { dataOf, open, view, withData } from './page.mjs';
import { join } from 'node:path';

const rows = (page, kind) => page.locator(`#source .lines tbody tr.${kind}`);

/// Of a kernel whose CUDA is known.
async function cudaFirst(page, name) {
  const cuda = page.locator('#source .lines tbody tr.cuda:not(.empty)');
  const count = await cuda.count();
  check(`${name}: lines of CUDA`, count >= 2, count);
  check(`${name}: PTX is folded`, (await rows(page, 'ptx').count()) <= 1);
  const first = cuda.nth(0);
  await first.locator('.fold').click();
  check(`${name}: a click unfolds it`, (await first.getAttribute('aria-expanded')) === 'true' && (await rows(page, 'ptx').count()) > 1);
  await first.locator('.fold').click();
  await page.locator('#source button', { hasText: 'unfold all PTX' }).click();
  check(`${name}: all are unfolded`, (await page.locator('#source tr.cuda[aria-expanded=true]').count()) === count);
  // What a line of CUDA costs is what its instructions cost.
  const executions = async (list) => (await numbersOf(list, 'executions')).reduce((a, b) => a + b, 0);
  check(`${name}: a line is the sum of its instructions`, (await executions(rows(page, 'cuda'))) === (await executions(rows(page, 'ptx'))));
  await page.locator('#source button', { hasText: 'fold all PTX' }).click();
}

async function numbersOf(list, column) {
  const at = (await list.page().locator('#source thead th').allInnerTexts()).findIndex((t) => t.trim().startsWith(column === 'executions' ? 'warp' : column));
  return (await list.locator(`td:nth-child(${at + 1})`).allInnerTexts()).map((t) => Number(t.replaceAll(',', '')) || 0);
}

export async function sourceView(page, name) {
  await view(page, 'source');
  const hasCuda = (await rows(page, 'cuda').count()) > 0;
  if (hasCuda) await cudaFirst(page, name);
  const lines = page.locator('#source .lines tbody tr:is(.cuda:not(.empty), .ptx)');
  check(`${name}: lines`, (await lines.count()) >= 2);
  await lines.nth(0).click();
  check(`${name}: a click selects the line`, (await lines.nth(0).getAttribute('aria-selected')) === 'true');
  const text = await lines.nth(0).locator('.code .text').innerText();
  check(`${name}: and describes it`, (await page.locator('#source .detail').innerText()).includes(text.trim()));
  await page.keyboard.press('ArrowDown');
  check(`${name}: arrow keys go on`, (await page.locator('#source tr[aria-selected=true]').count()) === 1 && (await lines.nth(0).getAttribute('aria-selected')) === 'false');
  await page.locator('#source select').last().selectOption('by cost');
  const shares = await numbers(page.locator('#source .lines tr:is(.cuda, .ptx):not([data-line="0"]) td.cost'));
  check(`${name}: sorted by cost`, shares.length >= 2 && shares[0] > 0 && isSorted(shares), shares.slice(0, 5));
  const heat = await page.locator('#source .lines tr:is(.cuda, .ptx):not([data-line="0"])').evaluateAll((list) => list.map((row) => Number(row.style.getPropertyValue('--heat'))));
  check(`${name}: the most expensive is the darkest`, heat[0] === 1 && isSorted(heat), heat.slice(0, 4));
  const bars = await page.locator('#source .lines tr:is(.cuda, .ptx) svg.stack').count();
  check(`${name}: bars of reasons`, bars >= 2, bars);
  const all = await lines.count();
  await page.fill('#source input[type=search]', 'ld.global');
  const few = await lines.count();
  check(`${name}: filtered`, few > 0 && few < all, `${few} of ${all}`);
  await page.fill('#source input[type=search]', '');
  await page.locator('#source select').last().selectOption('as written');
}

/// On a wide screen every column is within its pane, on narrower ones the most important.
export async function columnsInSight(browser, file) {
  for (const [width, names] of [[1400, ['all', 'issued', 'stalled', 'sp busy', 'global', 'warp', 'lanes']], [900, ['all', 'issued', 'stalled', 'lanes']], [390, ['all']]]) {
    const { page, context } = await open(browser, file, { viewport: { width, height: 900 } });
    await view(page, 'source');
    const pane = await page.locator('#source .scroll').boundingBox();
    for (const name of names) {
      const box = await page.locator('#source thead th', { hasText: name }).first().boundingBox();
      check(`${width} px: the column ${name} is in sight`, box !== null && box.x >= pane.x && box.x + box.width <= pane.x + pane.width + 1, JSON.stringify(box));
    }
    await context.close();
  }
}

/// A finding leads to its own kernel, whatever other has a line of the same number, and whatever hides it.
export async function findings(browser, from) {
  const file = join(folder, 'findings.html');
  const data = dataOf(from);
  const [kernel] = data.kernels;
  const line = kernel.rows[3].line;
  const other = { ...kernel, kernel: 'another', rows: kernel.rows.map((row) => ({ ...row, text: `other ${row.text}` })) };
  withData(from, file, { ...data, kernels: [other, kernel], names: { [kernel.kernel]: 'tiled<16>(float*)' }, findings: [{ rule: 'r', kernel: kernel.kernel, line, message: '<b>a</b> finding', promised: 0.25, won: null }] });
  const { page, context } = await open(browser, file);
  check('a finding is text, not markup', (await page.locator('#overview .findings').innerText()).includes('<b>a</b> finding'));
  await view(page, 'source');
  await page.fill('#source input[type=search]', 'no such line');
  await view(page, 'overview');
  await page.click('#overview .findings button');
  const selected = page.locator('#source.shown tr[aria-selected=true]');
  check('its line opens', (await selected.getAttribute('data-line')) === String(line));
  check('of its own kernel', (await selected.locator('.text').innerText()) === kernel.rows[3].text, await selected.locator('.text').innerText());
  const inSight = () =>
    selected.evaluate((row) => {
      const [pane, head, box] = [row.closest('.scroll'), row.closest('table').tHead.rows[0].cells[0], row].map((e) => e.getBoundingClientRect());
      return box.top >= head.bottom - 1 && box.bottom <= pane.bottom + 1;
    });
  check('and is in sight', await inSight());
  // A line above the others is not under the head of the table.
  await page.locator('#source button', { hasText: 'unfold all PTX' }).click();
  await page.locator('#source .lines tbody tr.ptx').last().click();
  for (let i = 0; i < 50; ++i) await page.keyboard.press('ArrowUp');
  check('a line that is reached from below is in sight', await inSight());
  await page.locator('#source .lines tbody tr.ptx').last().click();
  await view(page, 'overview');
  await page.click('#overview .findings button');
  check('also from below', (await selected.getAttribute('data-line')) === String(line) && (await inSight()));
  await page.goBack();
  check('the way back', (await page.locator('#overview.shown').count()) === 1);
  await context.close();
}

/// What `warptime check` found leads to its line, and to that of the other access.
export async function foundByCheck(browser) {
  const found = join(folder, 'found.json');
  const target = 'docs/examples/block_sum_no_barrier.yaml';
  run(['check', target, `--json=${found}`, '--quiet'], 3);
  const { page, context, errors } = await open(browser, report('race', [target, '--no-check', '--findings', found]));
  const item = page.locator('#overview .faults li');
  check('check: a finding', (await item.count()) === 1 && (await item.innerText()).includes('block_sum_no_barrier.cu:5: error: a write of 128 in shared memory'), await item.innerText());
  check('check: its remedy', (await item.innerText()).includes('Remedy: a barrier'));
  await item.locator('button', { hasText: 'show' }).click();
  const selected = page.locator('#source.shown tr[aria-selected=true]');
  check('check: its line opens', (await selected.locator('.text').innerText()).startsWith('st.shared.f32'), await selected.innerText());
  await page.goBack();
  await item.locator('button', { hasText: 'other' }).click();
  check('check: the other access opens', (await selected.locator('.text').innerText()).startsWith('ld.shared.f32'), await selected.innerText());
  check('check: nothing on the console', errors.length === 0, errors.join('; '));
  await context.close();
}

/// The lines of another kernel of the same file are not shown.
export async function ownLines(browser) {
  const { page, context } = await open(browser, report('tiled', ['matmul:tiled', '--param', 'n=128']));
  await view(page, 'source');
  const text = await page.locator('#source .lines').innerText();
  check('the source is that of the kernel', text.includes('__syncthreads();') && !text.includes('(a) Initial version'));
  await context.close();
}

/// `report --native`: a box shows below each line what issues for it; pages of other runs have the native instructions.
export async function nativeInstructions(browser) {
  const { page, context, errors } = await open(browser, report('native', ['matmul:tiled', '--param', 'n=32', '--native']));
  await view(page, 'source');
  await page.locator('#source button', { hasText: 'unfold all PTX' }).click();
  check('native: hidden at first', (await page.locator('#source .native').count()) === 0);
  await page.locator('#source label', { hasText: 'what issues' }).locator('input').check();
  const lines = await page.locator('#source tr[data-line]:not([data-line="0"])').count();
  check('native: one below each instruction', (await page.locator('#source .native').count()) === lines, `${lines}`);
  check('native: with cycles', (await page.locator('#source').innerText()).includes('#23-26 sp: mul.u16 mad.u16 shl mad.u16; issue 8, pipe 16, latency 88'));
  await page.locator('#source tr[data-line="560"]').click();
  check('native: a line describes it', (await page.locator('#source .detail').innerText()).includes('Issues: #23-26'));
  check('native: nothing on the console', errors.length === 0, errors.join('; '));
  await context.close();
}
