// What each PTX line costs, from the statistics of a run (`--stats-per-instruction`).

export interface Cost {
  /** Of all issue slots of the run. */
  share: number;
  /** Its parts, in words. */
  text: string;
  reason: string;
  reasonShare: number;
}

interface Instruction {
  line: number;
  text: string;
  /** "workloads/matmul/matmul.cu:41", where the PTX names it. */
  source?: string | null;
  issued: number;
  stalls: Record<string, number> | null;
}

interface Launch {
  kernel: string;
  issue: { slots: number } | null;
  instructions?: Instruction[];
}

export interface Statistics {
  launches: Launch[];
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

/** Of PTX lines, by their number; all launches together, whose module is the same file. */
export const costsOfPtx = (statistics: Statistics, meaning: Record<string, string>): Map<number, Cost> =>
  costsOf(statistics, meaning, (instruction) => instruction.line);

/** Of the lines of a CUDA file: what its instructions cost. */
export const costsOfCuda = (statistics: Statistics, meaning: Record<string, string>, isFile: (printed: string) => boolean): Map<number, Cost> =>
  costsOf(statistics, meaning, ({ source }) => {
    const [, file, line] = /^(.*):(\d+)$/.exec(source ?? '') ?? [];
    return file !== undefined && isFile(file) ? Number(line) : 0;
  });

/** The CUDA line of a PTX line, as it is printed; null: the PTX names none. */
export function sourceOf(statistics: Statistics, line: number): string | null {
  for (const launch of statistics.launches)
    for (const one of launch.instructions ?? []) if (one.line === line && one.source) return one.source;
  return null;
}

/** By the number of the line that `lineOf` gives an instruction; 0: none. */
function costsOf(statistics: Statistics, meaning: Record<string, string>, lineOf: (instruction: Instruction) => number): Map<number, Cost> {
  let slots = 0;
  const sums = new Map<number, { issued: number; stalls: Map<string, number> }>();
  for (const launch of statistics.launches) {
    slots += launch.issue?.slots ?? 0;
    for (const instruction of launch.instructions ?? []) {
      const { issued, stalls } = instruction;
      const line = lineOf(instruction);
      if (line === 0) continue;
      const sum = sums.get(line) ?? { issued: 0, stalls: new Map<string, number>() };
      sum.issued += issued;
      for (const [reason, count] of Object.entries(stalls ?? {})) sum.stalls.set(reason, (sum.stalls.get(reason) ?? 0) + count);
      sums.set(line, sum);
    }
  }
  const out = new Map<number, Cost>();
  if (slots === 0) return out;
  for (const [line, { issued, stalls }] of sums) {
    const parts = [...stalls].filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a);
    const stalled = parts.reduce((sum, [, count]) => sum + count, 0);
    const rows = parts.slice(0, 4).map(([reason, count]) => `${percent(count / slots)} ${reason}: ${meaning[reason] ?? ''}`);
    out.set(line, {
      share: (issued + stalled) / slots,
      text: [`${percent((issued + stalled) / slots)} of the issue slots`, `${percent(issued / slots)} issues`, ...rows].join('\n'),
      reason: parts[0]?.[0] ?? '',
      reasonShare: (parts[0]?.[1] ?? 0) / slots,
    });
  }
  return out;
}

/** The line for which most slots wait. */
export function hottest(costs: Map<number, Cost>): { line: number; cost: Cost } | null {
  let best: { line: number; cost: Cost } | null = null;
  for (const [line, cost] of costs)
    if (cost.reason !== '' && (!best || cost.reasonShare > best.cost.reasonShare)) best = { line, cost };
  return best;
}
