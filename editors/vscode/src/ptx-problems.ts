// Diagnostics of PTX from `warptime ptx`, while the user types.
import * as vscode from 'vscode';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { run } from './command';
import { readMessages } from './messages';
import { executable, reportMissing, whenChecked } from './settings';

const kDelay = 300; // milliseconds after the last key
const kMostCharacters = 8 << 20;
const kSeverities = { error: vscode.DiagnosticSeverity.Error, warning: vscode.DiagnosticSeverity.Warning, note: vscode.DiagnosticSeverity.Information };

export class PtxProblems implements vscode.Disposable {
  private readonly problems = vscode.languages.createDiagnosticCollection('warptime ptx');
  private readonly running = new Map<string, AbortController>();
  private readonly waiting = new Map<string, NodeJS.Timeout>();
  private readonly subscriptions: vscode.Disposable[];
  private isMissing = false;

  constructor() {
    this.subscriptions = [
      vscode.workspace.onDidOpenTextDocument((document) => void this.check(document)),
      vscode.workspace.onDidSaveTextDocument((document) => void this.check(document)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.later(document)),
      vscode.workspace.onDidCloseTextDocument((document) => this.forget(document)),
    ];
    for (const document of vscode.workspace.textDocuments) void this.check(document);
  }

  dispose() {
    for (const each of [this.problems, ...this.subscriptions]) each.dispose();
    for (const timer of this.waiting.values()) clearTimeout(timer);
    for (const each of this.running.values()) each.abort();
  }

  private forget(document: vscode.TextDocument) {
    this.running.get(document.uri.toString())?.abort();
    clearTimeout(this.waiting.get(document.uri.toString()));
    this.problems.delete(document.uri);
  }

  private later(document: vscode.TextDocument) {
    if (document.languageId !== 'ptx' || whenChecked() !== 'onType') return;
    const key = document.uri.toString();
    clearTimeout(this.waiting.get(key));
    this.waiting.set(key, setTimeout(() => void this.check(document), kDelay));
  }

  /// The text as it is now, which may not be saved, goes to a file of its own.
  async check(document: vscode.TextDocument): Promise<void> {
    if (document.languageId !== 'ptx' || whenChecked() === 'off') return;
    const text = document.getText();
    if (text.length > kMostCharacters) return;
    const key = document.uri.toString();
    this.running.get(key)?.abort();
    const abort = new AbortController();
    this.running.set(key, abort);
    const folder = await mkdtemp(join(tmpdir(), 'warptime-ptx-'));
    try {
      const file = join(folder, basename(document.uri.fsPath) || 'untitled.ptx');
      await writeFile(file, text);
      const result = await run(executable(), ['ptx', file], { signal: abort.signal });
      if (abort.signal.aborted) return;
      if (result.status === -1) {
        if (!this.isMissing) void reportMissing(result.stderr);
        this.isMissing = true;
        return;
      }
      this.isMissing = false;
      this.problems.set(document.uri, readMessages(`${result.stderr}\n${result.stdout}`).filter((each) => each.file === file).map((message) => {
        const line = message.line - 1;
        const range = new vscode.Range(line, message.column - 1, line, message.column - 1 + message.length);
        const problem = new vscode.Diagnostic(range, message.text, kSeverities[message.severity]);
        problem.source = 'warptime';
        return problem;
      }));
    } finally {
      await rm(folder, { recursive: true, force: true });
      if (this.running.get(key) === abort) this.running.delete(key);
    }
  }
}
