// The source view as a list: CUDA lines with their PTX instructions folded under them, in order of the file or of cost.
import { costOf, cudaLines, stalledOf, withContext, type Cost, type CudaLine } from './cuda_lines';
import type { Kernel, Report, Row } from './data';
import { percent, whole } from './dom';

/// A line of the table: a line of CUDA, an instruction, or the title of what follows.
export interface Item {
  key: string;
  kind: 'cuda' | 'ptx' | 'title';
  text: string;
  /// Of the file or the PTX; 0: none.
  number: number;
  cost: Cost;
  cuda?: CudaLine;
  /// Of the kernel.
  row?: number;
}

export interface Order {
  column: string;
  down: boolean;
}

export interface Column {
  key: string;
  name: string;
  what: string;
  value: (cost: Cost) => number;
  text: (cost: Cost) => string;
}

const kContext = 2;
/// Reasons with a column of their own, and the share of the slots from which on they have one; others are in the bar and
/// in words.
const kReasons = 5;
const kLeastShare = 0.005;

/// The reasons of the kernel, largest first.
export function columnsOf(report: Report, kernel: Kernel): Column[] {
  const slots = Math.max(kernel.slots, 1);
  const share = (n: number) => (n === 0 ? '' : n / slots < 0.0005 ? '< 0.1 %' : percent(n / slots));
  const columns: Column[] = [
    { key: 'cost', name: 'all', what: 'share of all issue slots: issued, or lost before it could issue', value: costOf, text: (c) => share(costOf(c)) },
    { key: 'issued', name: 'issued', what: 'share of all issue slots in which it issued', value: (c) => c.issued, text: (c) => share(c.issued) },
    { key: 'stalled', name: 'stalled', what: 'share of all issue slots that passed before it could issue', value: stalledOf, text: (c) => share(stalledOf(c)) },
  ];
  const sums = report.stalls.map((stall, i) => ({ stall, i, slots: kernel.rows.reduce((n, r) => n + (r.line === 0 ? 0 : (r.stalls[i] ?? 0)), 0) }));
  for (const { stall, i } of sums.filter((s) => s.slots / slots >= kLeastShare).sort((a, b) => b.slots - a.slots).slice(0, kReasons))
    columns.push({ key: stall.key, name: stall.key.replaceAll('_', ' '), what: stall.what, value: (c) => c.stalls[i] ?? 0, text: (c) => share(c.stalls[i] ?? 0) });
  columns.push(
    { key: 'executions', name: 'warp instr.', what: 'warp instructions issued', value: (c) => c.executions, text: (c) => (c.executions ? whole(c.executions) : '') },
    {
      key: 'lanes',
      name: 'lanes',
      what: 'lanes whose guard was true, on average',
      value: (c) => c.threads / Math.max(c.executions, 1),
      text: (c) => (c.executions ? (c.threads / c.executions).toFixed(1) : ''),
    },
  );
  return columns;
}

const ptxItem = (kernel: Kernel, row: number): Item => {
  const r = kernel.rows[row]!;
  return { key: `ptx ${row}`, kind: 'ptx', text: r.line === 0 ? 'no instruction' : r.text, number: r.line, cost: r, row };
};

const title = (text: string): Item => ({ key: `title ${text}`, kind: 'title', text, number: 0, cost: { executions: 0, threads: 0, issued: 0, stalls: [] } });

/// The table before anything is unfolded.
export interface Listing {
  cuda: CudaLine[];
  hasCuda: boolean;
}

export function listingOf(report: Report, kernel: Kernel): Listing {
  const cuda = cudaLines(report, kernel);
  return { cuda, hasCuda: cuda.some((line) => line.place !== '') };
}

const words = (query: string): string[] => query.toLowerCase().split(/\s+/).filter(Boolean);

const rowText = (row: Row): string => `${row.line} ${row.text} ${row.native ?? ''} ${row.function ?? ''}`;

/// What is shown, in order. `isOpen`: whether the instructions of a line are shown. `executed`: without lines that cost
/// nothing.
export function arrange(report: Report, kernel: Kernel, listing: Listing, columns: Column[], order: Order, query: string, executed: boolean, isOpen: (line: CudaLine) => boolean): Item[] {
  const asked = words(query);
  const matches = (text: string) => asked.every((word) => text.toLowerCase().includes(word));
  const value = columns.find((c) => c.key === order.column)?.value;
  const sorted = <T>(list: T[], costOfItem: (item: T) => Cost): T[] =>
    value === undefined ? list : [...list].sort((a, b) => (order.down ? -1 : 1) * (value(costOfItem(a)) - value(costOfItem(b))));
  const rowsOf = (line: CudaLine) => sorted(line.rows.filter((i) => !executed || kernel.rows[i]!.executions > 0), (i) => kernel.rows[i]!);
  const rest = kernel.rows.map((_, i) => i).filter((i) => kernel.rows[i]!.line === 0 && costOf(kernel.rows[i]!) > 0 && asked.length === 0);
  const out: Item[] = [];
  if (!listing.hasCuda) {
    let last = '';
    const all = kernel.rows.map((_, i) => i).filter((i) => kernel.rows[i]!.line !== 0 && matches(rowText(kernel.rows[i]!)) && (!executed || kernel.rows[i]!.executions > 0));
    for (const i of sorted(all, (r) => kernel.rows[r]!)) {
      const name = kernel.rows[i]!.function ?? '';
      if (value === undefined && name !== last) out.push(title(name === '' ? 'the kernel itself' : `function ${name}`));
      last = name;
      out.push(ptxItem(kernel, i));
    }
    return [...out, ...rest.map((i) => ptxItem(kernel, i))];
  }
  const found = listing.cuda.filter((line) => matches(`${line.place} ${line.text ?? ''} ${line.rows.map((i) => rowText(kernel.rows[i]!)).join(' ')}`));
  const alone = value !== undefined || asked.length > 0 || executed;
  const lines = alone ? sorted(found.filter((line) => !executed || line.sum.executions > 0), (line) => line.sum) : withContext(report, found, kContext);
  let file = '';
  let before = 0;
  for (const line of lines) {
    const name = line.place === '' ? 'instructions without a line of CUDA' : line.file === undefined ? line.place.replace(/:\d+$/, '') : report.files[line.file]!.name;
    if (!alone && name !== file) out.push(title(name));
    else if (!alone && line.line > before + 1) out.push({ ...title('⋯'), key: `gap ${line.place}` });
    file = name;
    before = line.line;
    out.push({ key: `cuda ${line.place}`, kind: 'cuda', text: line.place === '' ? 'instructions without a line of CUDA' : (line.text ?? line.place), number: line.line, cost: line.sum, cuda: line });
    if (isOpen(line)) for (const i of rowsOf(line)) out.push(ptxItem(kernel, i));
  }
  return [...out, ...rest.map((i) => ptxItem(kernel, i))];
}
