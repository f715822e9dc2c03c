// What of a page is cut off: elements beyond the right edge of the screen, panes that are wider inside than they are, and
// texts that do not fit their element.

/// Pictures of 32 lanes may be moved sideways in their pane.
const kMayScroll = '.access';

/// A line for each fault of the view that is shown.
export const faults = (page) =>
  page.evaluate((mayScroll) => {
    const out = [];
    const name = (e) => `${e.tagName.toLowerCase()}${e.id ? `#${e.id}` : ''}.${String(e.className?.baseVal ?? e.className).replaceAll(' ', '.')} "${(e.textContent ?? '').trim().slice(0, 30)}"`;
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth > width) out.push(`the page is ${document.documentElement.scrollWidth} wide, the screen ${width}`);
    for (const e of document.querySelectorAll('header *, .view.shown, .view.shown *, footer')) {
      if (!(e instanceof HTMLElement) || e.closest(mayScroll) || e.closest('select')) continue;
      const box = e.getBoundingClientRect();
      if (box.width === 0 || box.height === 0) continue;
      if (box.right > width + 1 || box.left < -1) out.push(`${name(e)} is from ${box.left.toFixed()} to ${box.right.toFixed()}`);
      const { overflowX, textOverflow } = getComputedStyle(e);
      // Cells of a table are cut by their neighbours.
      if ((overflowX !== 'visible' || e.matches('th, td')) && textOverflow !== 'ellipsis' && e.scrollWidth > e.clientWidth + 1) out.push(`${name(e)} is ${e.clientWidth} wide and needs ${e.scrollWidth}`);
    }
    return [...new Set(out)].slice(0, 8);
  }, kMayScroll);
