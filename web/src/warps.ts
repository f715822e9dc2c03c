// The warps of one SM over time: zoom, pan, what each warp does at an instant, and one warp instruction by instruction.
import { chip } from './bars';
import { nameOf, type Trace } from './data';
import { choice, h, percent, real, whole } from './dom';
import { instantTable } from './instant';
import { numberIn } from './moment';
import { kRates, Player } from './player';
import { kLeastCycles, TimelineView } from './timeline_view';
import { at, nextIssue, stateAt, type SlotRow } from './trace_table';
import { UnderWay } from './under_way';
import type { Context, Moment, View } from './view';

const kHelp =
  'Drag to zoom to what is between, drag the strip above or use ← → to pan, + − or Ctrl and the wheel to zoom, 0 for the ' +
  'whole launch, click or ↑ ↓ to select a warp, N and P for its next and previous instruction, Space to play from there, ' +
  'Enter to open the line in the source.';

/// Share of the recorded time of all warps by state, largest first.
export function shares(rows: SlotRow[]): { state: number; share: number }[] {
  const cycles = new Map<number, number>();
  let all = 0;
  for (const { warps } of rows)
    for (const { state, begin } of warps)
      state.forEach((what, i) => {
        const length = begin[i + 1]! - begin[i]!;
        cycles.set(what, (cycles.get(what) ?? 0) + length);
        all += length;
      });
  return [...cycles]
    .filter(([state]) => state >= 0)
    .map(([state, n]) => ({ state, share: n / Math.max(all, 1) }))
    .sort((a, b) => b.share - a.share);
}

/// Where a warp is longest at one of the instructions.
function longestAt(rows: SlotRow[], pcs: Set<number>): { row: number; cycle: number; length: number } | null {
  let best: { row: number; cycle: number; length: number } | null = null;
  rows.forEach(({ warps }, row) => {
    for (const { begin, pc, state } of warps)
      pc.forEach((at_, i) => {
        const length = begin[i + 1]! - begin[i]!;
        if (state[i]! >= 0 && pcs.has(at_) && length > (best?.length ?? 0)) best = { row, cycle: begin[i]!, length };
      });
  });
  return best;
}

export function warps(context: Context, trace: Trace): View {
  const { report } = context;
  const kernel = report.kernels.find((k) => k.kernel === trace.kernel);
  const launch = report.statistics.launches[trace.launch];
  const grid = launch?.grid;
  const perCycle = launch && launch.cycles > 0 ? launch.time_us / launch.cycles : 0;
  const detail = h('div', { class: 'instant', 'aria-live': 'polite' });
  const range = h('p', { class: 'quiet', role: 'status' });
  const words = () => {
    const { from, to } = lane.span;
    range.textContent = `cycles ${whole(from)} to ${whole(to)}` + (perCycle > 0 ? `: ${real((to - from) * perCycle, 3)} µs, from ${real(from * perCycle, 3)} µs on` : '');
  };
  const lane: TimelineView = new TimelineView({
    report,
    trace,
    kernel,
    grid,
    cycles: trace.cycles,
    selected: (row, cycle) => select(row, cycle),
    moved: () => (words(), context.moved()),
  });
  const { rows } = lane;
  const { canvas } = lane.timeline;
  const instant = { trace, kernel, rows, way: new UnderWay(trace), memory: report.memory, grid };
  const last = Math.max(trace.to, trace.from + kLeastCycles) - 1;

  const select = (row: number, cycle: number) => {
    const selected = { row: Math.min(Math.max(row, 0), rows.length - 1), cycle: Math.min(Math.max(Math.floor(cycle), trace.from), last) };
    lane.selected = selected;
    const { from, to } = lane.span;
    if (selected.cycle < from || selected.cycle >= to) lane.show(selected.cycle - (to - from) / 2, to - from);
    detail.replaceChildren(instantTable(instant, selected, { choose: (r) => select(r, selected.cycle), step, open }));
    lane.later();
    context.moved();
  };
  const step = (by: 1 | -1) => {
    const { selected } = lane;
    if (!selected) return select(0, lane.span.from);
    const here = at(rows[selected.row]!, selected.cycle);
    const index = here ? nextIssue(here.states, here.index, by) : -1;
    if (here && index >= 0) select(selected.row, here.states.begin[index]!);
  };
  const open = (row: number) => kernel && context.showRow({ kernel, row });
  const openSelected = () => {
    const here = lane.selected && at(rows[lane.selected.row]!, lane.selected.cycle);
    if (here) open(here.states.pc[here.index]!);
  };

  const player = new Player(
    (cycle) => {
      // The window follows before the instant leaves it.
      if (cycle > lane.span.from + 0.9 * (lane.span.to - lane.span.from)) lane.pan(0.6);
      select(lane.selected?.row ?? 0, cycle);
      return cycle < last;
    },
    (playing) => {
      play.textContent = playing ? 'stop' : 'play';
      play.setAttribute('aria-pressed', String(playing));
      detail.setAttribute('aria-live', playing ? 'off' : 'polite'); // hundreds of instants are not for reading aloud
    },
  );
  const togglePlay = () => {
    if (player.playing) return player.stop();
    const cycle = lane.selected?.cycle ?? Math.floor(lane.span.from);
    player.start(cycle >= last ? trace.from : cycle);
  };

  const keys: Record<string, () => void> = {
    ArrowLeft: () => lane.pan(-0.2),
    ArrowRight: () => lane.pan(0.2),
    '+': () => lane.zoom(0.5),
    '=': () => lane.zoom(0.5),
    '-': () => lane.zoom(2),
    '0': () => lane.everything(),
    Home: () => lane.show(lane.all.from, lane.span.to - lane.span.from),
    End: () => lane.show(lane.all.to, lane.span.to - lane.span.from),
    ArrowUp: () => select((lane.selected?.row ?? 1) - 1, lane.selected?.cycle ?? lane.span.from),
    ArrowDown: () => select((lane.selected?.row ?? -1) + 1, lane.selected?.cycle ?? lane.span.from),
    n: () => step(1),
    p: () => step(-1),
    ' ': togglePlay,
    Enter: openSelected,
  };
  canvas.tabIndex = 0;
  canvas.setAttribute('role', 'application');
  canvas.setAttribute('aria-label', `Warps of SM ${trace.sm} over time. ${kHelp}`);
  canvas.addEventListener('keydown', (event) => {
    const action = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  });

  const emphasized = h('p', { class: 'note', hidden: true });
  const emphasize = (state: number, pcs: Set<number> | null) => {
    lane.emphasis = { state, pcs };
    legend.querySelectorAll('button').forEach((b) => b.setAttribute('aria-pressed', String(Number(b.dataset.state) === state)));
    emphasized.hidden = pcs === null;
    if (pcs !== null && kernel) {
      const lines = [...new Set([...pcs].map((pc) => kernel.rows[pc]).map((r) => (r ? (r.source ?? `PTX line ${r.line}`) : '?')))];
      emphasized.replaceChildren(`Only ${lines.slice(0, 3).join(', ')} is shown. `, h('button', { click: () => (emphasize(-1, null), context.moved()) }, 'show all'));
    }
    lane.later();
  };
  const legend = h(
    'ul',
    { class: 'legend' },
    ...shares(rows).map(({ state, share }) => {
      const { key, what } = trace.states[state]!;
      return h('li', {}, h('button', { title: `${what}. Shows only this state.`, 'aria-pressed': 'false', 'data-state': state, click: () => emphasize(lane.emphasis.state === state ? -1 : state, null) }, chip(report, key), `${key} ${percent(share)}`));
    }),
  );
  const button = (name: string, title: string, action: () => void) => h('button', { title, 'aria-label': title, click: action }, name);
  const play = button('play', 'Play from the chosen cycle', togglePlay);
  play.setAttribute('aria-pressed', 'false');
  const rates = kRates.map((rate) => `${whole(rate)} cycles per second`);
  const rate = choice('Rate of play', rates, kRates.indexOf(player.rate), (index) => (player.rate = kRates[index]!));
  const element = h(
    'section',
    { class: 'view warps' },
    h('p', {}, `Warps of SM ${trace.sm}, launch ${trace.launch}: kernel ${nameOf(report, trace.kernel)}, ${whole(trace.cycles)} cycles.`),
    h('div', { class: 'choices' }, button('◀', 'Pan left', () => lane.pan(-0.5)), button('▶', 'Pan right', () => lane.pan(0.5)), button('+', 'Zoom in', keys['+']!), button('−', 'Zoom out', keys['-']!), button('all', 'Show the whole launch', keys['0']!), play, rate, range),
    legend,
    emphasized,
    lane.element,
    h('p', { class: 'quiet' }, kHelp),
    detail,
  );
  const moment = (): Moment => {
    const out: Moment = {};
    const { selected, span, emphasis } = lane;
    if (selected) {
      const here = at(rows[selected.row]!, selected.cycle);
      out.warp = here ? `${here.states.warp.block.join(',')}.${here.states.warp.index}` : `slot.${rows[selected.row]!.slot}`;
      out.cycle = String(selected.cycle);
    }
    if (span.from !== trace.from || span.to !== last + 1) {
      out.from = String(Math.round(span.from));
      out.to = String(Math.round(span.to));
    }
    if (emphasis.pcs) out.pc = [...emphasis.pcs].join(',');
    return out;
  };
  const show = (to: Moment) => {
    const pcs = to.pc === undefined ? null : new Set(to.pc.split(',').map(Number).filter(Number.isInteger));
    emphasize(-1, pcs);
    const [from, until] = [numberIn(to, 'from'), numberIn(to, 'to')];
    if (from !== null && until !== null) lane.show(from, until - from);
    const cycle = numberIn(to, 'cycle');
    if (cycle !== null) {
      const [block, index] = (to.warp ?? '').split('.');
      const fits = (row: SlotRow) => (block === 'slot' ? row.slot === Number(index) : row.warps.some((w) => w.warp.block.join(',') === block && w.warp.index === Number(index) && stateAt(w, cycle) >= 0 && cycle < w.begin[w.state.length]!));
      select(Math.max(rows.findIndex(fits), 0), cycle);
      return;
    }
    const found = pcs && longestAt(rows, pcs);
    if (!found) return;
    const around = Math.max(found.length * 4, 400);
    lane.show(found.cycle - around / 2, around);
    select(found.row, found.cycle);
  };
  words();
  return {
    id: 'warps',
    name: 'Warps',
    element,
    draw: () => lane.resize(lane.element.clientWidth || 800),
    moment,
    show,
  };
}
