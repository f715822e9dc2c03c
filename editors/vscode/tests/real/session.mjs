// The extension in VS Code itself: its server and its page (of the npm package code-server) and Debian's Chromium.
//     node tests/real/session.mjs WARPTIME FILE.vsix [FOLDER FOR SCREENSHOTS]
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const [warptime, vsix, pictures] = process.argv.slice(2).map((word) => resolve(word));
const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, '../../../..');
const server = join(here, 'node_modules/code-server/lib/vscode/out/server-main.js');
const folder = mkdtempSync(join(tmpdir(), 'warptime-vscode-'));
const work = join(folder, 'work');
mkdirSync(join(work, '.vscode'), { recursive: true });
for (const file of ['block_sum', 'block_sum_no_barrier'])
  for (const end of ['cu', 'ptx', 'yaml']) cpSync(join(root, `docs/examples/${file}.${end}`), join(work, `${file}.${end}`));
for (const end of ['cu', 'ptx', 'yaml']) cpSync(join(root, `tests/debug/debug_info.${end}`), join(work, `debug_info.${end}`));
writeFileSync(join(work, '.vscode/launch.json'), JSON.stringify({
  version: '0.2.0',
  configurations: [{ type: 'warptime', request: 'launch', name: 'debug information', program: '${workspaceFolder}/debug_info.yaml', machine: 't4', stopOnEntry: true }],
}, undefined, 2));
const settings = JSON.stringify({
  'warptime.executable': warptime, 'workbench.startupEditor': 'none', 'telemetry.telemetryLevel': 'off', 'security.workspace.trust.enabled': false,
  'debug.console.closeOnEnd': false, 'workbench.enableExperiments': false, 'editor.minimap.enabled': false, 'files.autoSave': 'off', 'chat.commandCenter.enabled': false,
});
for (const place of [join(work, '.vscode'), join(folder, 'data/data/Machine')]) {
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'settings.json'), settings);
}

const data = ['--server-data-dir', join(folder, 'data'), '--extensions-dir', join(folder, 'extensions'), '--accept-server-license-terms'];
execFileSync('node', [server, ...data, '--install-extension', vsix], { stdio: 'ignore' });
const port = await new Promise((done) => {
  const probe = createServer().listen(0, '127.0.0.1', () => {
    const { port: free } = probe.address();
    probe.close(() => done(free));
  });
});
const process_ = spawn('node', [server, ...data, '--host', '127.0.0.1', '--port', String(port), '--without-connection-token'], { stdio: 'ignore' });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });

let passed = 0, pictured = 0;
const page = await (await browser.newContext({ viewport: { width: 1400, height: 900 } })).newPage();
page.setDefaultTimeout(30000);
async function step(name, work_) {
  try {
    await work_();
    ++passed;
  } catch (error) {
    if (pictures) await page.screenshot({ path: join(pictures, 'failed.png') });
    throw new Error(`${name}: ${error.message}`);
  } finally {
    if (pictures) await page.screenshot({ path: join(pictures, `${String(++pictured).padStart(2, '0')}-${name.replace(/\W+/g, '-')}.png`) });
  }
}
/// Until f() is true.
async function until(f, what) {
  for (let i = 0; i < 150; ++i) {
    if (await f()) return;
    await page.waitForTimeout(200);
  }
  throw new Error(`waited in vain for ${what}`);
}
const command = async (title) => {
  await page.keyboard.press('F1');
  await page.locator('.quick-input-widget input').fill(`>${title}`);
  await page.locator('.quick-input-list .monaco-list-row').first().waitFor();
  await page.keyboard.press('Enter');
};
/// By the explorer: "Go to File" searches with a program that the npm package downloads from elsewhere.
const open = async (file) => {
  await command('View: Show Explorer');
  const entry = page.locator('.explorer-folders-view .label-name', { hasText: new RegExp(`^${file.replaceAll('.', '\\.')}$`) });
  if (file === 'launch.json' && (await entry.count()) === 0) await page.locator('.explorer-folders-view .label-name', { hasText: '.vscode' }).click();
  await entry.dblclick();
  await page.locator(`.tab.active[aria-label*="${file}"]`).waitFor();
};
/// The text of rows of a tree or list.
const rows = async (selector) => (await page.locator(`${selector} .monaco-list-row`).allInnerTexts()).map((text) => text.replaceAll('\u00a0', ' ').replace(/\s*\n\s*/g, ' '));
const line = () => page.locator('.debug-top-stack-frame-line, .view-overlays .debug-top-stack-frame-line').count();
const cycle = async () => {
  const found = (await rows('.debug-call-stack')).join('\n').match(/cycle (\d+)/i);
  return found === null ? undefined : Number(found[1]);
};

try {
  await step('the folder opens', async () => {
    await page.goto(`http://127.0.0.1:${port}/?folder=${work}`);
    await page.getByRole('button', { name: 'Yes, I trust the authors' }).click();
    await page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'block_sum.cu' }).waitFor();
  });

  await step('PTX is highlighted, and a mistake has its place and hint', async () => {
    await open('block_sum.ptx');
    await until(async () => (await page.locator('.view-line span[class*="mtk"]').evaluateAll((spans) => new Set(spans.map((span) => getComputedStyle(span).color)).size)) >= 5, 'five colors');
    await page.locator('.view-line', { hasText: 'mov.u32' }).first().click();
    await page.keyboard.press('Home');
    await page.keyboard.type('x');
    await page.locator('.squiggly-error').first().waitFor();
    await command('Problems: Focus on Problems View');
    await until(async () => (await rows('.markers-panel')).some((row) => /xmov/.test(row) && /did you mean/.test(row)), 'the problem');
    await page.locator('.markers-panel .monaco-list-row', { hasText: 'xmov' }).dblclick(); // leads to the line
    await page.locator('.view-line', { hasText: 'xmov' }).first().waitFor();
    await page.keyboard.press('Control+Z');
    await until(async () => !(await rows('.markers-panel')).some((row) => /xmov/.test(row)), 'no problem');
    await command('File: Revert File');
  });

  await step('costs stand above the lines of the CUDA source', async () => {
    await open('block_sum.yaml');
    await command('warptime: Run and Show the Cost');
    await page.locator('.tab.active[aria-label*="block_sum.cu"]').waitFor();
    await until(async () => (await page.locator('.codelens-decoration').allInnerTexts()).some((text) => /\d % of the time: issues/.test(text.replaceAll('\u00a0', ' '))), 'costs');
    assert((await page.locator('.codelens-decoration').count()) >= 4);
  });

  await step('findings of the checkers are problems', async () => {
    await open('block_sum_no_barrier.yaml');
    await command('warptime: Check for');
    await until(async () => (await rows('.markers-panel')).some((row) => /nothing orders them/.test(row)), 'the race');
    assert((await rows('.markers-panel')).some((row) => /race_war_shared/.test(row)), await rows('.markers-panel'));
  });

  await step('launch.json proposes machines', async () => {
    await open('launch.json');
    await page.locator('.view-line', { hasText: '"machine"' }).locator('span', { hasText: '"t4"' }).last().click();
    await page.keyboard.press('End');
    for (let i = 0; i < 4; ++i) await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Control+Space');
    await page.locator('.suggest-widget .monaco-list-row', { hasText: 'rtx-4090' }).first().waitFor().catch(async () => {
      assert.fail((await rows('.suggest-widget')).join());
    });
    await page.keyboard.press('Escape');
    await command('File: Revert File');
  });

  await step('a session stops at its entry', async () => {
    await open('debug_info.cu');
    await page.keyboard.press('F5');
    await page.locator('.debug-toolbar').waitFor();
    await until(async () => (await rows('.debug-call-stack')).some((row) => /SM 0 warp 0: block \(0,0,0\) warp 0/.test(row)), 'the warps');
    await until(async () => (await line()) > 0, 'the line');
  });

  await step('a breakpoint at a line of CUDA, with locals', async () => {
    await command('Go to Line');
    await page.locator('.quick-input-widget input').fill(':31');
    await page.keyboard.press('Enter');
    await page.keyboard.press('F9');
    await page.keyboard.press('F5');
    await until(async () => (await rows('.debug-variables')).some((row) => /^w ?[:=]/.test(row)), 'the variables');
    await page.locator('.debug-variables .monaco-list-row', { hasText: /^Parameters/ }).locator('.monaco-tl-twistie').click();
    await until(async () => (await rows('.debug-variables')).some((row) => /^in = 0x\w+ \(x\)/.test(row)), 'the parameters');
    assert((await rows('.debug-variables')).some((row) => /^scratch = \{/.test(row)));
  });

  await step('lanes are variables', async () => {
    await page.locator('.debug-variables .monaco-list-row', { hasText: /^v\s*=/ }).first().click();
    await page.keyboard.press('ArrowRight');
    await until(async () => (await rows('.debug-variables')).some((row) => /^\[5\] = 50.5/.test(row)), 'lane 5');
    await page.keyboard.press('ArrowLeft');
  });

  const toolbar = (name) => page.locator(`.debug-toolbar .action-label[aria-label^="${name}"]`).click();
  /// The cycle after a step.
  const moved = async (name) => {
    const before = await cycle();
    let after;
    await toolbar(name);
    await until(async () => (after = await cycle()) !== undefined && after !== before, name);
    return after;
  };
  await step('steps forwards and backwards', async () => {
    const begin = await cycle();
    const forwards = await moved('Step Into');
    assert(forwards > begin, [begin, forwards]);
    assert.equal(await moved('Step Back'), begin);
    await toolbar('Reverse');
    await until(async () => (await rows('.debug-call-stack')).some((row) => /cycle 1$/i.test(row)), 'the beginning');
  });

  await step('the debug console takes commands', async () => {
    await command('Debug Console: Focus on Debug Console View');
    await page.locator('.repl-input-wrapper .view-lines').click();
    await page.keyboard.type('info launch ', { delay: 30 });
    await page.keyboard.press('Enter');
    await until(async () => (await rows('.repl')).some((row) => /launch 0: kernel scale/.test(row)), 'its answer');
  });

  await step('the session ends', async () => {
    await toolbar('Stop');
    await until(async () => (await page.locator('.debug-toolbar').count()) === 0 || !(await page.locator('.debug-toolbar').first().isVisible()), 'the end');
  });
  console.log(`${passed} passed, 0 failed`);
} catch (error) {
  console.log(error.message);
  console.log(`${passed} passed, 1 failed`);
  process.exitCode = 1;
} finally {
  await browser.close();
  process_.kill();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 300 });
}
