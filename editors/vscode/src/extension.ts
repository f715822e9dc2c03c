// The extension: connects the editor with the parts beside this file.
import * as vscode from 'vscode';
import { basename } from 'node:path';
import { Checks } from './checks';
import { LaunchCompletion } from './completion';
import { Costs } from './costs';
import { chooseLane, Debugging } from './debugging';
import { PtxProblems } from './ptx-problems';
import { registerSchemas } from './schemas';
import { isLaunchFile } from './settings';
import { chooseTarget } from './targets';

/// With a notification that can be cancelled.
function withProgress<T>(title: string, work: (signal: AbortSignal) => Promise<T>): Thenable<T> {
  return vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title, cancellable: true }, (_, token) => {
    const abort = new AbortController();
    token.onCancellationRequested(() => abort.abort());
    return work(abort.signal);
  });
}

async function showCosts(costs: Costs) {
  const launch = await chooseTarget();
  if (launch === undefined) return;
  const error = await withProgress(`warptime: runs ${basename(launch.program)}`, (signal) => costs.run(launch, signal));
  if (error !== undefined) return void vscode.window.showErrorMessage(error.split('\n')[0], { modal: false, detail: error });
  const source = costs.files().find((file) => /\.cuh?$/.test(file)) ?? costs.files()[0];
  const isShown = vscode.window.visibleTextEditors.some((editor) => costs.files().includes(editor.document.uri.fsPath));
  if (source !== undefined && !isShown) await vscode.window.showTextDocument(vscode.Uri.file(source), { preview: false });
}

async function showFindings(checks: Checks) {
  const launch = await chooseTarget();
  if (launch === undefined) return;
  const { error, text } = await withProgress(`warptime: checks ${basename(launch.program)}`, (signal) => checks.run(launch, signal));
  if (error !== undefined) return void vscode.window.showErrorMessage(error.split('\n')[0]);
  if (text !== undefined) void vscode.window.showInformationMessage(text);
  await vscode.commands.executeCommand('workbench.actions.view.problems');
}

function noteLaunchFile(editor: vscode.TextEditor | undefined) {
  const document = editor?.document;
  const is = document !== undefined && document.languageId === 'yaml' && isLaunchFile(document.getText());
  void vscode.commands.executeCommand('setContext', 'warptime.isLaunchFile', is);
}

export function activate(context: vscode.ExtensionContext) {
  const costs = new Costs();
  const checks = new Checks();
  const debugging = new Debugging();
  context.subscriptions.push(
    costs,
    checks,
    new PtxProblems(),
    vscode.commands.registerCommand('warptime.costs', () => showCosts(costs)),
    vscode.commands.registerCommand('warptime.clearCosts', () => costs.clear()),
    vscode.commands.registerCommand('warptime.check', () => showFindings(checks)),
    vscode.commands.registerCommand('warptime.lane', () => chooseLane()),
    vscode.commands.registerCommand('warptime.debug', (uri?: vscode.Uri) => {
      const file = uri ?? vscode.window.activeTextEditor?.document.uri;
      const folder = file && vscode.workspace.getWorkspaceFolder(file);
      return file && vscode.debug.startDebugging(folder, { type: 'warptime', request: 'launch', name: 'warptime: this file', program: file.fsPath, stopOnEntry: true });
    }),
    vscode.debug.registerDebugConfigurationProvider('warptime', debugging),
    vscode.debug.registerDebugAdapterDescriptorFactory('warptime', debugging),
    vscode.languages.registerCompletionItemProvider({ language: 'jsonc', pattern: '**/launch.json' }, new LaunchCompletion(), '"'),
    vscode.window.onDidChangeActiveTextEditor(noteLaunchFile),
  );
  noteLaunchFile(vscode.window.activeTextEditor);
  void registerSchemas();
}

export function deactivate() {}
