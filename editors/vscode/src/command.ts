// Runs the warptime command, and turns a launch configuration into its words. Nothing here needs the editor, so that
// tests run it in Node.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Result {
  status: number; // as the command's exit status; -1: it could not be started
  stdout: string;
  stderr: string;
}

/// The members of a launch configuration (docs/debugger.md, "Editors").
export interface Launch {
  program: string;
  args?: string[];
  machine?: string;
  params?: Record<string, string | number | boolean>;
  set?: Record<string, string | number | boolean>;
  programLaunch?: number;
  cwd?: string;
}

export interface Options {
  cwd?: string;
  signal?: AbortSignal;
}

/// Ends when the command has ended, however it did.
export function run(executable: string, words: string[], options: Options = {}): Promise<Result> {
  return new Promise((resolve) => {
    execFile(executable, words, { ...options, maxBuffer: 256 << 20, encoding: 'utf8' }, (error, stdout, stderr) => {
      const code = error === null ? 0 : (error as unknown as { code?: unknown }).code;
      resolve({ status: typeof code === 'number' ? code : -1, stdout, stderr: stderr || (error?.message ?? '') });
    });
  });
}

/// Runs a command that writes JSON with --json=FILE: programs write to standard output what they like.
export async function runForJson(executable: string, words: string[], options: Options = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'warptime-'));
  try {
    const file = join(folder, 'out.json');
    const result = await run(executable, [words[0], `--json=${file}`, ...words.slice(1)], options);
    const text = await readFile(file, 'utf8').catch(() => '');
    return { ...result, json: text === '' ? undefined : JSON.parse(text) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const isRead = (program: string) => /\.(ptx|ya?ml)$/.test(program) || !program.includes('/');

/// The words of a command about a launch: `annotate`, `check`. Checks run on the machine that allows everything.
export function wordsOf(command: string, launch: Launch): string[] {
  const words = [command];
  if (launch.machine && command !== 'check') words.push(`--machine=${launch.machine}`);
  for (const [name, value] of Object.entries(launch.params ?? {})) words.push(`--param=${name}=${value}`);
  for (const [name, value] of Object.entries(launch.set ?? {})) if (command !== 'check') words.push(`--set=${name}=${value}`);
  if (isRead(launch.program)) return [...words, launch.program, ...(launch.args ?? [])];
  if (launch.programLaunch !== undefined && command !== 'check') words.push(`--program-launch=${launch.programLaunch}`);
  return [...words, '--', launch.program, ...(launch.args ?? [])];
}
