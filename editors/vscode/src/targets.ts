// Which program a command is about: the open file, a configuration of launch.json, or the last one.
import * as vscode from 'vscode';
import type { Launch } from './command';
import { folderOf, isLaunchFile, machine } from './settings';

interface Choice extends vscode.QuickPickItem {
  launch: Launch;
}

let last: Launch | undefined;

/// Predefined variables of VS Code, as far as a path has them.
function expanded(value: string, uri: vscode.Uri | undefined): string {
  const folder = folderOf(uri);
  return value.replaceAll('${workspaceFolder}', folder).replaceAll('${file}', uri?.fsPath ?? '').replaceAll('${fileDirname}', uri ? vscode.Uri.joinPath(uri, '..').fsPath : folder);
}

function ofConfiguration(configuration: vscode.DebugConfiguration, uri: vscode.Uri | undefined): Launch {
  return {
    program: expanded(String(configuration.program ?? ''), uri),
    args: (configuration.args as string[] | undefined)?.map((word) => expanded(word, uri)),
    machine: configuration.machine ?? machine(),
    params: configuration.params,
    set: configuration.set,
    programLaunch: configuration.programLaunch,
    cwd: configuration.cwd ? expanded(configuration.cwd, uri) : folderOf(uri),
  };
}

/// undefined: the user chose none.
export async function chooseTarget(): Promise<Launch | undefined> {
  const document = vscode.window.activeTextEditor?.document;
  const uri = document?.uri.scheme === 'file' ? document.uri : undefined;
  if (document && uri && (document.languageId === 'yaml' || /\.ya?ml$/.test(uri.fsPath)) && isLaunchFile(document.getText()))
    return (last = { program: uri.fsPath, machine: machine(), cwd: folderOf(uri) });
  const configurations = vscode.workspace.getConfiguration('launch', uri).get<vscode.DebugConfiguration[]>('configurations') ?? [];
  const choices: Choice[] = configurations
    .filter((each) => each.type === 'warptime' && typeof each.program === 'string')
    .map((each) => ({ label: each.name, description: each.program, launch: ofConfiguration(each, uri) }))
    .filter((each) => each.launch.program !== '');
  if (last && !choices.some((each) => each.launch.program === last!.program)) choices.unshift({ label: 'the last one', description: last.program, launch: last });
  if (choices.length === 0) {
    void vscode.window.showInformationMessage('Open a launch file (YAML), or add a configuration of the type "warptime" to launch.json.');
    return undefined;
  }
  const chosen = choices.length === 1 ? choices[0] : await vscode.window.showQuickPick(choices, { placeHolder: 'Which program?' });
  return chosen && (last = chosen.launch);
}
