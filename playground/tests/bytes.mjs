// The program in WebAssembly and the one of the command line write the same bytes: node tests/bytes.mjs WARPTIME FOLDER.
// Statistics of every program, and what the views of the page are made of.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startProgram } from '../make_site.mjs';
import { counter, difference, programs, root, withoutHost } from './programs.mjs';

const [binary, folder] = process.argv.slice(2);
if (!binary || !folder) throw new Error('usage: node tests/bytes.mjs WARPTIME FOLDER');
const warptime = resolve(binary);
const { check, counts, end } = counter();
const temporary = mkdtempSync(join(tmpdir(), 'warptime-playground-'));
let program = await startProgram(folder);

function native(words, input = '') {
  const { status, stdout, stderr } = spawnSync(warptime, words, { cwd: root, input, encoding: 'utf8', maxBuffer: 1 << 28 });
  return { status, out: stdout, err: stderr };
}

/** Paths of the sources differ: those of the program in WebAssembly are in its own home. */
const withoutPaths = (text) => text.replaceAll(root, '').replaceAll('/warptime/', '');

function same(what, a, b) {
  check(what, a === b, a === b ? '' : difference(a, b));
}

async function wasm(words, input) {
  try {
    return program.run(words, { input });
  } catch (error) {
    program = await startProgram(folder);
    return { status: -1, out: '', err: String(error) };
  }
}

const all = programs();
for (const words of all) {
  const name = words.join(' ');
  const file = join(temporary, 'statistics.json');
  const options = ['--threads', '1', '--quiet', '--stats-per-instruction', '--stats'];
  const a = native(['run', ...words, ...options, file]);
  const b = await wasm(['run', ...words, ...options, '/tmp/statistics.json']);
  same(`${name}: exit status`, String(a.status), String(b.status));
  same(`${name}: messages`, withoutPaths(a.err), withoutPaths(b.err));
  const text = program.read('/tmp/statistics.json');
  if (text === null || b.status < 0) check(`${name}: statistics`, false, b.err);
  else same(`${name}: statistics`, withoutPaths(withoutHost(readFileSync(file, 'utf8'))), withoutPaths(withoutHost(text)));
  program.write('/tmp/statistics.json', null);
  rmSync(file, { force: true });
}
check('programs compared', all.length >= 20, all.length);

for (const words of [['matmul:tiled', '--param', 'n=64'], ['docs/examples/block_sum_no_barrier.yaml'], ['docs/course/programs/half_arrives.yaml']]) {
  for (const command of ['explain', 'check', 'annotate', 'trace']) {
    const a = native([command, ...words]), b = await wasm([command, ...words]);
    same(`${command} ${words[0]}: exit status`, String(a.status), String(b.status));
    same(`${command} ${words[0]}`, withoutPaths(a.out + a.err), withoutPaths(b.out + b.err));
  }
  const script = 'stepi 3\ninfo warps\ninfo registers\ngoto cycle 900\nreverse-stepi\ninfo warps\ninfo stack\n';
  const a = native(['debug', ...words, '--script', '-'], script), b = await wasm(['debug', ...words, '--script', '-'], script);
  same(`debug ${words[0]}`, withoutPaths(a.out + a.err), withoutPaths(b.out + b.err));
  const page = join(temporary, 'page.html');
  native(['report', ...words, '-o', page]);
  await wasm(['report', ...words, '-o', '/tmp/page.html']);
  // There is none of a run that ended with a fault.
  const wanted = existsSync(page) ? readFileSync(page, 'utf8') : '';
  const made = program.read('/tmp/page.html') ?? '';
  rmSync(page, { force: true });
  program.write('/tmp/page.html', null);
  // Its data has the host's times; the page around them has not.
  const around = (html) => html.replace(/(<script[^>]*id="data"[^>]*>)[^<]*/, '$1');
  same(`report ${words[0]}`, around(wanted), around(made));
}
for (const words of [['sweep', 'matmul:tiled', '--set', 'memory.partitions=2,6', '--param', 'n=32'], ['list', 'workloads'], ['schema', 'machine'], ['machine', 'show', 'h200-sxm'], ['ptx', 'workloads/scan/scan.ptx', '--native'], ['occupancy', '--registers', '11', '--shared', '2084', '--block', '256'], ['run', 'matmul:tild'], ['run'], ['no-such-command']]) {
  const a = native(words), b = await wasm(words);
  same(words.join(' '), `${a.status} ${withoutPaths(a.out + a.err)}`, `${b.status} ${withoutPaths(b.out + b.err)}`);
}
rmSync(temporary, { recursive: true, force: true });
end();
