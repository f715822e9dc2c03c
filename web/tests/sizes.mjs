// Every view at two sizes and in both themes: nothing is cut off. The sheet of paper: two pages, with bars.
import { check } from './harness.mjs';
import { faults } from './clipping.mjs';
import { open, view } from './page.mjs';

const kSizes = [[1400, 900], [390, 844]];

export async function nothingCutOff(browser, file, name) {
  for (const [width, height] of kSizes)
    for (const colorScheme of ['light', 'dark']) {
      const { page, context, errors } = await open(browser, file, { viewport: { width, height }, colorScheme, hasTouch: width < 500 });
      const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      check(`${name}, ${colorScheme}: the paper is`, paper === (colorScheme === 'dark' ? 'rgb(21, 24, 28)' : 'rgb(255, 255, 255)'), paper);
      for (const tab of await page.locator('[role=tab]').evaluateAll((list) => list.map((e) => e.id.slice('tab-'.length)))) {
        await view(page, tab);
        if (tab === 'source') {
          const unfold = page.locator('#source button', { hasText: 'unfold all PTX' });
          if (await unfold.isVisible()) await unfold.click();
          await page.locator('#source .lines tbody tr.ptx').last().click();
        }
        if (tab === 'warps') {
          await page.focus('#warps canvas:not(.minimap)');
          await page.keyboard.press('n');
          await page.keyboard.press('n');
        }
        const found = await faults(page);
        check(`${name}, ${width} px, ${colorScheme}, ${tab}: nothing is cut off`, found.length === 0, `\n  ${found.join('\n  ')}`);
      }
      check(`${name}, ${width} px, ${colorScheme}: nothing on the console`, errors.length === 0, errors.join('; '));
      await context.close();
    }
}

export async function paper(browser, file, name) {
  const { page, context } = await open(browser, file, { viewport: { width: 1400, height: 900 }, colorScheme: 'dark' });
  for (const format of ['A4', 'Letter']) {
    const pdf = (await page.pdf({ format })).toString('latin1');
    const pages = (pdf.match(/\/Type\s*\/Page\b/g) ?? []).length;
    check(`${name}: two pages of ${format}`, pages === 2, pages);
  }
  // What the sheet consists of, as it is printed: no backgrounds, so bars are shapes.
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  const seen = await page.evaluate(() => ({
    views: [...document.querySelectorAll('.view')].filter((e) => e.getClientRects().length > 0).length,
    parts: document.querySelectorAll('.sheet svg.stack rect.part').length,
    canvases: document.querySelectorAll('.sheet canvas').length,
    paper: getComputedStyle(document.body).backgroundColor,
    ink: getComputedStyle(document.documentElement).getPropertyValue('--text').trim(),
    cut: [...document.querySelectorAll('.sheet .page')].map((e) => e.scrollHeight - e.clientHeight).filter((n) => n > 1),
  }));
  check(`${name}: paper has the sheet only`, seen.views === 0, seen.views);
  check(`${name}: bars are drawn on paper`, seen.parts > 5, seen.parts);
  check(`${name}: warps are on paper`, seen.canvases >= 1, seen.canvases);
  check(`${name}: paper is light`, seen.paper === 'rgb(255, 255, 255)' && seen.ink === '#1c1f23', JSON.stringify(seen));
  check(`${name}: the sheet is not cut`, seen.cut.length === 0, seen.cut.join());
  await context.close();
}
