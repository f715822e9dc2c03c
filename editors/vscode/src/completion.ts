// Completion in launch.json: machines and workloads, as the installed warptime lists them.
import * as vscode from 'vscode';
import { run } from './command';
import { executable, isLaunchFile } from './settings';

interface Row {
  label: string;
  detail: string;
}

/// What `warptime list WHAT --json` lists; nothing if the command is not there.
async function list(what: 'machines' | 'workloads'): Promise<Row[]> {
  const result = await run(executable(), ['list', what, '--json']);
  if (result.status !== 0) return [];
  const rows = JSON.parse(result.stdout)[what] as { machine?: string; name?: string; what: string; variants?: string[] }[];
  return rows.flatMap(({ machine, name, what: detail, variants }) =>
    [machine ?? name!, ...(variants ?? []).map((variant) => `${name}:${variant}`)].map((label) => ({ label, detail })));
}

/// The member that the place before the cursor is the value of; undefined: another one.
export function memberAt(line: string): string | undefined {
  return /"(machine|program)"\s*:\s*"?[^",]*$/.exec(line)?.[1];
}

export class LaunchCompletion implements vscode.CompletionItemProvider {
  async provideCompletionItems(document: vscode.TextDocument, position: vscode.Position): Promise<vscode.CompletionItem[]> {
    const before = document.lineAt(position.line).text.slice(0, position.character);
    const member = memberAt(before);
    if (member === undefined || !document.getText().includes('"warptime"')) return [];
    const hasQuote = /"[^":]*$/.test(before.slice(before.lastIndexOf(':')));
    const rows = member === 'machine' ? await list('machines') : [...(await list('workloads')), ...(await launchFiles())];
    return rows.map(({ label, detail }) => {
      const item = new vscode.CompletionItem(label, member === 'machine' ? vscode.CompletionItemKind.EnumMember : vscode.CompletionItemKind.File);
      item.detail = detail;
      item.sortText = `!${label}`; // before the editor's own variables
      item.insertText = hasQuote ? label : `"${label}"`;
      const typed = /[^"\s]*$/.exec(before.slice(before.lastIndexOf(':') + 1))![0];
      item.range = new vscode.Range(position.line, position.character - typed.length, position.line, position.character);
      return item;
    });
  }
}

async function launchFiles(): Promise<Row[]> {
  const files = await vscode.workspace.findFiles('**/*.{yaml,yml}', '**/node_modules/**', 200);
  const rows: Row[] = [];
  for (const file of files) {
    const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
    if (isLaunchFile(text)) rows.push({ label: `\${workspaceFolder}/${vscode.workspace.asRelativePath(file, false)}`, detail: 'launch file' });
  }
  return rows;
}
