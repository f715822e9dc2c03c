// The worker: one instance of the program, which runs one command after another. The page ends the worker to stop a
// command; a new one gets the same compiled code.
import { Program, unpacked } from './program.mjs';
import type { FromWorker, ToWorker } from './messages';

declare function importScripts(...urls: string[]): void;
declare const createWarptime: (options: object) => Promise<unknown>;

const scope = self as unknown as { postMessage(message: FromWorker): void; onmessage: ((event: MessageEvent<ToWorker>) => void) | null };
let program: Promise<Program>;
let code: WebAssembly.Module;

async function fetched(file: string): Promise<ArrayBuffer> {
  const response = await fetch(file);
  if (!response.ok) throw new Error(`${file}: ${response.status} ${response.statusText}`);
  return unpacked(await response.arrayBuffer());
}

async function start(given?: WebAssembly.Module): Promise<Program> {
  importScripts('warptime.js');
  const [module, files] = await Promise.all([
    given ?? fetched('warptime.wasm.gz').then((bytes) => WebAssembly.compile(bytes)),
    fetched('files.json.gz').then((bytes) => JSON.parse(new TextDecoder().decode(bytes)) as Record<string, string>),
  ]);
  code = module;
  return Program.start(createWarptime, module, files);
}

scope.onmessage = async ({ data }) => {
  if (data.kind === 'start') {
    program = start(data.code);
    try {
      await program;
      scope.postMessage({ kind: 'ready', code });
    } catch (error) {
      scope.postMessage({ kind: 'broken', why: String(error) });
    }
    return;
  }
  try {
    const instance = await program;
    for (const [path, text] of Object.entries(data.files)) instance.write(path, text);
    for (const path of data.reads) instance.write(path, null);
    const begin = performance.now();
    const result = instance.run(data.words, {
      input: data.input,
      progress: (text) => scope.postMessage({ kind: 'progress', id: data.id, text }),
    });
    const milliseconds = performance.now() - begin;
    const read = data.reads.map((path) => instance.read(path));
    scope.postMessage({ kind: 'done', id: data.id, result: { ...result, files: read, milliseconds } });
  } catch (error) {
    // A trap: too deep a recursion, or no memory. The instance is not used again.
    scope.postMessage({ kind: 'broken', why: String(error) });
  }
};
