// How fast the program in WebAssembly is beside the one of the command line, on one thread, measured in turn:
// node tests/speed.mjs WARPTIME FOLDER [TIMES] [WORDS...]. The ratio of the fastest runs is printed, and of each pair.
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { startProgram } from '../make_site.mjs';
import { root } from './programs.mjs';

const [binary, folder, times = '3', ...given] = process.argv.slice(2);
if (!binary || !folder) throw new Error('usage: node tests/speed.mjs WARPTIME FOLDER [TIMES] [WORDS...]');
const words = ['run', ...(given.length > 0 ? given : ['matmul:tiled', '--param', 'n=256']), '--threads', '1', '--quiet', '--no-check', '--stats', '-'];
const program = await startProgram(folder);
const seconds = (text) => JSON.parse(text).host.simulate_seconds;
const native = () => seconds(execFileSync(resolve(binary), words, { cwd: root, maxBuffer: 1 << 28 }));
const wasm = () => seconds(program.run(words).out);
wasm();  // the engine compiles what is hot
const pairs = [];
for (let i = 0; i < Number(times); ++i) pairs.push([native(), wasm()]);
for (const [a, b] of pairs) console.log(`native ${a.toFixed(2)} s, WebAssembly ${b.toFixed(2)} s: ${(a / b).toFixed(2)} of the speed`);
const least = (index) => Math.min(...pairs.map((pair) => pair[index]));
console.log(`fastest of each: ${(least(0) / least(1)).toFixed(2)} of the speed`);
