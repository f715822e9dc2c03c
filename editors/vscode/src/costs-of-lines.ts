// What `warptime annotate --json` says of each line, added up by files: of the CUDA source and of the PTX.
import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';

export interface Cost {
  share: number; // of the time of all kernels: issue slots in which it issued, or that passed while it could not
  issued: number; // of them, in which it issued
  reasons: [string, number][]; // shares of the others, the largest first
  executions: number; // warp instructions
  lanes: number; // on average
  transactions: number; // per access to memory; 0: it has none
  conflicts: number; // passes beyond the first because of bank conflicts, per access
}

interface Row {
  line: number;
  source_file?: string;
  source_line?: number;
  issued: number;
  stalls: Record<string, number> | null;
  warp_instructions: number;
  thread_instructions: number;
  memory: { accesses: number; transactions: number; conflict_passes: number };
}
export interface Annotation {
  kernels: { kernel: string; file?: string; issue: { slots: number; stalls: Record<string, number> | null } | null; lines: Row[] }[];
}

/// A file that PTX names, as warptime itself finds it: below a folder above the PTX, else below `cwd`, else beside the PTX.
export function findSource(name: string, ptx: string, cwd: string): string {
  if (isAbsolute(name)) return name;
  for (let folder = dirname(ptx); ; folder = dirname(folder)) {
    if (existsSync(join(folder, name))) return join(folder, name);
    if (folder === dirname(folder)) break;
  }
  const beside = join(dirname(ptx), name.split('/').at(-1)!);
  return !existsSync(resolve(cwd, name)) && existsSync(beside) ? beside : resolve(cwd, name);
}

class Sum {
  issued = 0;
  executions = 0;
  threads = 0;
  accesses = 0;
  transactions = 0;
  conflicts = 0;
  stalls = new Map<string, number>();

  add(row: Row) {
    this.issued += row.issued;
    this.executions += row.warp_instructions;
    this.threads += row.thread_instructions;
    this.accesses += row.memory.accesses;
    this.transactions += row.memory.transactions;
    this.conflicts += row.memory.conflict_passes;
    for (const [reason, slots] of Object.entries(row.stalls ?? {})) this.stalls.set(reason, (this.stalls.get(reason) ?? 0) + slots);
  }

  cost(slots: number): Cost {
    const reasons = [...this.stalls].filter(([, n]) => n > 0).sort((a, b) => b[1] - a[1]);
    const stalled = reasons.reduce((all, [, n]) => all + n, 0);
    return {
      share: (this.issued + stalled) / slots,
      issued: this.issued / slots,
      reasons: reasons.map(([reason, n]) => [reason, n / slots]),
      executions: this.executions,
      lanes: this.executions === 0 ? 0 : this.threads / this.executions,
      transactions: this.accesses === 0 ? 0 : this.transactions / this.accesses,
      conflicts: this.accesses === 0 ? 0 : this.conflicts / this.accesses,
    };
  }
}

/// Costs by absolute file and line. Shares are of the slots in which a block was there to be executed.
export function costsOf(annotation: Annotation, cwd: string): Map<string, Map<number, Cost>> {
  const sums = new Map<string, Map<number, Sum>>();
  const add = (file: string, line: number, row: Row) => {
    const lines = sums.get(file) ?? new Map<number, Sum>();
    sums.set(file, lines);
    const sum = lines.get(line) ?? new Sum();
    lines.set(line, sum);
    sum.add(row);
  };
  let slots = 0;
  for (const kernel of annotation.kernels) {
    slots += (kernel.issue?.slots ?? 0) - (kernel.issue?.stalls?.drained ?? 0);
    const ptx = kernel.file === undefined ? undefined : resolve(cwd, kernel.file);
    for (const row of kernel.lines) {
      if (ptx !== undefined && row.line > 0) add(ptx, row.line, row);
      if (row.source_file && row.source_line) add(findSource(row.source_file, ptx ?? join(cwd, 'x'), cwd), row.source_line, row);
    }
  }
  const costs = new Map<string, Map<number, Cost>>();
  for (const [file, lines] of sums) costs.set(file, new Map([...lines].map(([line, sum]) => [line, sum.cost(Math.max(slots, 1))])));
  return costs;
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

/// "12.3 % of the time: issues 4.1 %, global_dependency 8.0 %".
export function shortText(cost: Cost): string {
  const parts = [`issues ${percent(cost.issued)}`, ...cost.reasons.slice(0, 2).filter(([, share]) => share >= 0.0005).map(([reason, share]) => `${reason} ${percent(share)}`)];
  return `${percent(cost.share)} of the time: ${parts.join(', ')}`;
}

/// Markdown, for a hover.
export function longText(cost: Cost): string {
  const rows = [['issues', percent(cost.issued)], ...cost.reasons.map(([reason, share]) => [reason, percent(share)])];
  const facts = [`executed by ${cost.executions.toLocaleString('en')} warps`, `${cost.lanes.toFixed(1)} of 32 lanes`];
  if (cost.transactions > 0) facts.push(`${cost.transactions.toFixed(1)} transactions per access`);
  if (cost.conflicts > 0) facts.push(`${cost.conflicts.toFixed(1)} extra passes per access because of bank conflicts`);
  return `**${percent(cost.share)} of the time** (${facts.join(', ')})\n\n| | |\n|---|---:|\n${rows.map(([a, b]) => `| ${a} | ${b} |`).join('\n')}`;
}

/// 0 to 3: how hot a line is, by the thresholds of `warptime annotate` on a terminal, and one below.
export function heat(cost: Cost): number {
  return cost.share >= 0.1 ? 3 : cost.share >= 0.02 ? 2 : cost.share >= 0.005 ? 1 : 0;
}
