// A report open in headless Chromium, with everything that must not happen: errors on the console, requests.
import { gunzipSync, gzipSync } from 'node:zlib';
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

export const launch = () =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync'],
  });

/// `address`: the hash of a moment.
export async function open(browser, file, options = {}, address = '') {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const errors = [];
  const requests = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('request', (request) => requests.push(request.url()));
  const start = Date.now();
  await page.goto(pathToFileURL(file).href + address);
  await page.waitForSelector('html[data-ready]', { timeout: 20000 });
  return { page, context, errors, requests, milliseconds: Date.now() - start };
}

/// Opens a view by its tab.
export async function view(page, id) {
  await page.click(`#tab-${id}`);
  await page.waitForSelector(`#${id}.shown`);
}

/// The canvas of the timeline in a view; the other one is its minimap.
export const timeline = (page, view = 'warps') => page.locator(`#${view} .timeline canvas:not(.minimap)`);

const kData = /(<script type="text\/plain" id="data">)([^<]*)(<\/script>)/;

export function dataOf(file) {
  return JSON.parse(gunzipSync(Buffer.from(kData.exec(readFileSync(file, 'utf8'))[2], 'base64')).toString());
}

/// The same page with other data.
export function withData(from, to, data) {
  const packed = gzipSync(JSON.stringify(data)).toString('base64');
  writeFileSync(to, readFileSync(from, 'utf8').replace(kData, (_, open, _old, close) => open + packed + close));
}

/// A trace of so many states, of 24 warps.
export function bigTrace(trace, states) {
  const each = Math.ceil(states / 24);
  let seed = 1;
  const random = (below) => ((seed = (seed * 1103515245 + 12345) % 2147483648), Math.floor((seed / 2147483648) * below));
  const warps = Array.from({ length: 24 }, (_, slot) => {
    const state = Array.from({ length: each }, (_, i) => (i % 2 === 0 ? 0 : 1 + random(trace.states.length - 1)));
    const issues = state.filter((s) => s === 0).length;
    const length = state.map((s) => (s === 0 ? 4 : 1 + random(30)));
    return { slot, block: [slot >> 3, 0, 0], index: slot & 7, begin: 0, end: null, first: 0, length, state,
      pc: state.map((_, i) => i % 10), mask: Array(issues).fill(0), lanes: Array(issues).fill(trace.masks[0]) };
  });
  const to = Math.max(...warps.map((w) => w.length.reduce((a, b) => a + b, 0)));
  return { ...trace, from: 0, to, cycles: to, warps };
}
