// The warps of both runs, one above the other, over the same cycles: a window of one is that of the other.
import { chip } from './bars';
import { nameOf, type Comparison, type Trace } from './data';
import { h, percent, whole } from './dom';
import { numberIn } from './moment';
import { TimelineView } from './timeline_view';
import type { Context, Moment } from './view';
import { shares } from './warps';

const kHelp = 'Drag to zoom to what is between, Shift and drag to pan, double-click for everything. Both windows have the same cycles; the scale is that of the longer run.';

export interface ComparedWarps {
  element: HTMLElement;
  draw: () => void;
  moment: () => Moment;
  show: (moment: Moment) => void;
}

/// null: not both runs have a trace.
export function comparedWarps(context: Context, data: Comparison): ComparedWarps | null {
  const { report } = context;
  const [before, after] = [data.a.trace, report.trace];
  if (!before || !after) return null;
  const cycles = Math.max(before.cycles, after.cycles);
  const lanes: TimelineView[] = [];
  let selected: { run: number; row: number; cycle: number } | null = null;
  const range = h('p', { class: 'quiet', role: 'status' });
  const follow = (from: TimelineView) => {
    for (const lane of lanes) if (lane !== from) lane.show(from.span.from, from.span.to - from.span.from, false);
    range.textContent = `cycles ${whole(from.span.from)} to ${whole(from.span.to)}`;
    context.moved();
  };
  const make = (trace: Trace, run: number): TimelineView => {
    const { kernels, statistics } = run === 0 ? { kernels: data.a.kernels ?? [], statistics: data.a.statistics } : report;
    const lane: TimelineView = new TimelineView({
      report,
      trace,
      kernel: kernels.find((k) => k.kernel === trace.kernel),
      grid: statistics.launches[trace.launch]?.grid,
      cycles,
      selected: (row, cycle) => {
        selected = { run, row, cycle: Math.floor(cycle) };
        lanes.forEach((other, i) => {
          other.selected = i === run ? { row, cycle: Math.floor(cycle) } : null;
          other.later();
        });
        context.moved();
      },
      moved: () => follow(lane),
    });
    lane.span = { from: 0, to: lane.all.to };
    return lane;
  };
  lanes.push(make(before, 0), make(after, 1));
  const title = (name: string, trace: Trace, side: 'a' | 'b') => h('h3', {}, `${name}: ${nameOf(report, trace.kernel)} on ${data[side].machine}, SM ${trace.sm}, ${whole(trace.cycles)} cycles`);
  const [ofBefore, ofAfter] = lanes.map((lane) => new Map(shares(lane.rows).map(({ state, share }) => [state, share])));
  const states = [...new Set([...ofBefore!.keys(), ...ofAfter!.keys()])].sort((x, y) => (ofAfter!.get(y) ?? 0) + (ofBefore!.get(y) ?? 0) - (ofAfter!.get(x) ?? 0) - (ofBefore!.get(x) ?? 0));
  const legend = h('ul', { class: 'legend' }, ...states.map((state) => h('li', { title: after.states[state]?.what ?? '' }, chip(report, after.states[state]?.key ?? ''), `${after.states[state]?.key} ${percent(ofBefore!.get(state) ?? 0)} → ${percent(ofAfter!.get(state) ?? 0)}`)));
  const button = (name: string, text: string, action: () => void) => h('button', { title: text, 'aria-label': text, click: action }, name);
  const first = lanes[0]!;
  return {
    element: h(
      'div',
      { class: 'compared-warps' },
      h('div', { class: 'choices' }, button('◀', 'Pan left', () => first.pan(-0.5)), button('▶', 'Pan right', () => first.pan(0.5)), button('+', 'Zoom in', () => first.zoom(0.5)), button('−', 'Zoom out', () => first.zoom(2)), button('all', 'Show both launches', () => first.everything()), range),
      legend,
      title('Before', before, 'a'),
      lanes[0]!.element,
      title('After', after, 'b'),
      lanes[1]!.element,
      h('p', { class: 'quiet' }, kHelp),
    ),
    draw: () => {
      for (const lane of lanes) lane.resize(lane.element.clientWidth || 800);
      range.textContent = `cycles ${whole(first.span.from)} to ${whole(first.span.to)}`;
    },
    moment: (): Moment => {
      const out: Moment = {};
      if (first.span.from !== 0 || first.span.to !== first.all.to) Object.assign(out, { from: String(Math.round(first.span.from)), to: String(Math.round(first.span.to)) });
      if (selected) Object.assign(out, { run: selected.run === 0 ? 'before' : 'after', row: String(selected.row), cycle: String(selected.cycle) });
      return out;
    },
    show: (moment) => {
      const [from, to] = [numberIn(moment, 'from'), numberIn(moment, 'to')];
      if (from !== null && to !== null) first.show(from, to - from);
      const [row, cycle] = [numberIn(moment, 'row'), numberIn(moment, 'cycle')];
      const run = moment.run === 'before' ? 0 : 1;
      if (row === null || cycle === null || row >= lanes[run]!.rows.length) return;
      selected = { run, row, cycle };
      lanes[run]!.selected = { row, cycle };
      lanes[run]!.later();
    },
  };
}
