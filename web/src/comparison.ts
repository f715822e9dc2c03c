// Two runs side by side: their times, what limits them, the use of their issue slots, and what moved by line and reason.
import { colourOf, inkOn } from './colours';
import type { ComparedSide, Comparison, Moved, MovedPart, MovedRow, Report, RowCost } from './data';
import { choice, h, microseconds, percent, real, signedPercent, whole } from './dom';
import type { Context, View } from './view';

const kRowsShown = 200;

const sum = (list: number[]): number => list.reduce((a, b) => a + b, 0);
const costOf = (cost: RowCost): number => cost.issued + sum(cost.stalls);
const change = (moved: Moved): string => (moved.change === null ? '' : signedPercent(moved.change));

function tiles(part: MovedPart): HTMLElement {
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
  const bar = (value: number | null, side: 'a' | 'b') =>
    h('div', { 'aria-hidden': 'true' }, h('span', { class: `fill ${side}`, style: `width:${(value ?? 0) * 100}%` }));
  const rows = part.resources.map((moved) => {
    const info = report.resources.find((r) => r.key === moved.name);
    return h(
      'tr',
      { title: info?.what ?? '' },
      h('th', { scope: 'row' }, info?.words ?? moved.name),
      h('td', { class: 'bar two' }, bar(moved.a, 'a'), bar(moved.b, 'b')),
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
function slots(report: Report, part: MovedPart): HTMLElement {
  const total = (side: 'a' | 'b') => sum(part.issue.map((m) => m[side] ?? 0));
  const longest = Math.max(total('a'), total('b'), 1);
  const colour = (name: string) => (name === 'issued' ? colourOf('issue', 0) : colourOf(name, report.stalls.findIndex((s) => s.key === name)));
  const order = [...part.issue].sort((x, y) => (y.b ?? 0) + (y.a ?? 0) - (x.b ?? 0) - (x.a ?? 0));
  const bar = (side: 'a' | 'b', name: string) =>
    h(
      'div',
      { class: 'compared' },
      h('span', {}, name),
      h(
        'div',
        { class: 'stack', style: `width:${(total(side) / longest) * 100}%`, 'aria-hidden': 'true' },
        ...order
          .filter((m) => (m[side] ?? 0) > 0)
          .map((m) => {
            const share = (m[side] ?? 0) / Math.max(total(side), 1);
            return h('span', { style: `width:${share * 100}%;background:${colour(m.name)};color:${inkOn(colour(m.name))}`, title: m.name }, share * (total(side) / longest) > m.name.length * 0.0085 ? m.name : '');
          }),
      ),
    );
  return h(
    'div',
    {},
    bar('a', 'before'),
    bar('b', 'after'),
    h(
      'table',
      { class: 'grid narrow' },
      h('caption', {}, 'Issue slots of all SMs, in cycles: largest change first'),
      h('thead', {}, h('tr', {}, ...['', 'before', 'after', 'moved', 'share before', 'share after'].map((text) => h('th', { scope: 'col', class: 'number' }, text)))),
      h(
        'tbody',
        {},
        ...part.issue
          .filter((m) => (m.a ?? 0) !== 0 || (m.b ?? 0) !== 0)
          .map((m) =>
            h(
              'tr',
              {},
              h('th', { scope: 'row' }, h('i', { class: 'chip', style: `background:${colour(m.name)}` }), m.name),
              h('td', { class: 'number' }, whole(m.a ?? 0)),
              h('td', { class: 'number' }, whole(m.b ?? 0)),
              h('td', { class: 'number' }, `${m.difference > 0 ? '+' : m.difference < 0 ? '−' : ''}${whole(Math.abs(m.difference))}`),
              h('td', { class: 'number' }, percent(m.share_a)),
              h('td', { class: 'number' }, percent(m.share_b)),
            ),
          ),
      ),
    ),
  );
}

/// Reasons with what they moved, largest first: issued, then stalls.
function reasons(report: Report, row: MovedRow): { name: string; by: number }[] {
  const out = [{ name: 'issued', by: row.b.issued - row.a.issued }];
  report.stalls.forEach((stall, i) => out.push({ name: stall.key, by: (row.b.stalls[i] ?? 0) - (row.a.stalls[i] ?? 0) }));
  return out.filter(({ by }) => by !== 0).sort((x, y) => Math.abs(y.by) - Math.abs(x.by));
}

function lines(context: Context, kernel: Comparison['kernels'][number]): HTMLElement {
  const { report } = context;
  const all = Math.max(kernel.slots_a, 1);
  const signed = (cycles: number) => `${cycles > 0 ? '+' : cycles < 0 ? '−' : ''}${percent(Math.abs(cycles) / all, 2)}`;
  const rows = [...kernel.rows].sort((x, y) => Math.abs(costOf(y.b) - costOf(y.a)) - Math.abs(costOf(x.b) - costOf(x.a)));
  const most = Math.max(...rows.map((row) => Math.abs(costOf(row.b) - costOf(row.a))), 1);
  const name = (row: MovedRow) => (row.line_a === row.line_b ? String(row.line_b || '') : `${row.line_a ?? 'none'} → ${row.line_b ?? 'none'}`);
  return h(
    'div',
    { class: 'scroll' },
    h(
      'table',
      { class: 'grid moved' },
      h('caption', {}, `${kernel.a === kernel.b ? `Kernel ${kernel.b}` : `${kernel.a} → ${kernel.b}`}: issue slots by line, in shares of all slots before. Largest change first.`),
      h('thead', {}, h('tr', {}, ...['line', 'PTX', 'before', 'after', 'moved', 'reasons'].map((text, i) => h('th', { scope: 'col', class: [0, 2, 3, 4].includes(i) ? 'number' : '' }, text)))),
      h(
        'tbody',
        {},
        ...rows.slice(0, kRowsShown).map((row) => {
          const by = costOf(row.b) - costOf(row.a);
          const open = () => row.line_b && context.showLine({ kernel: kernel.b, line: row.line_b });
          return h(
            'tr',
            {
              class: `hot ${by < 0 ? 'less' : 'more'}`,
              style: `--heat:${Math.abs(by) / most}`,
              tabindex: 0,
              'data-line': row.line_b ?? undefined,
              click: open,
              keydown: (e) => (e as KeyboardEvent).key === 'Enter' && open(),
            },
            h('td', { class: 'number' }, name(row)),
            h('td', { class: 'code' }, row.text || 'no instruction'),
            h('td', { class: 'number' }, percent(costOf(row.a) / all, 2)),
            h('td', { class: 'number' }, percent(costOf(row.b) / all, 2)),
            h('td', { class: 'number' }, signed(by)),
            h('td', {}, reasons(report, row).slice(0, 3).map((r) => `${r.name} ${signed(r.by)}`).join(', ')),
          );
        }),
      ),
    ),
  );
}

export function comparison(context: Context, data: Comparison): View {
  const { report } = context;
  const element = h('section', { class: 'view comparison' });
  let kernel = 0;
  const what = (side: ComparedSide) => `${side.file} (${side.target} on ${side.machine})`;
  const paint = () => {
    const part = data.launches[context.launch()] ?? data.total;
    element.replaceChildren(
      h('p', {}, `Before: ${what(data.a)}. After: ${what(data.b)}.`),
      ...report.notes.map((note) => h('p', { class: 'note' }, note)),
      tiles(part),
      h('h2', {}, 'Limits side by side'),
      limits(report, data, part),
      h('h2', {}, 'Issue slots'),
      slots(report, part),
      ...(data.kernels.length > 0
        ? [
            h('h2', {}, 'What moved, by line and reason'),
            ...(data.kernels.length > 1 ? [choice('Kernel', data.kernels.map((k) => k.b), kernel, (i) => ((kernel = i), paint()))] : []),
            lines(context, data.kernels[kernel]!),
          ]
        : []),
    );
  };
  return { id: 'comparison', name: 'Comparison', element, draw: paint };
}
