// The sheet of paper: two pages for the printer, whatever view is shown. The first has the run, the second its lines and
// warps.
import { chip, resourceBars, slotBar } from './bars';
import { comparedSlots, comparedTiles } from './comparison';
import { movedLines } from './comparison_lines';
import { nameOf, type Kernel, type Trace } from './data';
import { h, percent, whole } from './dom';
import { hotLines } from './hot_lines';
import { faults, findings, tiles } from './overview';
import type { Span } from './timeline';
import { kLeastCycles, TimelineView } from './timeline_view';
import type { Context } from './view';
import { shares } from './warps';

/// CSS pixels of a page's width, of A4 and of Letter.
const kWidth = 690;
const kRows = 24;
const kLines = 8;

/// The warps of a trace, at most so many rows, as a picture.
function picture(context: Context, trace: Trace, kernels: Kernel[], grid: number[] | undefined, span: Span, most: number): HTMLElement {
  const { report } = context;
  const slots = [...new Set(trace.warps.map((w) => w.slot))].sort((a, b) => a - b);
  const kept = new Set(slots.slice(0, most));
  const part: Trace = { ...trace, warps: trace.warps.filter((w) => kept.has(w.slot)) };
  const lane = new TimelineView({ report, trace: part, kernel: kernels.find((k) => k.kernel === trace.kernel), grid, cycles: trace.cycles, selected: () => undefined, moved: () => undefined });
  lane.span = span;
  lane.resize(kWidth, 2);
  return h(
    'div',
    { class: 'picture-of-warps' },
    h('p', {}, `Warps of SM ${trace.sm}, launch ${trace.launch}: ${nameOf(report, trace.kernel)}, ${whole(trace.cycles)} cycles${kept.size < slots.length ? `; ${kept.size} of ${slots.length} rows` : ''}.`),
    lane.timeline.canvas,
    h('ul', { class: 'legend' }, ...shares(lane.rows).filter((s) => s.share >= 0.001).map(({ state, share }) => h('li', {}, chip(report, trace.states[state]!.key), `${trace.states[state]!.key} ${percent(share)}`))),
  );
}

export function sheet(context: Context): { element: HTMLElement; draw: () => void } {
  const { report } = context;
  const element = h('section', { class: 'sheet', 'aria-hidden': 'true' });
  const single = (): [Node[], Node[]] => {
    const launch = report.statistics.launches[context.launch()]!;
    const { trace } = report;
    return [
      [
        tiles(report, launch),
        ...((report.faults ?? []).length > 0 ? [faults(context, report.faults!, 3)] : []),
        ...((report.findings ?? []).length > 0 ? [findings(context, report.findings!, 3)] : []),
        h('h2', {}, 'Limits and what is reached'),
        resourceBars(report, launch, 9),
        h('h2', {}, 'Issue slots'),
        slotBar(report, launch),
        ...report.notes.slice(0, 3).map((note) => h('p', { class: 'note' }, note)),
      ],
      [
        ...[hotLines(context, launch.kernel, kLines)].filter((x) => x !== null),
        ...(trace ? [h('h2', {}, 'Warps'), picture(context, trace, report.kernels, report.statistics.launches[trace.launch]?.grid, { from: trace.from, to: Math.max(trace.to, trace.from + kLeastCycles) }, kRows)] : []),
      ],
    ];
  };
  const compared = (data: NonNullable<typeof report.comparison>): [Node[], Node[]] => {
    const part = data.launches[context.launch()] ?? data.total;
    const [before, after] = [data.a.trace, report.trace];
    const span = { from: 0, to: Math.max(before?.to ?? 0, after?.to ?? 0, kLeastCycles) };
    return [
      [
        h('p', {}, `Before: ${data.a.file} on ${data.a.machine}. After: ${data.b.file} on ${data.b.machine}.`),
        comparedTiles(part),
        h('h2', {}, 'Issue slots'),
        comparedSlots(report, part, false),
        ...(data.kernels[0] ? [h('h2', {}, 'What moved, by line and reason'), movedLines(context, data.kernels[0], 12).element] : []),
      ],
      before && after
        ? [
            h('h2', {}, 'Warps before'),
            picture(context, before, data.a.kernels ?? [], data.a.statistics.launches[before.launch]?.grid, span, 16),
            h('h2', {}, 'Warps after'),
            picture(context, after, report.kernels, report.statistics.launches[after.launch]?.grid, span, 16),
          ]
        : [resourceBars(report, report.statistics.launches[context.launch()]!, 9)],
    ];
  };
  const draw = () => {
    const { statistics: s } = report;
    // What is drawn now is for paper, whatever the theme of the screen.
    document.documentElement.classList.add('paper');
    const [first, second] = report.comparison ? compared(report.comparison) : single();
    document.documentElement.classList.remove('paper');
    const head = (page: number) => h('p', { class: 'running-head' }, h('b', {}, s.target), ` on ${s.machine.name} (${s.machine.hash}), warptime ${s.program?.version ?? ''}`, h('span', {}, `${page} of 2`));
    element.replaceChildren(h('div', { class: 'page' }, head(1), ...first), h('div', { class: 'page' }, head(2), ...second));
  };
  return { element, draw };
}
