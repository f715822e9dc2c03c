// What the tests of the page share: reports of targets, and checks that are counted.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const cwd = fileURLToPath(new URL('../..', import.meta.url));
export const folder = mkdtempSync(join(tmpdir(), 'warptime-report-'));
export const cleanUp = () => rmSync(folder, { recursive: true });

let warptime = '';
export const use = (binary) => (warptime = resolve(binary));

export const counts = { passed: 0, failed: 0 };
export function check(what, ok, seen = '') {
  if (ok) return ++counts.passed;
  ++counts.failed;
  console.log(`failed: ${what}${seen === '' ? '' : `: ${seen}`}`);
}

/// Runs the program, which must end with that exit status.
export function run(words, status = 0) {
  const { status: ended } = spawnSync(warptime, words, { cwd, stdio: ['ignore', 'ignore', status === 0 ? 'inherit' : 'ignore'] });
  if (ended !== status) throw new Error(`warptime ${words.join(' ')}: exit status ${ended}`);
}

const made = new Map();
/// The page of these words, made once.
export function report(name, words) {
  const file = join(folder, `${name}.html`);
  if (!made.has(name)) run(['report', ...words, '-o', file]);
  made.set(name, file);
  return file;
}

export const frame = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

export { timeline } from './page.mjs';

/// Different colours of a canvas.
export const painted = (canvas) =>
  canvas.evaluate((c) => {
    const { data } = c.getContext('2d').getImageData(0, 0, c.width, c.height);
    return new Set(new Uint32Array(data.buffer)).size;
  });

/// A column of a table as numbers.
export const numbers = async (cells) => (await cells.allInnerTexts()).map((t) => Math.abs(parseFloat(t.replace('−', '-').replace('< ', '')) || 0));

export const isSorted = (list, by = 0) => list.every((n, i) => i === 0 || n <= list[i - 1] + by);
