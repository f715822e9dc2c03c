// The findings of `warptime check` in the problems panel.
import * as vscode from 'vscode';
import { runForJson, wordsOf, type Launch } from './command';
import { findingsOf } from './findings';
import { executable, folderOf, reportMissing } from './settings';

const kSeverities = { error: vscode.DiagnosticSeverity.Error, warning: vscode.DiagnosticSeverity.Warning, note: vscode.DiagnosticSeverity.Information };

const wholeLine = (line: number) => new vscode.Range(line - 1, 0, line - 1, Number.MAX_SAFE_INTEGER);

export class Checks implements vscode.Disposable {
  private readonly problems = vscode.languages.createDiagnosticCollection('warptime check');

  dispose() {
    this.problems.dispose();
  }

  /// Returns what to tell: how much was found, or why nothing ran.
  async run(launch: Launch, signal?: AbortSignal): Promise<{ error?: string; text?: string }> {
    const cwd = launch.cwd ?? folderOf();
    const result = await runForJson(executable(), wordsOf('check', launch), { cwd, signal });
    if (signal?.aborted) return {};
    if (result.status === -1) void reportMissing(result.stderr);
    if (result.json === undefined) return { error: result.stderr || `the command ended with status ${result.status}` };
    const { findings, others } = findingsOf(result.json, cwd);
    const byFile = new Map<string, vscode.Diagnostic[]>();
    for (const finding of findings) {
      const problem = new vscode.Diagnostic(wholeLine(finding.line), finding.text, kSeverities[finding.severity]);
      problem.source = 'warptime check';
      problem.code = finding.code;
      if (finding.related)
        problem.relatedInformation = [new vscode.DiagnosticRelatedInformation(
          new vscode.Location(vscode.Uri.file(finding.related.file), wholeLine(finding.related.line)), finding.related.text)];
      byFile.set(finding.file, [...(byFile.get(finding.file) ?? []), problem]);
    }
    this.problems.clear();
    for (const [file, problems] of byFile) this.problems.set(vscode.Uri.file(file), problems);
    const count = findings.length + others.length;
    return { text: count === 0 ? 'The checkers found nothing.' : `The checkers found ${count === 1 ? 'one place' : `${count} places`}. ${others.join('. ')}`.trim() };
  }
}
