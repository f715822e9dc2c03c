// What the page and its workers say to each other.

export interface Result {
  status: number;
  out: string;
  err: string;
  /** What `reads` asked for; null: the command has not written it. */
  files: (string | null)[];
  milliseconds: number;
}

export type ToWorker =
  | { kind: 'start'; code?: WebAssembly.Module }
  | { kind: 'run'; id: number; words: string[]; files: Record<string, string | null>; reads: string[]; input?: string };

export type FromWorker =
  | { kind: 'ready'; code: WebAssembly.Module }
  | { kind: 'progress'; id: number; text: string }
  | { kind: 'done'; id: number; result: Result }
  | { kind: 'broken'; why: string };
