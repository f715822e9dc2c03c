// The lines of CUDA of a kernel with the sums of their PTX instructions: what the user wrote, and what it cost.
import type { Kernel, Report, Row } from './data';

export interface CudaLine {
  /// "matmul.cu:41"; empty: instructions without a line.
  place: string;
  /// In the report's list; undefined: the file was not found.
  file?: number;
  line: number;
  /// null: not known.
  text: string | null;
  /// Indices in the rows of the kernel; empty: no instruction is of this line.
  rows: number[];
  sum: Cost;
}

export interface Cost {
  executions: number;
  threads: number;
  issued: number;
  stalls: number[];
}

export const stalledOf = (cost: { stalls: number[] }): number => cost.stalls.reduce((a, b) => a + b, 0);
/// All issue slots that it took.
export const costOf = (cost: { issued: number; stalls: number[] }): number => cost.issued + stalledOf(cost);

export const noCost = (): Cost => ({ executions: 0, threads: 0, issued: 0, stalls: [] });

export function addCost(to: Cost, from: Cost): void {
  to.executions += from.executions;
  to.threads += from.threads;
  to.issued += from.issued;
  from.stalls.forEach((n, i) => (to.stalls[i] = (to.stalls[i] ?? 0) + n));
}

/// The reasons for which slots passed, largest first; `issued` is the first of equal ones.
export function reasonsOf(report: Report, cost: { issued: number; stalls: number[] }): { key: string; what: string; slots: number }[] {
  const out = [{ key: 'issued', what: 'an instruction issued', slots: cost.issued }];
  report.stalls.forEach((stall, i) => out.push({ key: stall.key, what: stall.what, slots: cost.stalls[i] ?? 0 }));
  return out.filter((r) => r.slots > 0).sort((a, b) => b.slots - a.slots);
}

const fileName = (name: string): string => name.slice(name.lastIndexOf('/') + 1);

/// In the order of files and lines; without the row that stands for no instruction. Instructions without a line, if
/// there are any, are the last item.
export function cudaLines(report: Report, kernel: Kernel): CudaLine[] {
  const lines = new Map<string, CudaLine>();
  const loose: CudaLine = { place: '', line: 0, text: null, rows: [], sum: noCost() };
  kernel.rows.forEach((row, i) => {
    if (row.line === 0) return;
    let line = loose;
    if (row.source !== undefined && row.cuda !== undefined) {
      const key = `${row.file ?? ''}:${row.source}`;
      line = lines.get(key) ?? { place: row.source, file: row.file, line: row.cuda, text: textOf(report, row), rows: [], sum: noCost() };
      lines.set(key, line);
    }
    line.rows.push(i);
    addCost(line.sum, row);
  });
  const order = (l: CudaLine) => l.file ?? report.files.length;
  const out = [...lines.values()].sort((a, b) => order(a) - order(b) || a.place.localeCompare(b.place, 'en', { numeric: true }));
  return loose.rows.length > 0 ? [...out, loose] : out;
}

function textOf(report: Report, row: Row): string | null {
  return row.file === undefined || row.cuda === undefined ? null : (report.files[row.file]?.lines[row.cuda - 1] ?? null);
}

/// The lines between and around those of a file, which cost nothing: at most `around` away from one that has
/// instructions.
export function withContext(report: Report, lines: CudaLine[], around: number): CudaLine[] {
  const out: CudaLine[] = [];
  lines.forEach((line, i) => {
    const file = line.file === undefined ? undefined : report.files[line.file];
    if (!file) return void out.push(line);
    const previous = lines[i - 1]?.file === line.file ? lines[i - 1]!.line : -around;
    const next = lines[i + 1]?.file === line.file ? lines[i + 1]!.line : file.lines.length + around + 1;
    const empty = (n: number) =>
      out.push({ place: `${fileName(file.name)}:${n}`, file: line.file, line: n, text: file.lines[n - 1] ?? '', rows: [], sum: noCost() });
    for (let n = Math.max(line.line - around, previous + around + 1, 1); n < line.line; ++n) empty(n);
    out.push(line);
    for (let n = line.line + 1; n <= Math.min(line.line + around, next - 1, file.lines.length); ++n) empty(n);
  });
  return out;
}
