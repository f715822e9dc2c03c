// Diagnostics of the program, as it prints them, as data: place, sentence, hints.
//
//   vecadd.ptx:12:3: error: unknown instruction "adx.s32"
//      12 | adx.s32 %r1, %r2;
//         | ^~~~~~~
//           hint: did you mean "add.s32"?

export interface Diagnostic {
  file: string;
  /** From 1; 0: the whole file. */
  line: number;
  column: number;
  /** Characters that the caret marks; at least 1. */
  length: number;
  severity: 'error' | 'warning' | 'note';
  message: string;
  hints: string[];
}

export function parseDiagnostics(text: string): Diagnostic[] {
  const found: Diagnostic[] = [];
  for (const line of text.split('\n')) {
    const head = /^(?:(.+?):(\d+):(\d+): )?(error|warning|note): (.*)$/.exec(line);
    if (head) {
      const [, file = '', row = '0', column = '1', severity, message] = head;
      found.push({ file, line: +row, column: +column, length: 1, severity: severity as Diagnostic['severity'], message: message!, hints: [] });
      continue;
    }
    const last = found.at(-1);
    if (!last) continue;
    const caret = /^\s*\| *(\^~*)$/.exec(line);
    const hint = /^\s+hint: (.*)$/.exec(line);
    const more = /^ {15}(\S.*)$/.exec(line);
    if (caret) last.length = caret[1]!.length;
    else if (hint) last.hints.push(hint[1]!);
    else if (more && last.hints.length > 0) last.hints.push(more[1]!);
  }
  return found;
}

/** A path as the program prints it, and one of the site: the same file? */
export const isSameFile = (printed: string, path: string): boolean =>
  printed === path || printed.endsWith(`/${path}`) || path.endsWith(`/${printed}`);
