// The site in Chromium, from a plain file server: node tests/browser.mjs WARPTIME SITE [PICTURES]. What a reader does: runs,
// reads which line waits, steps forwards and backwards, edits, stops, follows links. PICTURES: a folder for screenshots.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chromium } from 'playwright-core';
import { counter, difference, programs, root, withoutHost } from './programs.mjs';
import { serve } from './server.mjs';

const [binary, site, pictures] = process.argv.slice(2);
if (!binary || !site) throw new Error('usage: node tests/browser.mjs WARPTIME SITE [PICTURES]');
const { check, end } = counter();
const { server, address } = await serve(resolve(site));
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
const errors = [];

async function open(hash = '', size = { width: 1400, height: 900 }) {
  const context = await browser.newContext({ viewport: size });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('request', (request) => /^(http:\/\/127\.0\.0\.1|blob:|data:)/.test(request.url()) || errors.push(`requests ${request.url()}`));
  await page.goto(`${address}${hash}`);
  await page.waitForFunction(() => document.documentElement.dataset.ready !== undefined);
  return page;
}
const ran = (page) => page.waitForFunction(() => document.documentElement.dataset.ran !== undefined);
const picture = (page, name) => pictures && page.screenshot({ path: join(pictures, `${name}.png`) });
const hashOf = (page) => page.evaluate(() => location.hash);

// ---- One click from the page to the line that waits, and why
{
  const page = await open();
  check('the page is ready in 2 s', Number(await page.evaluate(() => document.documentElement.dataset.ready)) < 2000);
  check('it begins at the kernel', await page.locator('.cm-line', { hasText: '.visible .entry naive(' }).isVisible());
  await picture(page, 'opened');
  await page.click('#run');
  await ran(page);
  const milliseconds = Number(await page.evaluate(() => document.documentElement.dataset.ran));
  console.log(`the first run of matmul:tiled n=64, with its report: ${milliseconds} ms`);
  check('the first run takes less than 2 s', milliseconds < 2000, `${milliseconds} ms`);
  check('which line waits, and why', /^Most waits: line \d+ of matmul\.ptx \(matmul\.cu:\d+\), [\d.]+ % of the issue slots, \w+: ./.test(await page.innerText('#hot')), await page.innerText('#hot'));
  const frame = page.frameLocator('.report iframe');
  await frame.locator('#overview').waitFor();
  check('the report is there', (await frame.locator('header h1').innerText()).startsWith('matmul:tiled'));
  await picture(page, 'ran');
  await page.locator('#hot .link').nth(1).click();
  check('its CUDA line is shown', (await page.locator('.cm-content').getAttribute('aria-label')).endsWith('matmul.cu') && (await page.locator('.cm-activeLine').innerText()).includes('As[ty]'));
  check('CUDA lines have their cost', (await page.locator('.cost').count()) > 1);
  await page.locator('#hot .link').first().click();
  check('its line is shown', (await page.locator('.cm-activeLine').count()) === 1);
  check('lines have their cost', (await page.locator('.cost').count()) > 3);
  await frame.locator('#tab-source').click();
  await page.waitForFunction(() => location.hash.includes('view=source'));
  await picture(page, 'source');

  for (const view of ['explain', 'check']) {
    await page.click(`#tab-${view}`);
    await page.waitForFunction((name) => (document.querySelector(`#view-${name} pre`)?.textContent ?? '') !== '', view);
    const text = await page.innerText(`#view-${view}`);
    const words = ['matmul:tiled', '--param', 'n=64'];
    const native = execFileSync(resolve(binary), [view, ...words], { cwd: root, encoding: 'utf8' });
    check(`${view} says what the command line says`, text.trim() === native.trim(), difference(text.trim(), native.trim()));
    await picture(page, view);
  }

  // ---- Step and step back
  await page.click('#tab-step');
  await page.locator('.warps tbody tr').first().waitFor();
  const cycle = async () => Number((await page.innerText('.stepper .at strong')).replace(/\D/g, ''));
  const step = async (command) => {
    await page.click(`[data-command="${command}"]`);
    await page.waitForFunction(() => !document.querySelector('.stepper').classList.contains('busy'));
  };
  check('it begins at cycle 1', (await cycle()) === 1, await cycle());
  await step('stepi');
  const first = await cycle();
  await step('stepi');
  const second = await cycle();
  check('steps go on', first > 1 && second > first, `${first}, ${second}`);
  await step('reverse-stepi');
  // A step back ends before the instruction, a step behind it.
  check('a step back goes back', (await cycle()) < second, await cycle());
  check('the line is marked', (await page.locator('.cm-line.here').count()) === 1);
  await page.fill('.stepper [aria-label="Cycle"]', '5000');
  await page.click('.stepper .bar form button');
  await page.waitForFunction(() => document.querySelector('.stepper .at strong').textContent === 'cycle 5,000');
  check('warps say what they wait for', /_dependency|_busy|barrier/.test(await page.innerText('.warps')));
  check('registers have values', (await page.locator('.registers tbody tr').count()) > 3);
  await page.locator('.warps tbody tr').nth(2).click();
  await page.waitForFunction(() => document.querySelector('.warps tr.focus td')?.textContent === '2');
  check('the address has the moment', /view=step&launch=0&cycle=5000&sm=0&warp=2/.test(await hashOf(page)), await hashOf(page));
  await picture(page, 'step');
  const again = await open(await hashOf(page));
  await again.waitForFunction(() => document.querySelector('.stepper .at strong')?.textContent === 'cycle 5,000');
  check('a link leads to the moment', (await again.innerText('.warps tr.focus td')) === '2');
  await again.context().close();

  // A breakpoint, by a click on the number of a line.
  await step('goto cycle 1');
  await page.locator('#hot .link').first().click();
  const line = Number(/line (\d+)/.exec(await page.innerText('#hot'))[1]);
  await page.locator('.cm-lineNumbers .cm-gutterElement', { hasText: new RegExp(`^${line}$`) }).click();
  await step('continue');
  check('a breakpoint stops', (await page.innerText('.stepper .said')).includes('Breakpoint'), await page.innerText('.stepper .said'));
  await page.context().close();
}

// ---- Diagnostics while typing; edits in the address; errors of a run
{
  const page = await open('#program=mine/mine.yaml&machine=geforce-8800-gtx');
  await page.locator('.cm-line', { hasText: 'add.f32 %f2' }).click();
  await page.keyboard.press('Home');
  await page.keyboard.type('x');
  await page.locator('.cm-lintRange-error').first().waitFor();
  await page.locator('.cm-lint-marker-error').first().hover();
  const said = await page.locator('.cm-tooltip-lint').innerText();
  check('a wrong instruction is told at its place, with a hint', said.includes('"xadd"') && said.includes('hint:'), said);
  await picture(page, 'diagnostic');
  await page.keyboard.press('Backspace');
  await page.waitForFunction(() => document.querySelectorAll('.cm-lintRange-error').length === 0);
  await page.keyboard.press('End');
  await page.keyboard.type(' // mine');
  await page.waitForFunction(() => location.hash.includes('edits='));
  const again = await open(await hashOf(page));
  check('a link has the edits', (await again.locator('.cm-line', { hasText: '// mine' }).count()) === 1);
  await again.click('#run');
  await ran(again);
  check('an edited program runs', (await again.innerText('#hot')).includes('mine.ptx'));
  await again.click('#reset');
  check('edits are undone', (await again.locator('.cm-line', { hasText: '// mine' }).count()) === 0 && !(await again.locator('#reset').isVisible()));
  await again.context().close();
  await page.context().close();
  const broken = await open('#program=docs/course/programs/half_arrives.yaml&machine=geforce-8800-gtx');
  await broken.click('#run');
  await ran(broken);
  check('a fault is told', (await broken.innerText('#status')).includes('barrier in divergent code'), await broken.innerText('#status'));
  check('its CUDA line is marked', (await broken.locator('.cm-content').getAttribute('aria-label')).endsWith('barrier.cu'));
  await picture(broken, 'fault');
  await broken.context().close();
}

// ---- The machine as a form; stop
{
  const page = await open();
  await page.click('#machine-form > summary');
  await page.fill('.fields input[type=search]', 'memory.partitions');
  const field = page.locator('label[data-path="memory.partitions"] input');
  await page.waitForFunction(() => document.querySelector('label[data-path="memory.partitions"] input').placeholder === '6');
  await field.fill('3');
  await field.press('Enter');
  await page.waitForFunction(() => location.hash.includes('set.memory.partitions=3'));
  await picture(page, 'machine');
  await field.fill('x');
  await field.press('Enter');
  await page.locator('.problem').waitFor();
  check('a wrong value is told', (await page.innerText('.problem')).includes('memory.partitions'), await page.innerText('.problem'));
  await field.fill('');
  await field.press('Enter');
  await page.click('#machine-form > summary');
  await page.fill('#params input', '2048');
  await page.keyboard.press('Tab');
  await page.click('#run');
  await page.waitForFunction(() => / %/.test(document.querySelector('#progress-text').textContent));
  check('progress has a share', Number(await page.locator('#progress').getAttribute('value')) >= 0);
  await picture(page, 'progress');
  await page.click('#stop');
  await page.waitForFunction(() => !document.querySelector('#run').disabled);
  check('a stop is told', (await page.innerText('#status')).includes('stopped'));
  await page.fill('#params input', '32');
  await page.keyboard.press('Tab');
  await page.click('#run');
  await ran(page);
  check('a run after a stop', (await page.innerText('#hot')).startsWith('Most waits'));
  await page.click('#tab-command');
  await page.fill('#view-command input', 'occupancy --registers 11 --shared 2084 --block 256');
  await page.keyboard.press('Enter');
  await page.locator('#view-command pre').waitFor();
  check('any command', (await page.innerText('#view-command pre')).includes('limited by') || (await page.innerText('#view-command pre')).includes('blocks'));
  await picture(page, 'command');
  await page.context().close();
}

// ---- Every lesson's link opens its program
for (const name of readdirSync(join(root, 'docs/course')).filter((file) => /^\d+-.*\.md$/.test(file))) {
  const text = readFileSync(join(root, 'docs/course', name), 'utf8');
  const links = [...text.matchAll(/\]\(\.\.\/\.\.\/build\/playground\/index\.html(#[^)]+)\)/g)].map((match) => match[1]);
  check(`${name} has a link`, links.length > 0);
  for (const link of links) {
    const page = await open(`index.html${link}`);
    const wanted = new URLSearchParams(link.slice(1)).get('program');
    check(`${name}: ${link}`, (await page.locator('#program').inputValue()) === wanted);
    if (link.includes('run=1')) {
      await ran(page);
      const shown = link.includes('view=check') ? '#view-check pre' : link.includes('half_arrives') ? '#status' : '.report iframe';
      await page.locator(shown).waitFor({ timeout: 20_000 }).catch(() => undefined);
      check(`${name}: ${link} runs`, await page.locator(shown).isVisible());
      if (name.startsWith('6-')) await picture(page, 'lesson');
    }
    await page.context().close();
  }
}

// ---- The same bytes as the command line
{
  const page = await open();
  const some = programs().slice(0, 40);
  for (const words of some) {
    const options = ['--threads', '1', '--quiet', '--stats-per-instruction', '--stats'];
    let native;
    try {
      native = execFileSync(resolve(binary), ['run', ...words, ...options, '-'], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'] });
    } catch (error) {
      native = error.stdout;
    }
    const text = await page.evaluate(async (line) => {
      globalThis.bytesWorker ??= await new Promise((done, failed) => {
        const worker = new Worker('worker.js');
        worker.onmessage = ({ data }) => (data.kind === 'ready' ? done(worker) : failed(new Error(data.why)));
        worker.postMessage({ kind: 'start' });
      });
      return new Promise((done) => {
        globalThis.bytesWorker.onmessage = ({ data }) => data.kind !== 'progress' && done(data.result?.files[0] ?? data.why);
        globalThis.bytesWorker.postMessage({ kind: 'run', id: 1, words: line, files: {}, reads: ['/tmp/bytes.json'] });
      });
    }, ['run', ...words, ...options, '/tmp/bytes.json']);
    const clean = (json) => withoutHost(json).replaceAll(root, '').replaceAll('/warptime/', '');
    const same = clean(native) === clean(text);
    check(`bytes of ${words.join(' ')}`, same, same ? '' : difference(clean(native), clean(text)));
  }
  check('programs compared', some.length >= 20, some.length);
  await page.context().close();
}

// ---- Small and dark
{
  const page = await open('#program=matmul:tiled&param.n=32&machine=geforce-8800-gtx&run=1', { width: 390, height: 800 });
  await ran(page);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  check('390 pixels are enough', overflow <= 0, overflow);
  await picture(page, 'small');
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 1400, height: 900 });
  await picture(page, 'dark');
  await page.context().close();
}

check('no errors and no requests to others', errors.length === 0, errors.join('; '));
await browser.close();
server.close();
end();
