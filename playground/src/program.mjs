// The simulator as a function of its words and files: one instance of warptime.wasm, with its file system in memory. The
// same file serves the worker of the page and the tests in Node. An instance that ended with a trap is not used again.

/** Where the instance has what a repository has; paths on the command line are relative to it. */
export const kHome = '/warptime';

/** Bytes that were written to a stream, as text. */
class Sink {
  /** @param {(text: string) => void} [seen] called with each piece */
  constructor(seen) {
    this.parts = [];
    this.seen = seen;
    this.decoder = new TextDecoder();
  }
  take(bytes) {
    const text = this.decoder.decode(bytes, { stream: true });
    if (this.seen) this.seen(text);
    this.parts.push(text);
  }
  text() {
    return this.parts.join('') + this.decoder.decode();
  }
}

/** Files of a site, packed as {path: text}. */
function writeAll(FS, files) {
  for (const [path, text] of Object.entries(files)) {
    const full = `${kHome}/${path}`;
    FS.mkdirTree(full.slice(0, full.lastIndexOf('/')));
    FS.writeFile(full, text);
  }
}

export class Program {
  /**
   * @param {Function} create of warptime.js
   * @param {WebAssembly.Module} code of warptime.wasm
   * @param {Record<string, string>} files machines, workloads and programs
   */
  static async start(create, code, files) {
    const module = await create({
      instantiateWasm(imports, done) {
        WebAssembly.instantiate(code, imports).then((instance) => done(instance, code));
        return {};
      },
      print() {},
      printErr() {},
    });
    return new Program(module, files);
  }

  constructor(module, files) {
    this.module = module;
    const { FS } = module;
    writeAll(FS, files);
    FS.chdir(kHome);
    this.streams = [new Sink(), new Sink()];
    for (const number of [1, 2]) {
      const stream = FS.streams[number];
      // Bytes as they are, not lines. Only the standard error is a terminal: progress is shown there.
      if (number === 1) stream.tty = undefined;
      stream.stream_ops = {
        ...stream.stream_ops,
        write: (_stream, buffer, offset, length) => {
          this.streams[number - 1].take(new Uint8Array(buffer.buffer, buffer.byteOffset + offset, length));
          return length;
        },
      };
    }
  }

  /** A text file, relative to the home; null: it goes away. */
  write(path, text) {
    if (text !== null) return writeAll(this.module.FS, { [path]: text });
    const { FS } = this.module;
    if (FS.analyzePath(path).exists) FS.unlink(path);
  }

  /** A file's text, or null if there is none. */
  read(path) {
    const { FS } = this.module;
    return FS.analyzePath(path).exists ? FS.readFile(path, { encoding: 'utf8' }) : null;
  }

  /**
   * `warptime WORDS...`. Text on standard error that returns to the line's start is progress: it goes to `progress` alone.
   * @param {string[]} words
   * @param {{ input?: string, progress?: (text: string) => void }} [options]
   * @returns {{ status: number, out: string, err: string }} throws if the program traps
   */
  run(words, { input, progress } = {}) {
    const errors = [];
    const out = new Sink();
    const err = new Sink((text) => {
      for (const piece of text.split(/(?=\r)/)) {
        if (!piece.startsWith('\r')) errors.push(piece);
        else {
          const end = piece.lastIndexOf('\x1b[K');
          const shown = piece.slice(1, end < 0 ? undefined : end).trim();
          if (progress && shown !== '') progress(shown);
          if (end >= 0) errors.push(piece.slice(end + 3));
        }
      }
    });
    this.streams = [out, err];
    this.setInput(input ?? '');
    const status = this.module.ccall('warptime_command', 'number', ['string'], [JSON.stringify(words)]);
    return { status, out: out.text(), err: errors.join('') };
  }

  setInput(text) {
    const bytes = new TextEncoder().encode(text);
    let at = 0;
    const stream = this.module.FS.streams[0];
    stream.tty = undefined;
    stream.stream_ops = {
      ...stream.stream_ops,
      read: (_stream, buffer, offset, length) => {
        const part = bytes.subarray(at, at + length);
        buffer.set(part, offset);
        at += part.length;
        return part.length;
      },
    };
  }
}

/** Unpacks what a plain file server sends as it is, and others may have unpacked already. */
export async function unpacked(bytes) {
  const head = new Uint8Array(bytes, 0, 2);
  if (head[0] !== 0x1f || head[1] !== 0x8b) return bytes;
  const stream = new Response(bytes).body.pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).arrayBuffer();
}
