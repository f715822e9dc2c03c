// One access to global or local memory, lane by lane: which transaction each lane's address is in.
import { addressText } from './addresses';
import type { Memory, Sample } from './data';
import { h, percent, svg, whole } from './dom';
import { itemOf, laneText, lanesOf } from './lanes';

const kWidth = 1040;
const kLane = 32;
const kTop = 26;
const kSegments = 150;
const kSegment = 26;

/// The distance of neighbouring lanes, if it is the same for all.
function stride(sample: Sample): number | null {
  const lanes = lanesOf(sample.lanes);
  if (lanes.length < 2) return null;
  const per = (i: number) => (sample.addresses[i]! - sample.addresses[i - 1]!) / (lanes[i]! - lanes[i - 1]!);
  const first = per(1);
  return lanes.every((_, i) => i === 0 || per(i) === first) ? first : null;
}

/// Bytes that at least one lane uses, those that all lanes request together, and those that are moved.
function used(sample: Sample): { used: number; requested: number; moved: number } {
  const bytes = new Set<number>();
  for (const address of sample.addresses) for (let i = 0; i < sample.bytes; ++i) bytes.add(address + i);
  return { used: bytes.size, requested: sample.addresses.length * sample.bytes, moved: sample.transactions.reduce((sum, [, n]) => sum + n, 0) };
}

export function coalescingWords(sample: Sample): string {
  const count = sample.transactions.length;
  const { used: some, requested, moved } = used(sample);
  const step = stride(sample);
  const words = [`${whole(count)} transaction${count === 1 ? '' : 's'} move${count === 1 ? 's' : ''} ${whole(moved)} bytes`];
  if (sample.space === 'local') words.push('.');
  else
    words.push(
      `; the lanes request ${whole(requested)} bytes${some < requested ? `, ${whole(some)} of them different` : ''}: ${percent(Math.min(some, moved) / Math.max(moved, 1))} of the moved bytes are used.`,
    );
  if (sample.ideal !== undefined) words.push(count <= sample.ideal ? ' Fewer are not possible.' : ` ${whole(sample.ideal)} could carry them.`);
  if (step !== null) words.push(step === 0 ? ' All lanes access the same address.' : ` Neighbouring lanes are ${whole(step)} bytes apart.`);
  return words.join('');
}

export function coalescingPicture(memory: Memory, sample: Sample): SVGElement {
  const lanes = lanesOf(sample.lanes);
  const bytes = sample.transactions.reduce((sum, [, n]) => sum + n, 0);
  const gap = sample.transactions.length > 24 ? 3 : 8;
  const perByte = (kWidth - 16 - gap * (sample.transactions.length - 1)) / Math.max(bytes, 1);
  const laneX = (lane: number) => 8 + (lane + 0.5) * kLane;
  const shapes: SVGElement[] = [];
  const labels: SVGElement[] = [];
  let x = 8;
  const last = sample.transactions.length - 1;
  sample.transactions.forEach(([address, size, mask], t) => {
    const width = size * perByte;
    const colour = t % 2 === 0 ? 'even' : 'odd';
    const own = lanesOf(mask & sample.lanes);
    shapes.push(svg('rect', { x, y: kSegments, width, height: kSegment, class: 'segment' }, svg('title', {}, `transaction ${t + 1}: ${size} bytes from ${addressText(memory, address)}, lanes ${laneText(own)}`)));
    for (const lane of own) {
      const offset = sample.addresses[itemOf(sample.lanes, lane)]! - address;
      const inside = sample.space !== 'local' && offset >= 0 && offset < size;
      const at = inside ? x + offset * perByte : x;
      const length = inside ? Math.min(sample.bytes, size - offset) * perByte : width;
      shapes.push(svg('rect', { x: at, y: kSegments, width: Math.max(length, 1), height: kSegment, class: `used ${colour}` }));
      shapes.push(svg('line', { x1: laneX(lane), y1: kTop + 20, x2: at + length / 2, y2: kSegments, class: `way ${colour}` }));
    }
    const text = addressText(memory, address);
    if (width > text.length * 7 + 4) labels.push(svg('text', { x: x + width / 2, y: kSegments + kSegment + 16, 'text-anchor': 'middle' }, text));
    else if (t === 0 || t === last) labels.push(svg('text', { x: t === 0 ? x : x + width, y: kSegments + kSegment + 16, 'text-anchor': t === 0 ? 'start' : 'end' }, text));
    if (width > 34) labels.push(svg('text', { x: x + width / 2, y: kSegments + kSegment + 32, 'text-anchor': 'middle', class: 'quiet' }, `${size} B`));
    x += width + gap;
  });
  const boxes = Array.from({ length: 32 }, (_, lane) => {
    const on = lanes.includes(lane);
    const title = on ? `lane ${lane}: ${addressText(memory, sample.addresses[itemOf(sample.lanes, lane)]!)}` : `lane ${lane}: not active`;
    return svg('g', {}, svg('rect', { x: laneX(lane) - kLane / 2 + 2, y: kTop, width: kLane - 4, height: 20, class: on ? 'lane on' : 'lane' }), svg('text', { x: laneX(lane), y: kTop + 14, 'text-anchor': 'middle', class: on ? '' : 'quiet' }, lane), svg('title', {}, title));
  });
  return svg(
    'svg',
    { viewBox: `0 0 ${kWidth} ${kSegments + kSegment + 40}`, class: 'picture coalescing', role: 'img', 'aria-label': `Lanes and transactions. ${coalescingWords(sample)}` },
    svg('text', { x: 8, y: 16, class: 'quiet' }, 'lanes of the warp'),
    ...shapes,
    ...boxes,
    ...labels,
  );
}

/// The same as a list.
export function laneList(memory: Memory, sample: Sample): HTMLElement {
  const numberOf = (lane: number) => sample.transactions.findIndex(([, , mask]) => (mask >>> lane) & 1) + 1;
  return h(
    'details',
    {},
    h('summary', {}, 'addresses as a list'),
    h('ol', { class: 'addresses', start: 0 }, ...lanesOf(sample.lanes).map((lane, i) => h('li', { value: lane }, addressText(memory, sample.addresses[i]!), numberOf(lane) > 0 ? `, transaction ${numberOf(lane)}` : ''))),
  );
}
