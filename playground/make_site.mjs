// Makes the site: node make_site.mjs PROGRAM-FOLDER SITE-FOLDER. PROGRAM-FOLDER has warptime.js and warptime.wasm. Only
// files of the repository and what the program says of itself go in; nothing is fetched, and Node's own modules are enough.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { Program } from './src/program.mjs';

const kMostBytes = 8 << 20;  // of the whole site, as it is sent
const root = fileURLToPath(new URL('..', import.meta.url));
const here = fileURLToPath(new URL('.', import.meta.url));

/** {path: text} of the files below these folders whose ending is listed. */
export function filesOf(folders, endings) {
  const files = {};
  const walk = (folder) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) walk(path);
      else if (endings.some((ending) => entry.name.endsWith(ending))) files[path] = readFileSync(join(root, path), 'utf8');
    }
  };
  folders.forEach(walk);
  return files;
}

/** What the program finds in its home. */
export function homeFiles() {
  const files = {
    ...filesOf(['configs'], ['.yaml']),
    ...filesOf(['workloads'], ['.ptx', '.cu']),
    ...filesOf(['docs/course/programs', 'docs/examples'], ['.ptx', '.cu', '.yaml']),
  };
  // Text for a compiler and long tables: not of a program that runs here.
  for (const path of Object.keys(files)) if (/without_toolkit|docs\/examples\/ci\/|docs\/examples\/measured/.test(path)) delete files[path];
  files['validation/error_bands.csv'] = readFileSync(join(root, 'validation/error_bands.csv'), 'utf8');
  for (const name of ['mine.ptx', 'mine.yaml']) files[`mine/${name}`] = readFileSync(join(here, 'mine', name), 'utf8');
  return files;
}

export async function startProgram(folder, files = homeFiles()) {
  const create = createRequire(import.meta.url)(join(resolve(folder), 'warptime.js'));
  return Program.start(create, await WebAssembly.compile(readFileSync(join(folder, 'warptime.wasm'))), files);
}

const isLaunchFile = (text) => /^module:/m.test(text) && /^launches:/m.test(text);

/** The lessons with the programs that their pages run, in the order of the page. */
function lessons(files, workloads) {
  const found = [];
  const folder = 'docs/course';
  for (const name of readdirSync(join(root, folder))) {
    const number = /^(\d+)-.*\.md$/.exec(name)?.[1];
    if (!number) continue;
    const text = readFileSync(join(root, folder, name), 'utf8');
    const title = /^# Lesson \d+: (.*)$/m.exec(text)?.[1] ?? name;
    const programs = new Set();
    for (const [, target] of text.matchAll(/^\$ warptime \w+ ([\w./:-]+)/gm)) {
      if (files[target] !== undefined && target.endsWith('.yaml') && isLaunchFile(files[target])) programs.add(target);
      else if (workloads.some((workload) => workload.variants.some((variant) => `${workload.name}:${variant}` === target))) programs.add(target);
    }
    found.push({ number: Number(number), title, page: `${folder}/${name}`, files: [...programs] });
  }
  return found.sort((a, b) => a.number - b.number);
}

function catalogOf(program, files) {
  const said = (...words) => {
    const { status, out, err } = program.run(words);
    if (status !== 0) throw new Error(`warptime ${words.join(' ')}: ${err}`);
    return out;
  };
  const starts = JSON.parse(readFileSync(join(here, 'starts.json'), 'utf8'));
  const { workloads } = JSON.parse(said('list', 'workloads', '--json'));
  const reasons = {};
  for (const { statistic, what } of JSON.parse(said('list', 'statistics', '--json')).statistics)
    if (statistic.startsWith('issue.stalls.')) reasons[statistic.slice(13)] = what.replace(/^slots in which nothing issued, waiting for /, '');
  const examples = Object.keys(files).filter((path) => path.startsWith('docs/examples/') && path.endsWith('.yaml') && isLaunchFile(files[path]));
  return {
    version: said('--version').trim(),
    workloads: workloads.map(({ name, what, variants, parameters }) => ({
      name, what, variants, parameters, start: Object.fromEntries(Object.entries(starts[name]?.params ?? {}).map(([key, value]) => [key, String(value)])), machine: starts[name]?.machine,
    })),
    machines: JSON.parse(said('list', 'machines', '--json')).machines,
    lessons: lessons(files, workloads),
    examples: examples.map((path) => ({ path, title: path.slice(path.lastIndexOf('/') + 1) })),
    reasons,
    machineSchema: JSON.parse(said('schema', 'machine')),
  };
}

/** Of warptime, of the packages in the page, and of the libraries in the program, as Debian gives them. */
function licences(folder) {
  const debian = [...['fmtlib', 'yaml-cpp', 'zlib', 'libpng1.6'].map((name) => [name, join(folder, 'sources', name, 'debian/copyright')]),
    ...['emscripten', 'libboost1.74-dev', 'nlohmann-json3-dev', 'rapidjson-dev', 'libcereal-dev'].map((name) => [name, `/usr/share/doc/${name}/copyright`])];
  const parts = [['warptime', join(root, 'LICENSE')], ['the page', join(here, 'bundle/licenses.txt')], ...debian];
  return parts.filter(([, file]) => existsSync(file)).map(([name, file]) => `==== ${name}\n\n${readFileSync(file, 'utf8').trim()}\n`).join('\n');
}

export async function makeSite(folder, site) {
  const files = homeFiles();
  const program = await startProgram(folder, files);
  rmSync(site, { recursive: true, force: true });
  mkdirSync(site, { recursive: true });
  const packed = (name, bytes) => writeFileSync(join(site, name), gzipSync(bytes, { level: 9 }));
  for (const name of ['index.html', 'playground.js', 'playground.css', 'worker.js']) copyFileSync(join(here, 'bundle', name), join(site, name));
  copyFileSync(join(folder, 'warptime.js'), join(site, 'warptime.js'));
  packed('warptime.wasm.gz', readFileSync(join(folder, 'warptime.wasm')));
  packed('files.json.gz', JSON.stringify(files));
  packed('catalog.json.gz', JSON.stringify(catalogOf(program, files)));
  packed('licenses.txt.gz', licences(folder));  // most of it are those of Emscripten
  const bytes = readdirSync(site).reduce((sum, name) => sum + statSync(join(site, name)).size, 0);
  if (bytes > kMostBytes) throw new Error(`the site has ${bytes} bytes, more than ${kMostBytes}`);
  return bytes;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder, site] = process.argv.slice(2);
  if (!folder || !site) throw new Error('usage: node make_site.mjs PROGRAM-FOLDER SITE-FOLDER');
  const bytes = await makeSite(folder, site);
  console.error(`${site}: ${(bytes / 1048576).toFixed(1)} MiB`);
}
