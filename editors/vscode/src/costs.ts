// The cost of each line after a run: text above the line (CodeLens), a color behind it, marks beside the scroll bar, and
// all reasons in a hover.
import * as vscode from 'vscode';
import { runForJson, wordsOf, type Launch } from './command';
import { costsOf, heat, longText, shortText, type Cost } from './costs-of-lines';
import { costsShown, executable, folderOf, leastShare, reportMissing } from './settings';

// The same hue in four strengths, so that the order is seen without colors, too; both themes.
const kStrengths = [0, 0.08, 0.18, 0.32];

export class Costs implements vscode.Disposable, vscode.CodeLensProvider, vscode.HoverProvider {
  private costs = new Map<string, Map<number, Cost>>();
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changed.event;
  private readonly heats = kStrengths.map((strength) =>
    vscode.window.createTextEditorDecorationType({
      isWholeLine: true,
      backgroundColor: `rgba(224, 108, 0, ${strength})`,
      overviewRulerColor: `rgba(224, 108, 0, ${Math.min(1, 3 * strength)})`,
      overviewRulerLane: vscode.OverviewRulerLane.Right,
    }));
  private readonly subscriptions: vscode.Disposable[];

  constructor() {
    const files = [{ language: 'ptx' }, { language: 'cuda-cpp' }, { language: 'cpp' }, { language: 'c' }, { pattern: '**/*.{cu,cuh}' }];
    this.subscriptions = [
      vscode.languages.registerCodeLensProvider(files, this),
      vscode.languages.registerHoverProvider(files, this),
      vscode.window.onDidChangeVisibleTextEditors(() => this.paint()),
      vscode.workspace.onDidChangeConfiguration(() => this.refresh()),
      // Of an edited text the numbers of lines are others.
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0 && this.costs.delete(document.uri.fsPath)) this.refresh();
      }),
    ];
  }

  dispose() {
    for (const each of [...this.subscriptions, ...this.heats, this.changed]) each.dispose();
  }

  clear() {
    this.costs.clear();
    this.refresh();
  }

  /// Runs the launch; the lines of all its files have costs then. Returns what failed, if anything.
  async run(launch: Launch, signal?: AbortSignal): Promise<string | undefined> {
    const cwd = launch.cwd ?? folderOf();
    const result = await runForJson(executable(), wordsOf('annotate', launch), { cwd, signal });
    if (signal?.aborted) return undefined;
    if (result.status === -1) {
      void reportMissing(result.stderr);
      return result.stderr;
    }
    if (result.json === undefined) return result.stderr || `the command ended with status ${result.status}`;
    this.costs = costsOf(result.json, cwd);
    this.refresh();
    return undefined;
  }

  files(): string[] {
    return [...this.costs.keys()];
  }

  private refresh() {
    this.changed.fire();
    this.paint();
  }

  private paint() {
    for (const editor of vscode.window.visibleTextEditors) {
      const lines = costsShown() === 'codeLens' ? undefined : this.costs.get(editor.document.uri.fsPath);
      const ranges: vscode.Range[][] = this.heats.map(() => []);
      for (const [line, cost] of lines ?? [])
        if (heat(cost) > 0 && line <= editor.document.lineCount) ranges[heat(cost)].push(editor.document.lineAt(line - 1).range);
      this.heats.forEach((type, i) => editor.setDecorations(type, ranges[i]));
    }
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    if (costsShown() === 'heat') return [];
    return [...(this.costs.get(document.uri.fsPath) ?? [])]
      .filter(([line, cost]) => cost.share >= leastShare() && line <= document.lineCount)
      .map(([line, cost]) => new vscode.CodeLens(new vscode.Range(line - 1, 0, line - 1, 0), { title: shortText(cost), command: '' }));
  }

  provideHover(document: vscode.TextDocument, position: vscode.Position): vscode.Hover | undefined {
    const cost = this.costs.get(document.uri.fsPath)?.get(position.line + 1);
    return cost && new vscode.Hover(new vscode.MarkdownString(longText(cost)));
  }
}
