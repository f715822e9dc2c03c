// What every warp of the SM does at one cycle, and the instruction of the selected one.
import type { Kernel, Trace } from './data';
import { h, whole } from './dom';
import { at, maskAt, nextIssue, type SlotRow } from './trace_table';

interface Actions {
  choose: (row: number) => void;
  step: (by: 1 | -1) => void;
  open: (line: number) => void;
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

function selectedWarp(trace: Trace, kernel: Kernel | undefined, row: SlotRow, cycle: number, actions: Actions): HTMLElement {
  const here = at(row, cycle);
  if (!here) return h('p', {}, `Slot ${row.slot} has no warp at cycle ${whole(cycle)}.`);
  const { states, index } = here;
  const { warp } = states;
  const state = trace.states[states.state[index]!];
  const instruction = kernel?.rows[states.pc[index]!];
  const mask = maskAt(trace, states, index);
  const next = nextIssue(states, index - 1, 1);
  const issue = states.state[index] === 0 ? states.issues[index]! : -1;
  const text = [
    `Warp ${warp.index} of block (${warp.block.join(', ')}), slot ${row.slot}, cycle ${whole(cycle)}: `,
    state ? `${state.what}, from cycle ${whole(states.begin[index]!)} to ${whole(states.begin[index + 1]!)}.` : 'not recorded.',
  ].join('');
  return h(
    'div',
    { class: 'selected-warp' },
    h('p', {}, text),
    instruction && h('p', {}, h('button', { click: () => actions.open(instruction.line) }, `line ${instruction.line}`), ' ', h('code', {}, instruction.text)),
    mask !== null && h('p', {}, 'Active lanes: ', lanes(mask), ` ${maskText(mask)}`, issue >= 0 ? `; executed by ${bits(warp.lanes[issue]!)}` : ''),
    h(
      'p',
      {},
      h('button', { click: () => actions.step(-1) }, 'Previous instruction (P)'),
      ' ',
      h('button', { click: () => actions.step(1) }, 'Next instruction (N)'),
      next > index ? ` It issues at cycle ${whole(states.begin[next]!)}.` : '',
    ),
  );
}

export function instantTable(
  trace: Trace,
  kernel: Kernel | undefined,
  rows: SlotRow[],
  selected: { row: number; cycle: number },
  actions: Actions,
): HTMLElement {
  const { cycle } = selected;
  const lines = rows.map((row, r) => {
    const here = at(row, cycle);
    const choose = h('button', { click: () => actions.choose(r) }, `slot ${row.slot}`);
    if (!here) return h('tr', {}, h('th', { scope: 'row' }, choose), h('td', { colspan: 6 }, 'no warp'));
    const { states, index } = here;
    const state = trace.states[states.state[index]!];
    const instruction = kernel?.rows[states.pc[index]!];
    const mask = maskAt(trace, states, index);
    return h(
      'tr',
      { 'aria-selected': r === selected.row ? 'true' : 'false' },
      h('th', { scope: 'row' }, choose),
      h('td', {}, `(${states.warp.block.join(', ')}) ${states.warp.index}`),
      h('td', { title: state?.what ?? '' }, state?.key ?? 'not recorded'),
      h('td', { class: 'number' }, whole(cycle - states.begin[index]!)),
      h('td', { class: 'number' }, instruction?.line ?? ''),
      h('td', { class: 'code' }, instruction?.text ?? ''),
      h('td', { class: 'number' }, mask === null ? '' : bits(mask)),
    );
  });
  const heads = ['', 'block, warp', 'state', 'cycles so far', 'line', 'instruction', 'active lanes'];
  return h(
    'div',
    {},
    selectedWarp(trace, kernel, rows[selected.row]!, cycle, actions),
    h(
      'table',
      { class: 'grid' },
      h('caption', {}, `Every warp at cycle ${whole(cycle)}`),
      h('thead', {}, h('tr', {}, ...heads.map((text) => h('th', { scope: 'col' }, text)))),
      h('tbody', {}, ...lines),
    ),
  );
}
