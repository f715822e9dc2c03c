// What moved by line: each line of CUDA with its cost before and after, the PTX of both runs folded under it.
import { twoBars } from './bars';
import { costOf } from './cuda_lines';
import { nameOf, type MovedKernel, type Report, type RowCost } from './data';
import { h, percent, whole } from './dom';
import { placeOf, type Context, type Moment } from './view';

const kLinesShown = 200;

/// A line of CUDA or an instruction, in both runs.
interface Line {
  key: string;
  before: string | null;
  after: string | null;
  text: string;
  a: RowCost;
  b: RowCost;
  /// Of the kernel; empty: it is an instruction.
  rows: number[];
  row?: number;
}

const sign = (n: number): string => (n > 0 ? '+' : n < 0 ? '−' : '');
export const movedBy = (line: { a: RowCost; b: RowCost }): number => costOf(line.b) - costOf(line.a);

/// Reasons with what they moved, largest first.
function reasons(report: Report, line: { a: RowCost; b: RowCost }): { name: string; by: number }[] {
  const out = [{ name: 'issued', by: line.b.issued - line.a.issued }];
  report.stalls.forEach((stall, i) => out.push({ name: stall.key, by: (line.b.stalls[i] ?? 0) - (line.a.stalls[i] ?? 0) }));
  return out.filter(({ by }) => by !== 0).sort((x, y) => Math.abs(y.by) - Math.abs(x.by));
}

const byMove = (x: Line, y: Line): number => Math.abs(movedBy(y)) - Math.abs(movedBy(x));

function instruction(kernel: MovedKernel, row: number): Line {
  const r = kernel.rows[row]!;
  const name = (line: number | null) => (line === null ? null : line === 0 ? '' : `PTX ${line}`);
  return { key: `ptx ${row}`, before: name(r.line_a), after: name(r.line_b), text: r.text || 'no instruction', a: r.a, b: r.b, rows: [], row };
}

/// Lines of CUDA, and what has none, largest move first.
function linesOf(kernel: MovedKernel): Line[] {
  const inLines = new Set(kernel.lines.flatMap((line) => line.rows));
  const cuda = kernel.lines.map((line): Line => ({ key: `cuda ${line.source_b ?? ''} ${line.source_a ?? ''}`, before: line.source_a, after: line.source_b, text: line.text, a: line.a, b: line.b, rows: line.rows }));
  return [...cuda, ...kernel.rows.map((_, i) => i).filter((i) => !inLines.has(i)).map((i) => instruction(kernel, i))].sort(byMove);
}

export function movedLines(context: Context, kernel: MovedKernel, most = kLinesShown): { element: HTMLElement; moment: () => Moment; show: (moment: Moment) => void } {
  const { report } = context;
  const all = Math.max(kernel.slots_a, 1);
  const lines = linesOf(kernel);
  const largest = Math.max(...lines.map((line) => Math.max(costOf(line.a), costOf(line.b))), 1);
  const heat = Math.max(...lines.map((line) => Math.abs(movedBy(line))), 1);
  const open = new Set<string>();
  let selected = '';
  const signed = (slots: number) => `${sign(slots)}${percent(Math.abs(slots) / all, 2)}`;
  const body = h('tbody', {});
  const place = ({ before, after }: Line) => {
    if (before === after) return after ?? '';
    if (before === null || after === null) return `${before ?? after}, ${after === null ? 'before' : 'after'} only`;
    const file = after.replace(/\d+$/, '');
    return before.startsWith(file) ? `${before} → ${after.slice(file.length)}` : `${before} → ${after}`;
  };

  const choose = (line: Line) => {
    selected = line.key;
    if (line.rows.length > 0) {
      if (open.has(line.key)) open.delete(line.key);
      else open.add(line.key);
      fill();
    } else if (line.row !== undefined) {
      const at = kernel.rows[line.row]!.line_b;
      const to = at ? placeOf(report, kernel.b, at) : null;
      if (to) return context.showRow(to);
    }
    context.moved();
  };
  const rowOf = (line: Line, inLine: boolean): HTMLElement => {
    const by = movedBy(line);
    const foldable = line.rows.length > 0;
    const cell = (name: string, text: string) => h('td', { class: 'number', 'data-name': name }, text);
    return h(
      'tr',
      {
        class: `hot ${by < 0 ? 'less' : 'more'} ${line.row === undefined ? 'cuda' : inLine ? 'ptx' : 'alone'}`,
        style: `--heat:${Math.min(Math.abs(by) / heat, 1).toFixed(4)}`,
        tabindex: 0,
        'aria-selected': line.key === selected ? 'true' : 'false',
        'aria-expanded': foldable ? String(open.has(line.key)) : undefined,
        'data-key': line.key,
        'data-moved': by,
        click: () => choose(line),
        keydown: (e) => (e as KeyboardEvent).key === 'Enter' && (choose(line), [...body.querySelectorAll<HTMLElement>('tr')].find((r) => r.dataset.key === line.key)?.focus()),
      },
      h('td', { class: 'line' }, foldable ? (open.has(line.key) ? '▾ ' : '▸ ') : '', place(line)),
      h('td', { class: 'code' }, h('span', { class: 'text' }, line.text), h('span', { class: 'two' }, ...twoBars(costOf(line.a) / largest, costOf(line.b) / largest))),
      cell('before', percent(costOf(line.a) / all, 2)),
      cell('after', percent(costOf(line.b) / all, 2)),
      cell('moved', signed(by)),
      h('td', { class: 'why' }, reasons(report, line).slice(0, 3).map((r) => `${r.name} ${signed(r.by)}`).join(', ')),
    );
  };
  const fill = () =>
    body.replaceChildren(
      ...lines.slice(0, most).flatMap((line) => [rowOf(line, false), ...(open.has(line.key) ? line.rows.map((i) => instruction(kernel, i)).sort(byMove).map((row) => rowOf(row, true)) : [])]),
    );
  fill();
  const heads = ['line', kernel.lines.length > 0 ? 'CUDA, and the PTX of it: before above, after below' : 'PTX: before above, after below', 'before', 'after', 'moved', 'reasons'];
  const name = kernel.a === kernel.b ? `Kernel ${nameOf(report, kernel.b)}` : `${nameOf(report, kernel.a)} → ${nameOf(report, kernel.b)}`;
  const element = h(
    'div',
    { class: 'scroll' },
    h(
      'table',
      { class: 'grid cards moved' },
      h('caption', {}, `${name}: issue slots by line, in shares of the ${whole(kernel.slots_a)} slots before. Largest change first.`),
      h('thead', {}, h('tr', {}, ...heads.map((text, i) => h('th', { scope: 'col', class: i >= 2 && i <= 4 ? 'number' : '' }, text)))),
      body,
    ),
  );
  return {
    element,
    moment: (): Moment => (selected.startsWith('cuda ') ? { line: selected.slice(5).trim().split(' ')[0]! } : {}),
    show: ({ line }) => {
      const found = line === undefined ? undefined : lines.find((l) => l.rows.length > 0 && (l.after === line || l.before === line));
      if (!found) return;
      open.add(found.key);
      selected = found.key;
      fill();
      [...body.querySelectorAll<HTMLElement>('tr')].find((r) => r.dataset.key === found.key)?.scrollIntoView({ block: 'nearest' });
    },
  };
}
