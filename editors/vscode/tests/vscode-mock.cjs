// What the extension uses of the editor's interface, so that its code runs in Node: what it registers and shows is kept.
const path = require('node:path');

class Position {
  constructor(line, character) { Object.assign(this, { line, character }); }
}
class Range {
  constructor(line, character, lastLine, lastCharacter) {
    this.start = new Position(line, character);
    this.end = new Position(lastLine, lastCharacter);
  }
}
class Diagnostic {
  constructor(range, message, severity) { Object.assign(this, { range, message, severity }); }
}
class Uri {
  constructor(fsPath) { Object.assign(this, { fsPath, path: fsPath, scheme: 'file' }); }
  toString() { return `file://${this.fsPath}`; }
  static file(fsPath) { return new Uri(fsPath); }
  static joinPath(uri, ...parts) { return new Uri(path.join(uri.fsPath, ...parts)); }
}
class EventEmitter {
  listeners = [];
  event = (listener) => (this.listeners.push(listener), { dispose: () => (this.listeners = this.listeners.filter((each) => each !== listener)) });
  fire(value) { for (const listener of this.listeners) listener(value); }
  dispose() { this.listeners = []; }
}
class Collection {
  entries = new Map();
  constructor(name) { this.name = name; }
  set(uri, problems) { this.entries.set(uri.fsPath, problems); }
  delete(uri) { this.entries.delete(uri.fsPath); }
  clear() { this.entries.clear(); }
  dispose() { this.isDisposed = true; }
}

/// A document of the text of a file, or of a text that is not saved.
function document(fsPath, languageId, text) {
  const lines = () => text.split('\n');
  return {
    uri: Uri.file(fsPath), languageId, getText: () => text, setText: (other) => (text = other),
    get lineCount() { return lines().length; },
    lineAt: (line) => ({ text: lines()[line], range: new Range(line, 0, line, lines()[line].length) }),
  };
}

const events = { open: new EventEmitter(), save: new EventEmitter(), change: new EventEmitter(), close: new EventEmitter(), configuration: new EventEmitter(), editors: new EventEmitter(), active: new EventEmitter() };
const seen = { commands: {}, collections: [], messages: [], providers: {}, contexts: {}, executed: [], decorations: [], picks: [], started: [] };
const settings = {};
const disposable = () => ({ dispose() {} });

const vscode = {
  Position, Range, Diagnostic, Uri, EventEmitter,
  DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 },
  DiagnosticRelatedInformation: class { constructor(location, message) { Object.assign(this, { location, message }); } },
  Location: class { constructor(uri, range) { Object.assign(this, { uri, range }); } },
  CodeLens: class { constructor(range, command) { Object.assign(this, { range, command }); } },
  Hover: class { constructor(contents) { this.contents = contents; } },
  MarkdownString: class { constructor(value) { this.value = value; } },
  CompletionItem: class { constructor(label, kind) { Object.assign(this, { label, kind }); } },
  CompletionItemKind: { EnumMember: 19, File: 16 },
  DebugAdapterExecutable: class { constructor(command, args, options) { Object.assign(this, { command, args, options }); } },
  OverviewRulerLane: { Right: 4 },
  ProgressLocation: { Notification: 15 },
  workspace: {
    textDocuments: [], workspaceFolders: undefined,
    getConfiguration: (section) => ({ get: (key) => settings[`${section}.${key}`] }),
    getWorkspaceFolder: () => vscode.workspace.workspaceFolders?.[0],
    findFiles: async () => seen.files ?? [],
    asRelativePath: (uri) => path.relative(vscode.workspace.workspaceFolders[0].uri.fsPath, uri.fsPath),
    fs: { readFile: async (uri) => require('node:fs').readFileSync(uri.fsPath) },
    onDidOpenTextDocument: events.open.event, onDidSaveTextDocument: events.save.event, onDidChangeTextDocument: events.change.event,
    onDidCloseTextDocument: events.close.event, onDidChangeConfiguration: events.configuration.event,
  },
  window: {
    activeTextEditor: undefined, visibleTextEditors: [],
    createTextEditorDecorationType: (options) => (seen.decorations.push(options), { options, dispose() {} }),
    onDidChangeVisibleTextEditors: events.editors.event, onDidChangeActiveTextEditor: events.active.event,
    showErrorMessage: async (text) => void seen.messages.push(`error: ${text}`),
    showInformationMessage: async (text) => void seen.messages.push(text),
    showQuickPick: async (choices) => (seen.picks.push(choices), choices[0]),
    showInputBox: async ({ validateInput }) => (validateInput(seen.typed) === undefined ? seen.typed : undefined),
    showTextDocument: async (uri) => void seen.executed.push(['show', uri.fsPath]),
    withProgress: (_, work) => work({}, { onCancellationRequested: disposable }),
  },
  languages: {
    createDiagnosticCollection: (name) => (seen.collections.push(new Collection(name)), seen.collections.at(-1)),
    registerCodeLensProvider: (_, provider) => ((seen.providers.codeLens = provider), disposable()),
    registerHoverProvider: (_, provider) => ((seen.providers.hover = provider), disposable()),
    registerCompletionItemProvider: (_, provider) => ((seen.providers.completion = provider), disposable()),
  },
  commands: {
    registerCommand: (name, work) => ((seen.commands[name] = work), disposable()),
    executeCommand: async (name, ...values) => void (name === 'setContext' ? (seen.contexts[values[0]] = values[1]) : seen.executed.push([name, ...values])),
  },
  debug: {
    activeDebugSession: undefined, activeDebugConsole: { appendLine: (text) => seen.messages.push(text) },
    registerDebugConfigurationProvider: (_, provider) => ((seen.providers.configuration = provider), disposable()),
    registerDebugAdapterDescriptorFactory: (_, provider) => ((seen.providers.adapter = provider), disposable()),
    startDebugging: async (folder, configuration) => void seen.started.push(configuration),
  },
  extensions: { getExtension: () => undefined },
};

const Module = require('node:module');
const load = Module._load;
Module._load = (request, ...rest) => (request === 'vscode' ? vscode : load(request, ...rest));

module.exports = { vscode, events, seen, settings, document };
