// Reads the messages that warptime prints: "FILE:LINE:COLUMN: error: SENTENCE", the line with a caret, and a hint.
export interface Message {
  file: string;
  line: number; // from 1
  column: number;
  length: number; // characters below which the caret stands; at least 1
  severity: 'error' | 'warning' | 'note';
  text: string; // the sentence, and the hint behind it
  ptx?: { file: string; line: number }; // where the message is about a line of CUDA, the instruction below it
}

const kPlace = /^(.+?):(\d+):(?:(\d+):)? (error|warning|note): (.*)$/;

export function readMessages(text: string): Message[] {
  const messages: Message[] = [];
  for (const line of text.split('\n')) {
    const place = kPlace.exec(line);
    const last = messages.at(-1);
    if (place) {
      const [, file, at, column, severity, sentence] = place;
      messages.push({ file, line: Number(at), column: Number(column ?? 1), length: 1, severity: severity as Message['severity'], text: sentence });
    } else if (last !== undefined) {
      const caret = /^\s*\|\s*(\^~*)\s*$/.exec(line);
      const hint = /^\s+hint: (.*)$/.exec(line);
      const ptx = /^\s+PTX: (.+?):(\d+):\d+:/.exec(line);
      if (caret) last.length = caret[1].length;
      if (hint) last.text += `\n${hint[1]}`;
      if (ptx) last.ptx = { file: ptx[1], line: Number(ptx[2]) };
    }
  }
  return messages;
}
