// What a warp waits for at a cycle, and who holds it: the instruction whose result is missing, the warps that have not
// arrived, the instruction in the pipe.
import type { Kernel, Trace } from './data';
import type { InstantView } from './instant';
import { whole } from './dom';
import { at, stateAt, warpName, type SlotRow, type WarpStates } from './trace_table';
import type { UnderWay } from './under_way';

/// Issues of the warp that are searched for the one that writes a register.
const kMostIssues = 2000;

const lineOf = (kernel: Kernel | undefined, pc: number): string => {
  const row = kernel?.rows[pc];
  return row ? `${row.source ?? `PTX line ${row.line}`} (${row.text})` : `instruction ${pc}`;
};

/// The issue before state `index` that wrote a register of the instruction, for each such register.
function producers(kernel: Kernel, states: WarpStates, index: number): { register: string; pc: number; cycle: number }[] {
  const row = kernel.rows[states.pc[index]!];
  const missing = new Set([...(row?.reads ?? []), ...(row?.writes ?? [])]);
  const out: { register: string; pc: number; cycle: number }[] = [];
  let issues = 0;
  for (let i = index - 1; i >= 0 && missing.size > 0 && issues < kMostIssues; --i) {
    if (states.state[i] !== 0) continue;
    ++issues;
    for (const register of kernel.rows[states.pc[i]!]?.writes ?? [])
      if (missing.delete(register)) out.push({ register, pc: states.pc[i]!, cycle: states.begin[i]! });
  }
  return out;
}

const isMemory = (text: string): boolean => /^(@!?\S+\s+)?(ld|ldu|atom|tex|tld4)\b/.test(text);

function forRegister(kernel: Kernel | undefined, states: WarpStates, index: number, key: string, way: UnderWay, cycle: number): string {
  if (!kernel) return '';
  const found = producers(kernel, states, index);
  const wanted = key === 'alu_dependency' ? found.filter((p) => !isMemory(kernel.rows[p.pc]!.text)) : found.filter((p) => isMemory(kernel.rows[p.pc]!.text));
  const requests = way.at(states.warp.number, cycle);
  const outstanding = wanted.find((p) => requests.some((r) => r.pc === p.pc));
  const one = outstanding ?? wanted[0] ?? found[0];
  if (!one) return kernel.rows[states.pc[index]!]?.text.startsWith('exit') ? 'All loads of the warp must have arrived before it ends.' : '';
  const request = requests.find((r) => r.pc === one.pc);
  const arrived = request ? ` ${request.arrived} of its ${request.all} transactions have arrived.` : '';
  return `The value of ${one.register} is missing, which ${lineOf(kernel, one.pc)} computes, issued at cycle ${whole(one.cycle)}.${arrived}`;
}

function forBarrier(trace: Trace, rows: SlotRow[], states: WarpStates, cycle: number): string {
  const block = states.warp.block.join();
  const others: number[] = [];
  for (const row of rows) {
    const here = at(row, cycle);
    if (!here || here.states === states || here.states.warp.block.join() !== block) continue;
    if (trace.states[here.states.state[here.index]!]?.key !== 'barrier') others.push(here.states.warp.index);
  }
  others.sort((a, b) => a - b);
  return others.length === 0 ? 'All warps of the block have arrived.' : `Not there yet: warp${others.length === 1 ? '' : 's'} ${others.join(', ')} of its block.`;
}

/// Of all warps, the last issue at or before the cycle that `fits`.
function lastIssue(rows: SlotRow[], cycle: number, fits: (pc: number) => boolean): { states: WarpStates; pc: number; cycle: number } | null {
  let best: { states: WarpStates; pc: number; cycle: number } | null = null;
  for (const row of rows) {
    const here = at(row, cycle);
    if (!here) continue;
    const { states } = here;
    for (let i = stateAt(states, cycle), n = 0; i >= 0 && n < 200; --i) {
      if (states.state[i] !== 0) continue;
      ++n;
      if (best && states.begin[i]! <= best.cycle) break;
      if (!fits(states.pc[i]!)) continue;
      best = { states, pc: states.pc[i]!, cycle: states.begin[i]! };
      break;
    }
  }
  return best;
}

/// A sentence or two; empty: nothing more is known than the state.
export function holderText(view: InstantView, states: WarpStates, index: number, cycle: number): string {
  const { trace, kernel, rows, way, grid } = view;
  const key = trace.states[states.state[index]!]?.key ?? '';
  switch (key) {
    case 'alu_dependency':
    case 'shared_dependency':
    case 'constant_dependency':
    case 'texture_dependency':
    case 'global_dependency':
      return forRegister(kernel, states, index, key, way, cycle);
    case 'barrier':
      return forBarrier(trace, rows, states, cycle);
    case 'fence':
      return `${way.at(states.warp.number, cycle).length} stores of the warp are not acknowledged.`;
    case 'instruction_fetch':
      return `It comes from the instruction caches: ${lineOf(kernel, states.pc[index]!)}.`;
    case 'not_selected': {
      const one = lastIssue(rows, cycle, () => true);
      return one ? `The scheduler chose ${warpName(one.states.warp, grid)} instead: ${lineOf(kernel, one.pc)}, issued at cycle ${whole(one.cycle)}.` : '';
    }
    case 'memory_queue_full': {
      const held = rows
        .map((row) => ({ here: at(row, cycle) }))
        .map(({ here }) => ({ here, n: here ? way.at(here.states.warp.number, cycle).reduce((sum, r) => sum + r.all - r.arrived, 0) : 0 }))
        .filter(({ n }) => n > 0)
        .sort((a, b) => b.n - a.n);
      const all = held.reduce((sum, { n }) => sum + n, 0);
      return all === 0 ? '' : `${whole(all)} transactions of the SM are on their way, most of them of ${warpName(held[0]!.here!.states.warp, grid)} (${held[0]!.n}).`;
    }
    default: {
      const unit = key === 'memory_port_busy' ? 'memory' : key.endsWith('_busy') ? key.slice(0, -'_busy'.length) : '';
      if (unit === '' || !trace.units) return '';
      const one = lastIssue(rows, cycle, (pc) => trace.units![pc] === unit);
      return one ? `It is held by ${warpName(one.states.warp, grid)}: ${lineOf(kernel, one.pc)}, issued at cycle ${whole(one.cycle)}.` : '';
    }
  }
}
