// What is recorded of a trace beside the states: requests on their way, and SIMT stacks, by warp and cycle.
import type { Requests, Stacks, Trace } from './data';

export interface RequestAt {
  pc: number;
  begin: number;
  /// Transactions that are answered at some time, and those answered by now.
  all: number;
  arrived: number;
  addresses: number[];
  bytes: number[];
}

export interface StackEntry {
  pc: number;
  reconvergence: number;
  lanes: number;
}

/// Indices of the items of each warp, in order of time.
function byWarp(numbers: number[]): Map<number, number[]> {
  const out = new Map<number, number[]>();
  numbers.forEach((warp, i) => {
    const list = out.get(warp);
    if (list) list.push(i);
    else out.set(warp, [i]);
  });
  return out;
}

/// How many of the items, which are in order of `key`, are at or before `value`.
function countUpTo(list: number[], key: (item: number) => number, value: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (key(list[middle]!) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/// A request is looked for among so many before an instant.
const kMostOutstanding = 500;

export class UnderWay {
  private readonly requests: Requests | undefined;
  private readonly stacks: Stacks | undefined;
  private readonly requestsOf: Map<number, number[]>;
  private readonly stacksOf: Map<number, number[]>;
  private readonly first: number[] = [];

  constructor(readonly trace: Trace) {
    this.requests = trace.requests;
    this.stacks = trace.stacks;
    this.requestsOf = byWarp(this.requests?.warp ?? []);
    this.stacksOf = byWarp(this.stacks?.warp ?? []);
    let next = 0;
    for (const count of this.requests?.count ?? []) {
      this.first.push(next);
      next += count;
    }
  }

  get hasRequests(): boolean {
    return this.requests !== undefined;
  }
  get hasStacks(): boolean {
    return this.stacks !== undefined;
  }
  /// The cycle from which on they are left out.
  get requestsEnd(): number | null {
    return this.requests?.end ?? null;
  }

  /// The warp's requests of which an answer is still to come.
  at(warp: number | undefined, cycle: number): RequestAt[] {
    const all = this.requests;
    const list = warp === undefined ? undefined : this.requestsOf.get(warp);
    if (!all || !list) return [];
    const end = countUpTo(list, (i) => all.begin[i]!, cycle);
    const out: RequestAt[] = [];
    for (const i of list.slice(Math.max(end - kMostOutstanding, 0), end)) {
      const answers = all.answers[i]!;
      const since = cycle - all.begin[i]!;
      const arrived = answers.filter((after) => after <= since).length;
      if (arrived === answers.length) continue;
      const from = this.first[i]!;
      out.push({
        pc: all.pc[i]!,
        begin: all.begin[i]!,
        all: answers.length,
        arrived,
        addresses: all.address.slice(from, from + all.count[i]!),
        bytes: all.bytes.slice(from, from + all.count[i]!),
      });
    }
    return out;
  }

  /// The entries below the top one, the highest first, and where the top one reconverges. null: not recorded.
  stackAt(warp: number | undefined, cycle: number): { reconvergence: number; below: StackEntry[] } | null {
    const all = this.stacks;
    if (!all || warp === undefined || (all.end !== null && cycle >= all.end)) return null;
    const list = this.stacksOf.get(warp) ?? [];
    const index = countUpTo(list, (i) => all.cycle[i]!, cycle) - 1;
    if (index < 0) return { reconvergence: -1, below: [] };
    const i = list[index]!;
    const numbers = all.entries[i]!;
    const below: StackEntry[] = [];
    for (let n = numbers.length - 3; n >= 0; n -= 3) below.push({ pc: numbers[n]!, reconvergence: numbers[n + 1]!, lanes: numbers[n + 2]! });
    return { reconvergence: all.reconvergence[i]!, below };
  }
}
