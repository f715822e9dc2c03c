// The grammar beside warptime's own lexer: over every PTX file of the repository (with --all; else over some), each token has the
// scope of its kind, and what the lexer passes over is a comment.
//     node tests/grammar.test.mjs ../../build/editors/ptx_words [--all]
// With --page FILE.html FILE.ptx: the file as colors, to look at.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const oniguruma = require('vscode-oniguruma');
const textmate = require('vscode-textmate');
const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, '../../..');
const [words, ...options] = process.argv.slice(2);

await oniguruma.loadWASM(readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm')).buffer);
const registry = new textmate.Registry({
  onigLib: Promise.resolve({ createOnigScanner: (s) => new oniguruma.OnigScanner(s), createOnigString: (s) => new oniguruma.OnigString(s) }),
  loadGrammar: async () => textmate.parseRawGrammar(readFileSync(join(here, '../out/ptx.tmLanguage.json'), 'utf8'), 'ptx.json'),
});
const grammar = await registry.loadGrammar('source.ptx');

/// The innermost scope of every character.
function scopesOf(text) {
  const scopes = [];
  let stack = textmate.INITIAL;
  for (const line of text.split(/(?<=\n)/)) {
    const whole = line.replace(/\n$/, '');
    const { tokens, ruleStack } = grammar.tokenizeLine(whole, stack);
    stack = ruleStack;
    for (const token of tokens)
      for (let i = token.startIndex; i < Math.min(token.endIndex, whole.length); ++i) scopes.push(token.scopes.at(-1));
    if (line.endsWith('\n')) scopes.push('newline');
  }
  return scopes;
}

const page = options.indexOf('--page');
if (page >= 0) {
  const colors = { comment: '#6a9955', string: '#ce9178', 'constant.numeric': '#b5cea8', 'keyword.control.directive': '#c586c0', 'keyword.control.guard': '#d16969', 'keyword.other.instruction': '#569cd6', 'storage.type': '#4ec9b0', 'storage.modifier': '#dcdcaa', 'entity.other': '#9cdcfe', 'entity.name': '#ffd700', 'variable.language': '#d7ba7d', 'variable.other.register': '#9cdcfe', meta: '#808080' };
  const text = readFileSync(options[page + 2], 'utf8');
  const scopes = scopesOf(text);
  const html = [...text].map((c, i) => {
    const color = Object.entries(colors).find(([scope]) => scopes[i].startsWith(scope))?.[1] ?? '#d4d4d4';
    return `<span style="color:${color}">${c.replace('&', '&amp;').replace('<', '&lt;')}</span>`;
  }).join('');
  writeFileSync(options[page + 1], `<pre style="background:#1e1e1e;font:14px monospace;padding:1em">${html}</pre>`);
  process.exit(0);
}

function ptxFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return ptxFiles(path);
    return entry.name.endsWith('.ptx') ? [path] : [];
  });
}

const kScopes = {
  number: /^constant\.numeric/,
  string: /^(string|constant\.character)/,
  word: /^(keyword\.control\.directive|storage\.|entity\.other|entity\.name\.function|variable\.other)/,
  identifier: /^(keyword\.other\.instruction|variable\.|entity\.|keyword\.control)/,
  punctuation: /^(punctuation|keyword\.|entity\.name\.label)/,
};
let passed = 0, failed = 0;
function compare(file, tokens) {
  const bytes = readFileSync(file);
  const text = bytes.toString('latin1'); // a character is a byte, as for the lexer
  const scopes = scopesOf(text);
  const covered = new Uint8Array(text.length);
  const wrong = [];
  const place = (at) => `${relative(root, file)}:${text.slice(0, at).split('\n').length}`;
  // A text case of the tests goes on with what is expected of it.
  const end = text.indexOf('// ---- expected') < 0 ? text.length : text.indexOf('// ---- expected');
  let isStatement = true;
  for (const [kind, begin, length] of tokens) {
    if (begin >= end) break;
    const word = text.slice(begin, begin + length);
    covered.fill(1, begin, begin + length);
    let expected = kScopes[kind];
    if (kind === 'identifier' && word.startsWith('%')) expected = /^variable\.(language|other\.register)|^entity\.name/;
    for (let at = begin; at < begin + length; ++at)
      if (!expected.test(scopes[at])) {
        wrong.push(`${place(at)}: the ${kind} "${word}" has the scope ${scopes[at]}`);
        break;
      }
    // An instruction's name, behind which its suffixes or operands follow.
    if (isStatement && instructions.has(word) && kind === 'identifier' && !scopes[begin].startsWith('keyword.other.instruction') && !/^\s*[:,)=\]]/.test(text.slice(begin + length)))
      wrong.push(`${place(begin)}: the instruction "${word}" has the scope ${scopes[begin]}`);
    isStatement = kind === 'punctuation' && /[;{}:]/.test(word);
  }
  for (let at = 0; at < end; ++at)
    if (!covered[at] && !/[\s\ufeff\xef\xbb\xbf]/.test(text[at]) && !/^(comment|meta)/.test(scopes[at]) && wrong.length < 5)
      wrong.push(`${place(at)}: no token, but the scope ${scopes[at]}: ${text.slice(at, at + 20).split('\n')[0]}`);
  if (wrong.length === 0) return ++passed;
  ++failed;
  console.log(wrong.slice(0, 5).join('\n'));
}

const instructions = new Set(JSON.parse(execFileSync(words, { encoding: 'utf8' })).instructions);
let files = ['workloads', 'tests', 'docs', 'validation'].flatMap((folder) => ptxFiles(join(root, folder)));
// Texts with bytes that are no tokens: the lexer has only messages for them.
files = files.filter((file) => !/tests\/ptx\/reject\//.test(file));
if (!options.includes('--all')) files = files.filter((_, i) => i % 8 === 0);
const output = execFileSync(words, files, { encoding: 'utf8', maxBuffer: 1 << 30 });
for (const part of output.split(/^file /m).slice(1)) {
  const [file, ...lines] = part.trimEnd().split('\n');
  compare(file, lines.map((line) => { const [kind, begin, length] = line.split(' '); return [kind, Number(begin), Number(length)]; }));
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
