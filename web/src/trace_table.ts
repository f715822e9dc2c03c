// The states of the warps as typed arrays: begins by binary search, and who did what at a cycle.
import type { Trace, TracedWarp } from './data';

export interface WarpStates {
  warp: TracedWarp;
  /// Cycle at which each state begins; one more for the end of the last.
  begin: Float64Array;
  state: Int8Array;
  pc: Uint32Array;
  /// Of each state, the number of issues before it: the index into `warp.mask` and `warp.lanes`.
  issues: Uint32Array;
}

/// A place for a warp on the SM.
export interface SlotRow {
  slot: number;
  warps: WarpStates[]; // one after the other
}

/// "(3,1)": the coordinates of a block in a grid, without those of extent 1.
export function blockName(block: number[], grid: number[] | undefined): string {
  const extents = grid ?? block.map((n) => n + 1);
  const last = extents.reduce((at, extent, i) => (extent > 1 ? i : at), 0);
  return `(${block.slice(0, last + 1).join(',')})`;
}

/// "(3,1) warp 5"
export const warpName = (warp: TracedWarp, grid: number[] | undefined): string => `${blockName(warp.block, grid)} warp ${warp.index}`;

/// The warp of the row that is there at the cycle, or else the next one, or the last.
export function warpNear(row: SlotRow, cycle: number): WarpStates {
  return row.warps.find((w) => w.begin[w.state.length]! > cycle) ?? row.warps[row.warps.length - 1]!;
}

/// Of each column of `out`, whose width is `(to - from) / out.length` cycles, the state that lasts longest; -1: none.
/// `weight` has as many items and is overwritten. `only`: the state that counts, -1: all; `pcs`: the instructions that
/// count, null: all.
export function longestStates(row: SlotRow, from: number, to: number, out: Int8Array, weight: Float64Array, only: number, pcs: Set<number> | null): void {
  out.fill(-1);
  weight.fill(0);
  const perCycle = out.length / (to - from);
  for (const { begin, state, pc } of row.warps) {
    const n = state.length;
    let low = 0;
    for (let high = n; low < high; ) {
      const middle = (low + high) >> 1;
      if (begin[middle + 1]! <= from) low = middle + 1;
      else high = middle;
    }
    for (let i = low; i < n && begin[i]! < to; ++i) {
      const what = state[i]!;
      if (what < 0 || (only >= 0 && what !== only) || (pcs !== null && !pcs.has(pc[i]!))) continue;
      const first = Math.max((begin[i]! - from) * perCycle, 0);
      const end = Math.min((begin[i + 1]! - from) * perCycle, out.length);
      for (let x = Math.floor(first); x < end; ++x) {
        const share = Math.min(end, x + 1) - Math.max(first, x);
        if (share <= weight[x]!) continue;
        weight[x] = share;
        out[x] = what;
      }
    }
  }
}

function statesOf(warp: TracedWarp): WarpStates {
  const n = warp.length.length;
  const begin = new Float64Array(n + 1);
  const issues = new Uint32Array(n + 1);
  begin[0] = warp.first;
  for (let i = 0; i < n; ++i) {
    begin[i + 1] = begin[i]! + warp.length[i]!;
    issues[i + 1] = issues[i]! + (warp.state[i] === 0 ? 1 : 0);
  }
  return { warp, begin, state: Int8Array.from(warp.state), pc: Uint32Array.from(warp.pc), issues };
}

export function rowsOf(trace: Trace): SlotRow[] {
  const rows = new Map<number, SlotRow>();
  for (const warp of trace.warps) {
    const row = rows.get(warp.slot) ?? { slot: warp.slot, warps: [] };
    row.warps.push(statesOf(warp));
    rows.set(warp.slot, row);
  }
  return [...rows.values()].sort((a, b) => a.slot - b.slot);
}

/// The last state that begins at or before the cycle; -1: it begins later. A state without length gives way to the next.
export function stateAt(states: WarpStates, cycle: number): number {
  let low = 0;
  let high = states.state.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (states.begin[middle]! <= cycle) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/// The warp of the slot that is there at the cycle, and its state.
export function at(row: SlotRow, cycle: number): { states: WarpStates; index: number } | null {
  for (const states of row.warps) {
    const index = stateAt(states, cycle);
    if (index >= 0 && cycle < states.begin[states.state.length]!) return { states, index };
  }
  return null;
}

/// The mask of the warp's active lanes at a state: that of its last issue; null before the first.
export function maskAt(trace: Trace, states: WarpStates, index: number): number | null {
  const issue = states.issues[index + 1]! - 1;
  return issue < 0 ? null : trace.masks[states.warp.mask[issue]!]!;
}

/// The next or previous state in which the warp issues; -1: there is none.
export function nextIssue(states: WarpStates, index: number, step: 1 | -1): number {
  for (let i = index + step; i >= 0 && i < states.state.length; i += step) if (states.state[i] === 0) return i;
  return -1;
}
