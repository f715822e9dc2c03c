// The TextMate grammar of PTX, from the words that warptime itself reads (editors/ptx_words.cc):
//     node scripts/make-grammar.mjs ../../build/editors/ptx_words > out/ptx.tmLanguage.json
import { execFileSync } from 'node:child_process';

const words = JSON.parse(execFileSync(process.argv[2], { encoding: 'utf8' }));
// PTX ISA 9.0, table 1 (4.3.1), and the state spaces of table 8 (5.1).
const directives = `.abi_preserve .abi_preserve_control .address_size .alias .align .branchtargets .callprototype .calltargets .common
  .entry .explicitcluster .extern .file .func .loc .maxclusterrank .maxnctapersm .maxnreg .maxntid .minnctapersm .noreturn .pragma
  .reqnctapercluster .reqntid .section .target .version .visible .weak .ptr .attribute .managed .unified .debug_str .debug_info
  .debug_abbrev .debug_line .debug_loc .debug_macinfo .debug_pubnames .debug_ranges`.split(/\s+/);
const spaces = '.reg .sreg .const .global .local .param .shared .tex .surf .texref .surfref .samplerref'.split(' ');

const escaped = (word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
/// One of the words, and nothing behind it that belongs to it; longer ones first.
const any = (list) => `(?:${[...list].sort((a, b) => b.length - a.length || (a < b ? -1 : 1)).map(escaped).join('|')})(?![\\w$]|::)`;
const name = '(?:[A-Za-z_$]|%(?=[\\w$]))[\\w$]*';

const patterns = [
  { name: 'comment.line.double-slash.ptx', match: '//.*$' },
  { name: 'comment.block.ptx', begin: '/\\*', end: '\\*/' },
  { name: 'meta.preprocessor.ptx', match: '^\\s*#\\s*(?:line\\b|\\d).*$' },
  { name: 'comment.line.dwarf.ptx', match: '^\\s*@@.*$' },
  { name: 'string.quoted.double.ptx', begin: '"', end: '"|$', patterns: [{ name: 'constant.character.escape.ptx', match: '\\\\.' }] },
  { match: `(\\.(?:entry|func))\\s+(${name})`, captures: { 1: { name: 'keyword.control.directive.ptx' }, 2: { name: 'entity.name.function.ptx' } } },
  { match: `^\\s*(${name})\\s*(:)(?!:)`, captures: { 1: { name: 'entity.name.label.ptx' }, 2: { name: 'punctuation.separator.ptx' } } },
  { name: 'constant.numeric.float.ptx', match: '\\b0[fF][0-9A-Fa-f]{8}\\b|\\b0[dD][0-9A-Fa-f]{16}\\b' },
  { name: 'constant.numeric.ptx', match: '(?<![\\w$%.])(?:0[xX][0-9A-Fa-f]+U?|0[bB][01]+U?|\\d+\\.\\d*(?:[eE][+-]?\\d+)?|\\.\\d+(?:[eE][+-]?\\d+)?|\\d+[eE][+-]?\\d+|\\d[\\w$]*)' },
  { name: 'keyword.control.directive.ptx', match: any(directives) },
  { name: 'storage.type.ptx', match: any(words.types) },
  { name: 'storage.modifier.space.ptx', match: any(spaces) },
  { name: 'entity.other.attribute-name.ptx', match: any(words.suffixes) },
  { name: 'entity.other.attribute-name.ptx', match: '(?:\\.[A-Za-z_]|(?<=\\w)\\.\\d)[\\w$]*(?:::[\\w$]+)*' },
  { name: 'keyword.control.guard.ptx', match: '@!?' },
  { name: 'variable.language.ptx', match: `(?<![\\w$])(?:${any(words.specials)}|WARP_SZ\\b)` },
  { name: 'variable.other.register.ptx', match: '%[\\w$]+' },
  // In an instruction's own place: at the beginning, or behind a guard, a label, a bracket or the one before.
  { name: 'keyword.other.instruction.ptx', match: `(?:(?<=^)|(?<=[\\s;{}:]))${any(words.instructions)}(?=[.\\s;])(?!\\s*[,)\\]+=])` },
  { name: 'variable.other.ptx', match: name },
  { name: 'keyword.operator.ptx', match: '[-+*/%&|^~!<>=?]' },
  { name: 'punctuation.ptx', match: '[;:,.{}()\\[\\]]' },
];
process.stdout.write(`${JSON.stringify({ $comment: 'made by scripts/make-grammar.mjs', name: 'PTX', scopeName: 'source.ptx', patterns }, null, 1)}\n`);
