// Debugging: starts `warptime debug --dap`, and fills in what a configuration leaves out.
import * as vscode from 'vscode';
import { executable, folderOf, isLaunchFile, machine } from './settings';

export class Debugging implements vscode.DebugConfigurationProvider, vscode.DebugAdapterDescriptorFactory {
  /// F5 without launch.json: the open file.
  resolveDebugConfiguration(folder: vscode.WorkspaceFolder | undefined, configuration: vscode.DebugConfiguration): vscode.DebugConfiguration | undefined {
    if (!configuration.type && !configuration.request && !configuration.name) {
      const document = vscode.window.activeTextEditor?.document;
      if (document === undefined || !(document.languageId === 'ptx' || isLaunchFile(document.getText()))) return undefined;
      configuration = { type: 'warptime', request: 'launch', name: 'warptime: the open file', program: document.uri.fsPath, stopOnEntry: true };
    }
    configuration.cwd ??= folder?.uri.fsPath ?? folderOf(vscode.window.activeTextEditor?.document.uri);
    configuration.machine ??= machine();
    configuration.stopOnEntry ??= true;
    return configuration;
  }

  createDebugAdapterDescriptor(session: vscode.DebugSession): vscode.DebugAdapterDescriptor {
    return new vscode.DebugAdapterExecutable(executable(), ['debug', '--dap'], { cwd: session.configuration.cwd });
  }
}

/// Another lane of the warp in focus: values are those of its thread then.
export async function chooseLane() {
  const session = vscode.debug.activeDebugSession;
  if (session?.type !== 'warptime') return;
  const lane = await vscode.window.showInputBox({
    prompt: 'Lane of the warp, 0 to 31', validateInput: (text) => (/^(\d|[12]\d|3[01])$/.test(text) ? undefined : 'a number from 0 to 31'),
  });
  if (lane === undefined) return;
  const answer = await session.customRequest('evaluate', { expression: `cuda lane ${lane}`, context: 'repl' });
  vscode.debug.activeDebugConsole.appendLine(String(answer.result).trimEnd());
}
