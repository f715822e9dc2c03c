// The extension's own code in Node, with the editor's interface mocked and the real warptime:
//     WARPTIME=../../build/warptime node --test tests/unit.test.cjs
const assert = require('node:assert/strict');
const { readFileSync } = require('node:fs');
const { resolve } = require('node:path');
const test = require('node:test');
const { vscode, events, seen, settings, document } = require('./vscode-mock.cjs');

const root = resolve(__dirname, '../../..');
const out = resolve(__dirname, '../out');
const warptime = resolve(process.env.WARPTIME ?? resolve(root, 'build/warptime'));
const { readMessages } = require(`${out}/messages.js`);
const { wordsOf } = require(`${out}/command.js`);
const { costsOf, findSource, heat, shortText, longText } = require(`${out}/costs-of-lines.js`);
const { findingsOf } = require(`${out}/findings.js`);
const { memberAt } = require(`${out}/completion.js`);
const { schemaFor } = require(`${out}/schemas.js`);
const extension = require(`${out}/extension.js`);

settings['warptime.executable'] = warptime;
vscode.workspace.workspaceFolders = [{ uri: vscode.Uri.file(root) }];
extension.activate({ subscriptions: [] });
const open = (file, language) => document(resolve(root, file), language, readFileSync(resolve(root, file), 'utf8'));
const until = async (is) => {
  for (let i = 0; i < 200 && !is(); ++i) await new Promise((done) => setTimeout(done, 50));
  assert(is());
};
const collection = (name) => seen.collections.find((each) => each.name === name).entries;

test('messages have a place, a length and their hint', () => {
  const [first, second, ...rest] = readMessages(`k.ptx:7:5: error: unknown suffix ".f33" of "add"
     7 |  add.f33 %f1, %f2, %f2;
       |     ^~~~
         hint: did you mean ".f32"?
/a b/k.cu:12: warning: a line without a column
         PTX: k.ptx:31:2: st.global.f32 [%rd4], %f1;
2 errors`);
  assert.deepEqual(first, { file: 'k.ptx', line: 7, column: 5, length: 4, severity: 'error', text: 'unknown suffix ".f33" of "add"\ndid you mean ".f32"?' });
  assert.deepEqual(second, { file: '/a b/k.cu', line: 12, column: 1, length: 1, severity: 'warning', text: 'a line without a column', ptx: { file: 'k.ptx', line: 31 } });
  assert.equal(rest.length, 0);
});

test('a launch configuration becomes words', () => {
  const launch = { program: 'matmul:tiled', machine: 't4', params: { n: 64 }, set: { 'sm.max_blocks': 4 } };
  assert.deepEqual(wordsOf('annotate', launch), ['annotate', '--machine=t4', '--param=n=64', '--set=sm.max_blocks=4', 'matmul:tiled']);
  assert.deepEqual(wordsOf('check', launch), ['check', '--param=n=64', 'matmul:tiled']);
  assert.deepEqual(wordsOf('annotate', { program: '/x/vecadd', args: ['5'], programLaunch: 2 }), ['annotate', '--program-launch=2', '--', '/x/vecadd', '5']);
  assert.deepEqual(wordsOf('check', { program: '/x/k.yaml', args: ['--quiet'] }), ['check', '/x/k.yaml', '--quiet']);
});

test('costs are added up by lines, as shares of the time with work', () => {
  const row = (line, source_line, issued, stall) => ({
    line, source_file: 'a/k.cu', source_line, issued, stalls: { barrier: stall, sp_busy: 0 }, warp_instructions: 2, thread_instructions: 32,
    memory: { accesses: 2, transactions: 4, conflict_passes: 0 },
  });
  const annotation = { kernels: [{ kernel: 'k', file: 'k.ptx', issue: { slots: 150, stalls: { drained: 50 } }, lines: [row(3, 7, 10, 20), row(4, 7, 5, 0), row(5, 8, 0, 1), { ...row(0, 0, 9, 9), source_file: '' }] }] };
  const costs = costsOf(annotation, '/w');
  assert.deepEqual([...costs.keys()].sort(), ['/w/a/k.cu', '/w/k.ptx']);
  const line = costs.get('/w/a/k.cu').get(7);
  assert.deepEqual([line.share, line.issued, line.lanes, line.transactions], [0.35, 0.15, 16, 2]);
  assert.deepEqual(line.reasons, [['barrier', 0.2]]);
  assert.equal(shortText(line), '35.0 % of the time: issues 15.0 %, barrier 20.0 %');
  assert(longText(line).includes('2.0 transactions per access') && longText(line).includes('| barrier | 20.0 % |'));
  assert.deepEqual([...costs.get('/w/a/k.cu').values()].map(heat), [3, 1]);
  assert.equal(costs.get('/w/k.ptx').has(0), false);
});

test('a source is found as warptime finds it', () => {
  assert.equal(findSource('workloads/matmul/matmul.cu', `${root}/workloads/matmul/matmul.ptx`, '/'), `${root}/workloads/matmul/matmul.cu`);
  assert.equal(findSource('/other/place/matmul.cu', 'x', '/'), '/other/place/matmul.cu');
  assert.equal(findSource('not/there/matmul.cu', `${root}/workloads/matmul/matmul.ptx`, '/'), `${root}/workloads/matmul/matmul.cu`);
});

test('findings have their line, the other access, and a remedy', () => {
  const { findings, others } = findingsOf({ findings: [
    { tool: 'racecheck', kind: 'race', severity: 'error', file: 'k.ptx', line: 5, kernel: 'k', block: [0, 0, 0], thread: [1, 0, 0], message: 'a race', remedy: 'a barrier', count: 3, other: { line: 9, block: [0, 0, 0], thread: [2, 0, 0] } },
    { tool: 'memcheck', kind: 'leak', severity: 'warning', kernel: 'k', message: 'memory is never freed', count: 1 }] }, '/w');
  assert.deepEqual(findings, [{ file: '/w/k.ptx', line: 5, severity: 'error', code: 'race', text: 'a race\nkernel k, block (0,0,0), thread (1,0,0), 3 times\nremedy: a barrier', related: { file: '/w/k.ptx', line: 9, text: 'the other access: block (0,0,0), thread (2,0,0)' } }]);
  assert.deepEqual(others, ['memory is never freed; kernel k']);
});

test('launch.json: which member a value is of', () => {
  assert.equal(memberAt('      "machine": "ge'), 'machine');
  assert.equal(memberAt('"program": '), 'program');
  assert.equal(memberAt('"name": "the machine'), undefined);
  assert.equal(memberAt('"machine": "t4", "name": "'), undefined);
});

test('launch files and machine files have their schemas', () => {
  assert.equal(schemaFor(readFileSync(`${root}/docs/examples/scale.yaml`, 'utf8')), 'warptime:///launch');
  assert.equal(schemaFor(readFileSync(`${root}/docs/examples/twice-the-registers.yaml`, 'utf8')), 'warptime:///machine');
  assert.equal(schemaFor('name: a workflow\non: push\n'), undefined);
});

test('PTX is checked as it is typed', async () => {
  const ptx = open('docs/examples/scale.ptx', 'ptx');
  events.open.fire(ptx);
  await until(() => collection('warptime ptx').has(ptx.uri.fsPath));
  assert.deepEqual(collection('warptime ptx').get(ptx.uri.fsPath), []);
  const line = ptx.getText().split('\n').findIndex((each) => each.includes('mul.'));
  ptx.setText(ptx.getText().replace('mul.', 'mull.'));
  events.change.fire({ document: ptx, contentChanges: [{}] });
  await until(() => collection('warptime ptx').get(ptx.uri.fsPath).length === 1);
  const [problem] = collection('warptime ptx').get(ptx.uri.fsPath);
  assert.equal(problem.range.start.line, line);
  assert(problem.message.includes('did you mean "mul"?') && problem.severity === 0, problem.message);
  const word = ptx.getText().split('\n')[line].slice(problem.range.start.character, problem.range.end.character);
  assert.equal(word, 'mull');
  settings['warptime.diagnostics'] = 'off';
  ptx.setText('');
  events.save.fire(ptx);
  events.close.fire(ptx);
  assert.equal(collection('warptime ptx').has(ptx.uri.fsPath), false);
  settings['warptime.diagnostics'] = undefined;
});

test('costs of a launch file: text above lines, colors, hovers', async () => {
  const yaml = open('docs/examples/block_sum.yaml', 'yaml'), cuda = open('docs/examples/block_sum.cu', 'cuda-cpp');
  const painted = new Map();
  vscode.window.visibleTextEditors = [{ document: cuda, setDecorations: (type, ranges) => painted.set(type.options.backgroundColor, ranges) }];
  vscode.window.activeTextEditor = { document: yaml };
  await seen.commands['warptime.costs']();
  const lenses = seen.providers.codeLens.provideCodeLenses(cuda);
  const lines = lenses.map((each) => each.range.start.line + 1);
  assert(lines.includes(8) && lines.includes(5), lines);
  assert(lenses.every((each) => /^\d+\.\d % of the time: issues /.test(each.command.title)), lenses[0].command.title);
  const hottest = [...painted.values()].at(-1);
  assert(hottest.length >= 1);
  assert(seen.providers.hover.provideHover(cuda, { line: 4 }).contents.value.includes('of 32 lanes'));
  assert.equal(seen.providers.hover.provideHover(cuda, { line: 0 }), undefined);
  settings['warptime.costs'] = 'heat';
  assert.deepEqual(seen.providers.codeLens.provideCodeLenses(cuda), []);
  settings['warptime.costs'] = undefined;
  // Of an edited text nothing is known.
  events.change.fire({ document: cuda, contentChanges: [{}] });
  assert.deepEqual(seen.providers.codeLens.provideCodeLenses(cuda), []);
  assert([...painted.values()].every((ranges) => ranges.length === 0));
});

test('checks of a launch file go to the problems of the CUDA line', async () => {
  vscode.window.activeTextEditor = { document: open('docs/examples/block_sum_no_barrier.yaml', 'yaml') };
  await seen.commands['warptime.check']();
  const problems = collection('warptime check').get(`${root}/docs/examples/block_sum_no_barrier.cu`);
  assert.equal(problems[0].range.start.line, 4);
  assert(problems[0].message.includes('remedy: a barrier'), problems[0].message);
  assert.equal(problems[0].relatedInformation[0].location.range.start.line, 6);
  assert(seen.messages.at(-1).startsWith('The checkers found '));
  vscode.window.activeTextEditor = { document: open('docs/examples/block_sum.yaml', 'yaml') };
  await seen.commands['warptime.check']();
  assert.equal(seen.messages.at(-1), 'The checkers found nothing.');
  assert.equal(collection('warptime check').size, 0);
});

test('a launch that fails is told', async () => {
  settings['launch.configurations'] = [{ type: 'warptime', name: 'wrong', program: '${workspaceFolder}/nothing.yaml' }, { type: 'cppdbg', name: 'other', program: 'x' }];
  vscode.window.activeTextEditor = undefined;
  seen.picks.length = 0;
  await seen.commands['warptime.costs']();
  assert.deepEqual(seen.picks[0].map((each) => each.label), ['the last one', 'wrong']);
  vscode.window.showQuickPick = async (choices) => choices[1];
  await seen.commands['warptime.costs']();
  assert(seen.messages.at(-1).startsWith('error: ') && seen.messages.at(-1).includes('nothing.yaml'), seen.messages.at(-1));
  settings['warptime.executable'] = '/nowhere/warptime';
  await seen.commands['warptime.check']();
  assert(seen.messages.some((each) => each.includes('cannot be started') && each.includes('warptime.executable')), seen.messages);
  settings['warptime.executable'] = warptime;
});

test('debug configurations are filled in', () => {
  const provider = seen.providers.configuration;
  vscode.window.activeTextEditor = { document: open('docs/examples/scale.yaml', 'yaml') };
  settings['warptime.machine'] = 't4';
  const bare = provider.resolveDebugConfiguration(undefined, {});
  assert.deepEqual(bare, { type: 'warptime', request: 'launch', name: 'warptime: the open file', program: `${root}/docs/examples/scale.yaml`, stopOnEntry: true, cwd: root, machine: 't4' });
  vscode.window.activeTextEditor = { document: open('README.md', 'markdown') };
  assert.equal(provider.resolveDebugConfiguration(undefined, {}), undefined);
  const given = { type: 'warptime', request: 'launch', name: 'x', program: 'vecadd', machine: 'h200-sxm', stopOnEntry: false, cwd: '/' };
  assert.deepEqual(provider.resolveDebugConfiguration(undefined, { ...given }), given);
  const adapter = seen.providers.adapter.createDebugAdapterDescriptor({ configuration: given });
  assert.deepEqual([adapter.command, adapter.args, adapter.options], [warptime, ['debug', '--dap'], { cwd: '/' }]);
  settings['warptime.machine'] = undefined;
});

test('launch.json is completed with machines, workloads and launch files', async () => {
  const ask = async (line) => {
    const text = document(`${root}/.vscode/launch.json`, 'jsonc', `{ "type": "warptime",\n${line}`);
    return seen.providers.completion.provideCompletionItems(text, { line: 1, character: line.length });
  };
  const machines = await ask('  "machine": "ge');
  const gtx = machines.find((each) => each.label === 'geforce-8800-gtx');
  assert.equal(gtx.insertText, 'geforce-8800-gtx');
  assert.equal(gtx.range.start.character, '  "machine": "'.length);
  assert((await ask('  "machine": ')).find((each) => each.label === 't4').insertText === '"t4"');
  seen.files = [vscode.Uri.file(`${root}/docs/examples/scale.yaml`), vscode.Uri.file(`${root}/docs/examples/my-card.yaml`)];
  const programs = (await ask('  "program": "')).map((each) => each.label);
  assert(programs.includes('matmul:tiled') && programs.includes('${workspaceFolder}/docs/examples/scale.yaml'), programs);
  assert(!programs.some((each) => each.includes('my-card')));
  assert.deepEqual(await ask('  "name": "'), []);
});

test('another lane', async () => {
  const asked = [];
  vscode.debug.activeDebugSession = { type: 'warptime', customRequest: async (name, what) => (asked.push([name, what]), { result: 'lane 7\n' }) };
  seen.typed = '7';
  await seen.commands['warptime.lane']();
  assert.deepEqual(asked, [['evaluate', { expression: 'cuda lane 7', context: 'repl' }]]);
  for (seen.typed of ['32', '-1', 'x']) await seen.commands['warptime.lane']();
  assert.equal(asked.length, 1);
});

test('the manifest names only what is there', () => {
  const manifest = JSON.parse(readFileSync(resolve(__dirname, '../package.json'), 'utf8'));
  for (const { command } of manifest.contributes.commands) assert(command in seen.commands, command);
  for (const command of Object.keys(seen.commands)) assert(manifest.contributes.commands.some((each) => each.command === command), command);
  const members = Object.keys(manifest.contributes.debuggers[0].configurationAttributes.launch.properties);
  const page = readFileSync(`${root}/docs/debugger.md`, 'utf8');
  for (const member of members) assert(page.includes(`\`${member}\``), `docs/debugger.md does not name ${member}`);
});
