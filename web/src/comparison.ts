// Two runs side by side: their times, what limits them, the use of their issue slots, what moved by line and reason, and
// their warps.
import { chip, stack, twoBars, type Part } from './bars';
import { movedLines } from './comparison_lines';
import { comparedWarps } from './comparison_warps';
import { nameOf, type ComparedSide, type Comparison, type Moved, type MovedPart, type Report } from './data';
import { choice, h, microseconds, percent, real, signedPercent, whole } from './dom';
import type { Context, Moment, View } from './view';

const sum = (list: number[]): number => list.reduce((a, b) => a + b, 0);
const change = (moved: Moved): string => (moved.change === null ? '' : signedPercent(moved.change));

export function comparedTiles(part: MovedPart): HTMLElement {
  const text = (moved: Moved, value: number | null) =>
    value === null ? 'none' : moved.name === 'time_us' ? microseconds(value) : real(value);
  const names: Record<string, string> = { time_us: 'time', cycles: 'cycles', gflops: 'GFLOP/s' };
  return h(
    'dl',
    { class: 'tiles' },
    ...part.time.map((moved) =>
      h(
        'div',
        { class: 'tile' },
        h('dt', {}, names[moved.name] ?? moved.name),
        h('dd', {}, `${text(moved, moved.a)} → ${text(moved, moved.b)}`, h('small', {}, change(moved))),
      ),
    ),
  );
}

/// What can be reached, and the busiest unit of each resource.
function limits(report: Report, data: Comparison, part: MovedPart): HTMLElement {
  const used = part.resources.filter((moved) => (moved.a ?? 0) > 0 || (moved.b ?? 0) > 0);
  const rows = used.map((moved) => {
    const info = report.resources.find((r) => r.key === moved.name);
    return h(
      'tr',
      { title: info?.what ?? '' },
      h('th', { scope: 'row' }, info?.words ?? moved.name),
      h('td', { class: 'bar two' }, ...twoBars(moved.a ?? 0, moved.b ?? 0)),
      h('td', { class: 'number' }, moved.a === null ? '' : percent(moved.a)),
      h('td', { class: 'number' }, moved.b === null ? '' : percent(moved.b)),
      h('td', { class: 'number' }, moved.difference === 0 ? '' : `${moved.difference > 0 ? '+' : '−'}${(Math.abs(moved.difference) * 100).toFixed(1)}`),
    );
  });
  const peaks = (side: ComparedSide) =>
    side.roofline ? `${real(side.roofline.peak_gflops)} GFLOP/s, ${real(side.roofline.peak_gb_s)} GB/s` : 'not known';
  const occupancy = part.occupancy;
  return h(
    'div',
    {},
    h(
      'table',
      { class: 'bars' },
      h('caption', {}, 'Share of the time that the busiest unit of each resource is busy: before above, after below. Largest change first.'),
      h('thead', {}, h('tr', {}, ...['resource', '', 'before', 'after', 'points'].map((text) => h('th', {}, text)))),
      h('tbody', {}, ...rows),
    ),
    h('p', {}, `Peaks of the machines: before ${peaks(data.a)}; after ${peaks(data.b)}.`),
    occupancy &&
      h(
        'p',
        {},
        `Occupancy: ${occupancy.a.warps_per_sm} → ${occupancy.b.warps_per_sm} warps per SM, limited by ${occupancy.a.limiter} → ${occupancy.b.limiter}; ` +
          `${occupancy.a.registers_per_thread} → ${occupancy.b.registers_per_thread} registers per thread, ` +
          `${whole(Number(occupancy.a.shared_bytes_per_block))} → ${whole(Number(occupancy.b.shared_bytes_per_block))} shared bytes per block.`,
      ),
  );
}

/// Two bars, as long as the runs took, and a table.
export function comparedSlots(report: Report, part: MovedPart, table = true): HTMLElement {
  const total = (side: 'a' | 'b') => sum(part.issue.map((m) => m[side] ?? 0));
  const longest = Math.max(total('a'), total('b'), 1);
  const key = (name: string) => (name === 'issued' ? 'issue' : name);
  const order = [...part.issue].sort((x, y) => (y.b ?? 0) + (y.a ?? 0) - (x.b ?? 0) - (x.a ?? 0));
  const parts = (side: 'a' | 'b'): Part[] => order.map((m) => ({ key: key(m.name), name: m.name, what: report.stalls.find((s) => s.key === m.name)?.what ?? 'an instruction issued', share: (m[side] ?? 0) / Math.max(total(side), 1) }));
  const one = (side: 'a' | 'b', name: string) => h('div', { class: 'compared' }, h('span', {}, name), stack(report, parts(side), 26, total(side) / longest));
  const sign = (n: number) => (n > 0 ? '+' : n < 0 ? '−' : '');
  const moved = part.issue.filter((m) => (m.a ?? 0) !== 0 || (m.b ?? 0) !== 0);
  const cell = (name: string, text: string) => h('td', { class: 'number', 'data-name': name }, text);
  return h(
    'div',
    {},
    one('a', 'before'),
    one('b', 'after'),
    !table && h('ul', { class: 'legend' }, ...order.filter((m) => m.share_a > 0.0005 || m.share_b > 0.0005).map((m) => h('li', {}, chip(report, key(m.name)), `${m.name} ${percent(m.share_a)} → ${percent(m.share_b)}`))),
    table &&
      h(
        'table',
        { class: 'grid cards narrow' },
        h('caption', {}, 'Issue slots of all SMs, in cycles: largest change first'),
        h('thead', {}, h('tr', {}, ...['', 'before', 'after', 'moved', 'share before', 'share after'].map((text) => h('th', { scope: 'col', class: 'number' }, text)))),
        h(
          'tbody',
          {},
          ...moved.map((m) =>
            h(
              'tr',
              {},
              h('th', { scope: 'row' }, chip(report, key(m.name)), m.name),
              cell('before', whole(m.a ?? 0)),
              cell('after', whole(m.b ?? 0)),
              cell('moved', `${sign(m.difference)}${whole(Math.abs(m.difference))}`),
              cell('share before', percent(m.share_a)),
              cell('share after', percent(m.share_b)),
            ),
          ),
        ),
      ),
  );
}

export function comparison(context: Context, data: Comparison): View {
  const { report } = context;
  const element = h('section', { class: 'view comparison' });
  let kernel = 0;
  let lines: ReturnType<typeof movedLines> | null = null;
  const lanes = comparedWarps(context, data);
  const what = (side: ComparedSide) => `${side.file}${side.file === side.target ? '' : ` (${side.target})`} on ${side.machine}`;
  const paint = () => {
    const part = data.launches[context.launch()] ?? data.total;
    lines = data.kernels.length > 0 ? movedLines(context, data.kernels[kernel]!) : null;
    element.replaceChildren(
      h('p', {}, `Before: ${what(data.a)}. After: ${what(data.b)}.`),
      ...report.notes.map((note) => h('p', { class: 'note' }, note)),
      comparedTiles(part),
      h('h2', {}, 'Issue slots'),
      comparedSlots(report, part),
      ...(lines
        ? [
            h('h2', {}, 'What moved, by line and reason'),
            ...(data.kernels.length > 1 ? [choice('Kernel', data.kernels.map((k) => nameOf(report, k.b)), kernel, (i) => ((kernel = i), paint(), context.moved()))] : []),
            lines.element,
          ]
        : []),
      ...(lanes ? [h('h2', {}, 'Warps of both runs'), lanes.element] : []),
      h('h2', {}, 'Limits side by side'),
      limits(report, data, part),
    );
    lanes?.draw();
  };
  const moment = (): Moment => ({ ...(kernel > 0 ? { kernel: data.kernels[kernel]!.b } : {}), ...lines?.moment(), ...lanes?.moment() });
  return {
    id: 'comparison',
    name: 'Comparison',
    element,
    draw: paint,
    moment,
    show: (to) => {
      const index = data.kernels.findIndex((k) => k.b === to.kernel);
      if (index >= 0 && index !== kernel) {
        kernel = index;
        paint();
      }
      lines?.show(to);
      lanes?.show(to);
    },
  };
}
