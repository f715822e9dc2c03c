// The user's settings, and the folder that commands work in.
import * as vscode from 'vscode';
import { dirname } from 'node:path';

const all = () => vscode.workspace.getConfiguration('warptime');

export const executable = () => all().get<string>('executable') || 'warptime';
export const machine = () => all().get<string>('machine') || undefined;
export const whenChecked = () => all().get<'onType' | 'onSave' | 'off'>('diagnostics') ?? 'onType';
export const costsShown = () => all().get<'both' | 'codeLens' | 'heat'>('costs') ?? 'both';
export const leastShare = () => (all().get<number>('costs.least') ?? 0.5) / 100;

/// The workspace's folder of a file, or its own.
export function folderOf(uri?: vscode.Uri): string {
  const folder = (uri && vscode.workspace.getWorkspaceFolder(uri)) ?? vscode.workspace.workspaceFolders?.[0];
  return folder?.uri.fsPath ?? (uri ? dirname(uri.fsPath) : process.cwd());
}

/// Whether a text is that of a launch file: it has the two keys that every one has.
export const isLaunchFile = (text: string) => /^module\s*:/m.test(text) && /^launches\s*:/m.test(text);
/// Whether it is that of a machine file.
export const isMachineFile = (text: string) => /^(extends|chip|clocks|sm|issue)\s*:/m.test(text) && !/^launches\s*:/m.test(text);

/// Says that the command is not there, with a way out.
export async function reportMissing(why: string) {
  const open = 'Open Settings';
  const chosen = await vscode.window.showErrorMessage(
    `The command "${executable()}" cannot be started: ${why.split('\n')[0]} Install warptime, or set warptime.executable.`, open);
  if (chosen === open) await vscode.commands.executeCommand('workbench.action.openSettings', 'warptime.executable');
}
