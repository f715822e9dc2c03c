// Text of the program with its places as links: "matmul.ptx:601", "scan.cu:12", "PTX line 585".
import { h } from './dom';

export type GoTo = (file: string, line: number) => void;

export function linked(text: string, goTo: GoTo, ptx: string): HTMLElement {
  const pre = h('pre', {});
  const places = /([\w./-]+\.(?:ptx|cu|yaml)):(\d+)|PTX line (\d+)/g;
  let at = 0;
  for (const match of text.matchAll(places)) {
    pre.append(text.slice(at, match.index));
    const [file, line] = match[3] !== undefined ? [ptx, +match[3]] : [match[1]!, +match[2]!];
    pre.append(h('button', { class: 'link', click: () => goTo(file, line) }, match[0]));
    at = match.index + match[0].length;
  }
  pre.append(text.slice(at));
  return pre;
}
