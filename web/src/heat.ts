// Amounts by row and time as a canvas: the more, the darker. A line below names what the pointer is at.
import { rgbOf } from './palette';
import { h, themed, whole } from './dom';

export interface HeatMap {
  title: string;
  /// By row, by slice of time.
  values: number[][];
  rowName: (row: number) => string;
  /// Cycles of a slice.
  slice: number;
  cycles: number;
  /// The value of the darkest colour.
  most: number;
  format: (value: number) => string;
  /// Pixels.
  rowHeight: number;
  /// Rows that are named at the left.
  named: (row: number) => boolean;
  summary: string;
}

const kNames = 130;
const kAxis = 18;

export function drawHeat(element: HTMLElement, map: HeatMap): void {
  const width = Math.max(element.clientWidth || 800, kNames + 100);
  const height = map.values.length * map.rowHeight + kAxis;
  const canvas = document.createElement('canvas');
  const scale = devicePixelRatio || 1;
  canvas.width = width * scale;
  canvas.height = height * scale;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', `${map.title}. ${map.summary}`);
  const context = canvas.getContext('2d')!;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  const [r0, g0, b0] = rgbOf(themed('--paper'));
  const [r1, g1, b1] = rgbOf(themed('--curve'));
  const plot = width - kNames - 1;
  const xOf = (cycle: number) => kNames + (Math.min(cycle, map.cycles) / Math.max(map.cycles, 1)) * plot;
  map.values.forEach((row, r) =>
    row.forEach((value, s) => {
      if (value <= 0) return;
      // Light values differ from none: a tenth of the way is the least.
      const share = 0.1 + 0.9 * Math.min(Math.sqrt(value / Math.max(map.most, 1e-9)), 1);
      const mix = (a: number, b: number) => Math.round(a + (b - a) * share);
      context.fillStyle = `rgb(${mix(r0, r1)} ${mix(g0, g1)} ${mix(b0, b1)})`;
      const x = Math.floor(xOf(s * map.slice));
      context.fillRect(x, r * map.rowHeight, Math.ceil(xOf((s + 1) * map.slice)) - x, map.rowHeight - (map.rowHeight > 4 ? 1 : 0));
    }),
  );
  context.strokeStyle = themed('--grid');
  context.strokeRect(kNames - 0.5, 0.5, plot, height - kAxis - 1);
  context.fillStyle = themed('--text');
  context.font = '11px system-ui, sans-serif';
  context.textBaseline = 'middle';
  map.values.forEach((_, r) => map.named(r) && context.fillText(map.rowName(r), 2, Math.max((r + 0.5) * map.rowHeight, 7), kNames - 8));
  context.textBaseline = 'bottom';
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    context.textAlign = share === 0 ? 'left' : share === 1 ? 'right' : 'center';
    context.fillText(whole(share * map.cycles), kNames + share * plot, height);
  }
  const words = h('p', { class: 'quiet reading' }, map.summary);
  canvas.addEventListener('pointermove', (event) => {
    const row = Math.floor(event.offsetY / map.rowHeight);
    const cycle = ((event.offsetX - kNames) / plot) * map.cycles;
    const value = map.values[row]?.[Math.floor(cycle / map.slice)];
    words.textContent = value === undefined || cycle < 0 ? map.summary : `${map.rowName(row)}, from cycle ${whole(Math.floor(cycle / map.slice) * map.slice)}: ${map.format(value)}`;
  });
  canvas.addEventListener('pointerleave', () => (words.textContent = map.summary));
  element.replaceChildren(h('h3', {}, map.title), canvas, words);
}
