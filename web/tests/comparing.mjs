// The page of two runs: what moved by line of CUDA, PTX under it, and the warps of both, one above the other.
import { check, folder, frame, isSorted, painted, report, run } from './harness.mjs';
import { dataOf, open, view } from './page.mjs';
import { join } from 'node:path';

const range = (page) => page.locator('#comparison .compared-warps [role=status]').innerText();

/// Two files without traces.
export async function twoFiles(browser) {
  const stats = (name, more) => {
    const file = join(folder, `${name}.json`);
    run(['run', 'matmul:tiled', '--param', 'n=64', '--stats', file, '--stats-per-instruction', '--quiet', ...more]);
    return file;
  };
  const { page, context, errors } = await open(browser, report('compared', [stats('before', []), stats('after', ['--set', 'memory.partitions=1'])]));
  const tabs = await page.locator('[role=tab]').allInnerTexts();
  check('a comparison has its view first', tabs.join() === 'Comparison,Overview,Source,Statistics', tabs.join());
  check('comparison: times', (await page.locator('#comparison .tile').first().innerText()).includes('→'));
  check('comparison: limits', (await page.locator('#comparison .bars tbody tr').count()) > 4);
  check('comparison: two bars', (await page.locator('#comparison .compared svg.stack').count()) === 2);
  const lines = page.locator('#comparison .moved tbody tr.cuda');
  check('comparison: lines of CUDA', (await lines.count()) > 5);
  const moved = (await page.locator('#comparison .moved tbody tr').evaluateAll((list) => list.map((row) => Math.abs(Number(row.dataset.moved)))));
  check('comparison: largest first', moved[0] > 0 && isSorted(moved), moved.slice(0, 6).join());
  check('comparison: reasons', (await page.locator('#comparison .moved td.why').first().innerText()).length > 5);
  await lines.first().click();
  const ptx = page.locator('#comparison .moved tbody tr.ptx');
  check('comparison: PTX under its line', (await ptx.count()) > 0);
  const [line, parts] = [Number(await lines.first().getAttribute('data-moved')), await ptx.evaluateAll((list) => list.map((row) => Number(row.dataset.moved)))];
  check('comparison: a line moved as its instructions did', line !== 0 && line === parts.reduce((a, b) => a + b, 0), `${line}: ${parts}`);
  await ptx.first().click();
  check('comparison: an instruction opens', (await page.locator('#source.shown tr[aria-selected=true]').count()) === 1);
  await page.goBack();
  await view(page, 'statistics');
  check('comparison: statistics before and after', (await page.locator('#statistics thead th').allInnerTexts()).join().includes('before,after,change'));
  check('comparison: no warps without traces', (await page.locator('#comparison .compared-warps').count()) === 0);
  check('comparison: nothing on the console', errors.length === 0, errors.join('; '));
  await context.close();
}

/// Two targets that are run: another kernel, paired by text; both runs' warps in one window.
export async function twoTargets(browser, file) {
  const { page, context, errors } = await open(browser, file, { viewport: { width: 1400, height: 900 } });
  const text = await page.locator('#comparison .moved').innerText();
  check('two targets: lines of the same text are one', text.includes('matmul.cu:20 → 44'), text.slice(0, 200));
  check('two targets: lines of one side', text.includes('before only') && text.includes('after only'));
  const canvases = page.locator('#comparison .timeline canvas:not(.minimap)');
  check('two targets: two timelines', (await canvases.count()) === 2);
  const boxes = [await canvases.nth(0).boundingBox(), await canvases.nth(1).boundingBox()];
  check('two targets: one above the other', boxes[0].y + boxes[0].height <= boxes[1].y && boxes[0].x === boxes[1].x && boxes[0].width === boxes[1].width);
  check('two targets: both are drawn', (await painted(canvases.nth(0))) > 3 && (await painted(canvases.nth(1))) > 3);
  const whole = await range(page);
  await canvases.nth(0).scrollIntoViewIfNeeded();
  const box = await canvases.nth(0).boundingBox();
  await page.mouse.move(box.x + 120, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + 260, box.y + 45, { steps: 3 });
  await page.mouse.up();
  await frame(page);
  check('two targets: a brush in one', (await range(page)) !== whole, await range(page));
  await canvases.nth(1).click({ position: { x: 400, y: 60 } });
  const hash = await page.evaluate(() => location.hash);
  check('two targets: an address', /^#comparison\?from=\d+&to=\d+&run=after&row=\d+&cycle=\d+$/.test(hash), hash);
  const seen = await range(page);
  check('two targets: nothing on the console', errors.length === 0, errors.join('; '));
  await context.close();
  const again = await open(browser, file, {}, hash);
  check('two targets: the address opens it', (await range(again.page)) === seen, await range(again.page));
  await again.context.close();
}

/// Two statistics files with the traces of their runs give the same warps as the two runs.
export async function fourFiles() {
  const words = ['matmul:tiled', '--param', 'n=64'];
  const files = [];
  for (const [name, more] of [['a', []], ['b', ['--machine', 'docs/examples/twice-the-registers.yaml']]]) {
    const [stats, trace] = [join(folder, `four-${name}.json`), join(folder, `four-${name}-trace.json`)];
    run(['run', ...words, ...more, '--stats', stats, '--stats-per-instruction', '--quiet']);
    run(['trace', ...words, ...more, '-o', trace]);
    files.push([stats, trace]);
  }
  const [[a, aTrace], [b, bTrace]] = files;
  const from = dataOf(report('four', [a, b, aTrace, bTrace]));
  const ran = dataOf(report('machines', [...words, '--machine', 'geforce-8800-gtx', '--machine', 'docs/examples/twice-the-registers.yaml']));
  const states = (trace) => trace.warps.map((w) => [w.slot, w.block.join(), w.index, w.state.length].join(':')).join(' ');
  check('four files: the warps before', states(from.comparison.a.trace) === states(ran.comparison.a.trace));
  check('four files: the warps after', states(from.trace) === states(ran.trace));
}
