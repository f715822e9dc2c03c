// Copies and kernels over the time of the host, as an SVG.
import type { TimelineEvent } from './data';
import { h, microseconds, svg, whole } from './dom';

const kWidth = 1000;
const kRow = 26;
const kNames = 120;

const rowOf = (event: TimelineEvent): string =>
  event.kind === 'kernel' ? 'kernels' : event.direction === 'device_to_host' ? 'copies to host' : 'copies to device';

const what = (event: TimelineEvent): string =>
  `${event.name || event.kind}: ${microseconds(event.end_us - event.start_us)}, from ${microseconds(event.start_us)}` +
  (event.bytes > 0 ? `, ${whole(event.bytes)} bytes` : '');

export function hostTimeline(events: TimelineEvent[]): HTMLElement {
  const end = Math.max(...events.map((e) => e.end_us), 1e-9);
  const rows = ['copies to device', 'kernels', 'copies to host'].filter((r) => events.some((e) => rowOf(e) === r));
  const x = (us: number) => kNames + (us / end) * (kWidth - kNames - 10);
  const height = rows.length * kRow + 24;
  const shapes = events.map((event) =>
    svg(
      'rect',
      {
        x: x(event.start_us),
        y: rows.indexOf(rowOf(event)) * kRow + 3,
        width: Math.max(x(event.end_us) - x(event.start_us), 1),
        height: kRow - 6,
        class: event.kind,
      },
      svg('title', {}, what(event)),
    ),
  );
  const names = rows.map((name, i) => svg('text', { x: 0, y: i * kRow + 18 }, name));
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((t) =>
    svg('text', { x: x(t * end), y: height - 6, 'text-anchor': t === 1 ? 'end' : t === 0 ? 'start' : 'middle' }, microseconds(t * end)),
  );
  const list = h(
    'details',
    {},
    h('summary', {}, 'as a list'),
    h('ol', {}, ...events.slice(0, 200).map((event) => h('li', {}, what(event)))),
  );
  const drawing = svg(
    'svg',
    { viewBox: `0 0 ${kWidth} ${height}`, class: 'host-timeline', role: 'img', 'aria-label': `${events.length} copies and kernels in ${microseconds(end)}` },
    ...names,
    ...shapes,
    ...ticks,
  );
  const out = h('div', {});
  out.append(drawing, list);
  return out;
}
