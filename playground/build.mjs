// Bundles the page into bundle/: node build.mjs. `./dev playground --page` calls it.
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const common = { bundle: true, minify: true, target: 'es2022', format: 'iife', legalComments: 'inline', logLevel: 'warning' };
const { metafile } = await build({ ...common, entryPoints: ['src/main.ts'], outfile: 'bundle/playground.js', metafile: true });
await build({ ...common, entryPoints: ['src/worker.ts'], outfile: 'bundle/worker.js' });
// The licence of each package of which something is in the script.
const packages = new Set(Object.keys(metafile.inputs).map((file) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1]).filter(Boolean));
writeFileSync('bundle/licenses.txt', [...packages].sort().map((name) => `${name}\n\n${readFileSync(`node_modules/${name}/LICENSE`, 'utf8').trim()}\n`).join('\n----\n\n'));
copyFileSync('index.html', 'bundle/index.html');
// tests/rules/playground_bundle.sh compares it without Node.
writeFileSync('bundle/sources.sha256', execFileSync('bash', ['source-hash.sh']));
