// What every warp of the SM does at one cycle; of the selected one its instruction, what it waits for and who holds it, its
// SIMT stack and its memory requests on their way.
import { addressText } from './addresses';
import type { Kernel, Memory, Trace } from './data';
import { h, whole } from './dom';
import { holderText } from './holder';
import { at, maskAt, nextIssue, warpName, type SlotRow, type WarpStates } from './trace_table';
import type { UnderWay } from './under_way';

interface Actions {
  choose: (row: number) => void;
  step: (by: 1 | -1) => void;
  /// A row of the kernel.
  open: (row: number) => void;
}

const bits = (mask: number): number => {
  let count = 0;
  for (let rest = mask >>> 0; rest !== 0; rest = (rest & (rest - 1)) >>> 0) ++count;
  return count;
};

const maskText = (mask: number): string => `${bits(mask)} lanes (${(mask >>> 0).toString(16).padStart(8, '0')})`;

/// The active lanes as 32 boxes, lane 0 first.
function lanes(mask: number): HTMLElement {
  const boxes = Array.from({ length: 32 }, (_, lane) => h('i', { class: (mask >>> lane) & 1 ? 'on' : '', title: `lane ${lane}` }));
  return h('span', { class: 'lanes', role: 'img', 'aria-label': maskText(mask) }, ...boxes);
}

/// The SIMT stack, the top entry first.
function stackTable(trace: Trace, kernel: Kernel | undefined, way: UnderWay, states: WarpStates, index: number, cycle: number): HTMLElement | null {
  const stack = way.stackAt(states.warp.number, cycle);
  if (!stack) return null;
  const line = (pc: number) => (pc < 0 ? 'nowhere' : `PTX line ${kernel?.rows[pc]?.line ?? '?'}`);
  const next = nextIssue(states, index - 1, 1);
  const top = maskAt(trace, states, next >= 0 ? next : index);
  const entries = [{ pc: states.pc[index]!, reconvergence: stack.reconvergence, lanes: top ?? 0 }, ...stack.below];
  return h(
    'table',
    { class: 'grid cards simt' },
    h('caption', {}, `SIMT stack: ${entries.length} entr${entries.length === 1 ? 'y' : 'ies'}`),
    h('thead', {}, h('tr', {}, ...['', 'continues at', 'lanes', '', 'reconverges at'].map((text) => h('th', { scope: 'col' }, text)))),
    h(
      'tbody',
      {},
      ...entries.map((entry, i) =>
        h(
          'tr',
          {},
          h('th', { scope: 'row' }, i === 0 ? 'top, running' : 'waits'),
          h('td', {}, line(entry.pc), ' ', h('code', {}, kernel?.rows[entry.pc]?.text ?? '')),
          h('td', {}, lanes(entry.lanes)),
          h('td', { class: 'number' }, bits(entry.lanes)),
          h('td', { 'data-name': 'reconverges at' }, line(entry.reconvergence)),
        ),
      ),
    ),
  );
}

/// The warp's transactions on their way.
function requestTable(memory: Memory | null | undefined, kernel: Kernel | undefined, way: UnderWay, states: WarpStates, cycle: number): HTMLElement | null {
  if (!way.hasRequests) return null;
  if (way.requestsEnd !== null && cycle >= way.requestsEnd) return h('p', { class: 'quiet' }, `Memory requests are recorded up to cycle ${whole(way.requestsEnd)}.`);
  const requests = way.at(states.warp.number, cycle);
  if (requests.length === 0) return h('p', { class: 'quiet' }, 'No memory request of the warp is on its way.');
  const where = (addresses: number[], bytes: number[]) => {
    const shown = addresses.slice(0, 4).map((address, i) => (bytes[i] ? `${bytes[i]} B at ${addressText(memory, address)}` : `a line at 0x${address.toString(16)}`));
    return shown.join('; ') + (addresses.length > 4 ? `; ${addresses.length - 4} more` : '');
  };
  return h(
    'table',
    { class: 'grid cards requests' },
    h('caption', {}, 'Memory requests of the warp on their way'),
    h('thead', {}, h('tr', {}, ...['PTX', 'instruction', 'since', 'answered', 'transactions'].map((text) => h('th', { scope: 'col' }, text)))),
    h(
      'tbody',
      {},
      ...requests.map((r) =>
        h(
          'tr',
          {},
          h('td', { class: 'number', 'data-name': 'PTX' }, kernel?.rows[r.pc]?.line ?? ''),
          h('td', { class: 'code' }, kernel?.rows[r.pc]?.text ?? ''),
          h('td', { class: 'number', 'data-name': 'since' }, `${whole(cycle - r.begin)} cycles`),
          h('td', { class: 'number', 'data-name': 'answered' }, `${r.arrived} of ${r.all}`),
          h('td', {}, where(r.addresses, r.bytes)),
        ),
      ),
    ),
  );
}

function selectedWarp(view: InstantView, row: SlotRow, cycle: number, actions: Actions): HTMLElement {
  const { trace, kernel, way, memory, grid } = view;
  const here = at(row, cycle);
  if (!here) return h('p', {}, `Slot ${row.slot} of the SM has no warp at cycle ${whole(cycle)}.`);
  const { states, index } = here;
  const { warp } = states;
  const state = trace.states[states.state[index]!];
  const instruction = kernel?.rows[states.pc[index]!];
  const mask = maskAt(trace, states, index);
  const next = nextIssue(states, index - 1, 1);
  const issue = states.state[index] === 0 ? states.issues[index]! : -1;
  const text = [
    `Block ${warpName(warp, grid)}, cycle ${whole(cycle)}: `,
    state ? `${state.what}, from cycle ${whole(states.begin[index]!)} to ${whole(states.begin[index + 1]!)}.` : 'not recorded.',
  ].join('');
  return h(
    'div',
    { class: 'selected-warp' },
    h('p', {}, text, ' ', holderText(view, states, index, cycle)),
    instruction && h('p', {}, h('button', { click: () => actions.open(states.pc[index]!) }, instruction.source ?? `PTX line ${instruction.line}`), ' ', h('code', {}, instruction.text)),
    mask !== null && h('p', {}, 'Active lanes: ', lanes(mask), ` ${maskText(mask)}`, issue >= 0 ? `; executed by ${bits(warp.lanes[issue]!)}` : ''),
    h(
      'p',
      {},
      h('button', { click: () => actions.step(-1) }, 'Previous instruction (P)'),
      ' ',
      h('button', { click: () => actions.step(1) }, 'Next instruction (N)'),
      next > index ? ` It issues at cycle ${whole(states.begin[next]!)}.` : '',
    ),
    h('div', { class: 'beside' }, stackTable(trace, kernel, way, states, index, cycle), requestTable(memory, kernel, way, states, cycle)),
  );
}

/// What the table is of.
export interface InstantView {
  trace: Trace;
  kernel: Kernel | undefined;
  rows: SlotRow[];
  way: UnderWay;
  memory: Memory | null | undefined;
  /// Of the launch.
  grid: number[] | undefined;
}

export function instantTable(view: InstantView, selected: { row: number; cycle: number }, actions: Actions): HTMLElement {
  const { trace, kernel, rows, grid } = view;
  const { cycle } = selected;
  const lines = rows.map((row, r) => {
    const here = at(row, cycle);
    const choose = (name: string) => h('button', { click: () => actions.choose(r) }, name);
    if (!here) return h('tr', {}, h('th', { scope: 'row' }, choose(`slot ${row.slot}`)), h('td', { colspan: 6 }, 'no warp'));
    const { states, index } = here;
    const state = trace.states[states.state[index]!];
    const instruction = kernel?.rows[states.pc[index]!];
    const mask = maskAt(trace, states, index);
    return h(
      'tr',
      { 'aria-selected': r === selected.row ? 'true' : 'false' },
      h('th', { scope: 'row' }, choose(warpName(states.warp, grid))),
      h('td', { title: state?.what ?? '' }, state?.key ?? 'not recorded'),
      h('td', { class: 'number', 'data-name': 'cycles so far' }, whole(cycle - states.begin[index]!)),
      h('td', {}, instruction?.source ?? ''),
      h('td', { class: 'number', 'data-name': 'PTX' }, instruction?.line ?? ''),
      h('td', { class: 'code' }, instruction?.text ?? ''),
      h('td', { class: 'number', 'data-name': 'active lanes' }, mask === null ? '' : bits(mask)),
    );
  });
  const heads = ['block, warp', 'state', 'cycles so far', 'CUDA', 'PTX', 'instruction', 'active lanes'];
  return h(
    'div',
    {},
    selectedWarp(view, rows[selected.row]!, cycle, actions),
    h(
      'table',
      { class: 'grid cards every-warp' },
      h('caption', {}, `Every warp at cycle ${whole(cycle)}`),
      h('thead', {}, h('tr', {}, ...heads.map((text) => h('th', { scope: 'col' }, text)))),
      h('tbody', {}, ...lines),
    ),
  );
}
