// A worker as the page sees it: commands in order, progress, and an end at any time. The compiled code is shared: the
// second worker of a page, and one that replaces a stopped one, start at once.
import type { FromWorker, Result, ToWorker } from './messages';

let compiled: Promise<WebAssembly.Module> | undefined;

/** A command was stopped, or the program trapped. */
export class Ended extends Error {}

interface Job {
  words: string[];
  files: Record<string, string | null>;
  reads: string[];
  input?: string | undefined;
  progress?: (text: string) => void;
  done: (result: Result) => void;
  failed: (error: Error) => void;
}

export class Runner {
  private worker: Worker | undefined;
  private jobs: Job[] = [];
  private current: Job | undefined;
  private ready = false;

  /** `warm`: a command to run when there is nothing to do yet, after which the browser has compiled what most runs need. */
  constructor(private readonly warm: string[] = []) {
    this.start();
  }

  /** `warptime WORDS...`, once the earlier ones are done. */
  run(words: string[], options: Partial<Pick<Job, 'files' | 'reads' | 'input' | 'progress'>> = {}): Promise<Result> {
    return new Promise((done, failed) => {
      this.jobs.push({ words, files: {}, reads: [], ...options, done, failed });
      this.next();
    });
  }

  get busy(): boolean {
    return this.current !== undefined || this.jobs.length > 0;
  }

  /** Ends the command that runs, and drops those that wait. */
  stop(why = 'stopped'): void {
    const ended = this.current ? [this.current, ...this.jobs] : this.jobs;
    this.current = undefined;
    this.jobs = [];
    this.worker?.terminate();
    this.start();
    for (const job of ended) job.failed(new Ended(why));
  }

  private start(): void {
    this.ready = false;
    const worker = new Worker('worker.js');
    this.worker = worker;
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if (worker === this.worker) this.receive(data);
    };
    worker.onerror = (event) => {
      if (worker === this.worker) this.receive({ kind: 'broken', why: event.message });
    };
    const begin = (code?: WebAssembly.Module) => {
      const message: ToWorker = code ? { kind: 'start', code } : { kind: 'start' };
      worker.postMessage(message);
    };
    if (compiled) void compiled.then(begin);
    else {
      compiled = new Promise((resolve) => (this.compiledHere = resolve));
      begin();
    }
  }
  private compiledHere: ((code: WebAssembly.Module) => void) | undefined;

  private receive(message: FromWorker): void {
    switch (message.kind) {
      case 'ready':
        this.compiledHere?.(message.code);
        this.ready = true;
        if (this.warm.length > 0 && this.jobs.length === 0) this.run(this.warm).catch(() => undefined);
        return this.next();
      case 'progress': return this.current?.progress?.(message.text);
      case 'done': {
        const job = this.current;
        this.current = undefined;
        job?.done(message.result);
        return this.next();
      }
      case 'broken': {
        const starting = !this.ready;
        const jobs = this.current ? [this.current, ...this.jobs] : this.jobs;
        this.current = undefined;
        this.jobs = [];
        this.worker?.terminate();
        this.worker = undefined;
        for (const job of jobs) job.failed(new Ended(message.why));
        if (starting) document.dispatchEvent(new CustomEvent('cannotstart', { detail: message.why }));
        else this.start();
      }
    }
  }

  private next(): void {
    if (!this.ready || this.current) return;
    this.current = this.jobs.shift();
    if (!this.current) return;
    const { words, files, reads, input } = this.current;
    const message: ToWorker = { kind: 'run', id: 0, words, files, reads, ...(input === undefined ? {} : { input }) };
    this.worker?.postMessage(message);
  }
}
