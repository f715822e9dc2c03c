// The canvas of the warps over time: one row for a warp slot, a colour for a state. A pixel that several states share
// has the colour of the one that lasts longest.
import { inkOn, rgbOf } from './colours';
import { themed } from './dom';
import type { SlotRow, WarpStates } from './trace_table';

export interface Span {
  from: number;
  to: number;
}

export const kNames = 64;
const kRow = 20;
const kAxis = 22;

export class Timeline {
  readonly canvas = document.createElement('canvas');
  /// Of the last frame, in milliseconds: for the test of the page.
  frame = 0;
  private readonly strip = document.createElement('canvas');
  private readonly packed: Uint32Array;
  private width = 800;

  constructor(private readonly rows: SlotRow[], private readonly colours: string[], private readonly names: string[]) {
    // As ImageData has them on a little-endian host: alpha, blue, green, red.
    this.packed = Uint32Array.from(colours.map(rgbOf).map(([r, g, b]) => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0));
  }

  get plotWidth(): number {
    return this.width - kNames;
  }
  get height(): number {
    return this.rows.length * kRow + kAxis;
  }
  rowAt(y: number): number {
    return Math.floor((y - kAxis) / kRow);
  }

  resize(width: number): void {
    const scale = devicePixelRatio || 1;
    this.width = Math.max(Math.floor(width), kNames + 100);
    this.canvas.width = this.width * scale;
    this.canvas.height = this.height * scale;
    this.canvas.style.width = `${this.width}px`;
    this.canvas.style.height = `${this.height}px`;
  }

  /// `only`: the state that is highlighted; -1: all.
  draw(span: Span, selected: { row: number; cycle: number } | null, only: number): void {
    const start = performance.now();
    const context = this.canvas.getContext('2d')!;
    const scale = devicePixelRatio || 1;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.fillStyle = themed('--paper');
    context.fillRect(0, 0, this.width, this.height);
    this.drawStates(context, span, only);
    this.drawWords(context, span);
    this.drawAxis(context, span);
    if (selected) this.drawSelection(context, span, selected);
    this.frame = performance.now() - start;
  }

  private drawStates(context: CanvasRenderingContext2D, span: Span, only: number): void {
    const columns = this.plotWidth;
    const image = new ImageData(columns, this.rows.length);
    const pixels = new Uint32Array(image.data.buffer);
    const weight = new Float64Array(columns);
    this.rows.forEach((row, r) => {
      weight.fill(0);
      const line = pixels.subarray(r * columns, (r + 1) * columns);
      for (const states of row.warps) this.drawWarp(states, span, line, weight, only);
    });
    this.strip.width = columns;
    this.strip.height = this.rows.length;
    this.strip.getContext('2d')!.putImageData(image, 0, 0);
    context.imageSmoothingEnabled = false;
    for (let r = 0; r < this.rows.length; ++r)
      context.drawImage(this.strip, 0, r, columns, 1, kNames, kAxis + r * kRow, columns, kRow - 2);
  }

  private drawWarp(states: WarpStates, span: Span, line: Uint32Array, weight: Float64Array, only: number): void {
    const { begin, state } = states;
    const n = state.length;
    const perCycle = line.length / (span.to - span.from);
    let low = 0;
    for (let high = n; low < high; ) {
      const middle = (low + high) >> 1;
      if (begin[middle + 1]! <= span.from) low = middle + 1;
      else high = middle;
    }
    for (let i = low; i < n && begin[i]! < span.to; ++i) {
      const what = state[i]!;
      if (what < 0 || (only >= 0 && what !== only)) continue;
      const from = Math.max((begin[i]! - span.from) * perCycle, 0);
      const to = Math.min((begin[i + 1]! - span.from) * perCycle, line.length);
      const colour = this.packed[what]!;
      for (let x = Math.floor(from); x < to; ++x) {
        const share = Math.min(to, x + 1) - Math.max(from, x);
        if (share <= weight[x]!) continue;
        weight[x] = share;
        line[x] = colour;
      }
    }
  }

  /// Names of states that are wide enough for them.
  private drawWords(context: CanvasRenderingContext2D, span: Span): void {
    const perCycle = this.plotWidth / (span.to - span.from);
    context.font = '11px system-ui, sans-serif';
    context.textBaseline = 'middle';
    if (perCycle < 0.5) return;
    this.rows.forEach((row, r) => {
      for (const { begin, state } of row.warps)
        for (let i = 0; i < state.length; ++i) {
          if (begin[i + 1]! <= span.from || state[i]! < 0) continue;
          if (begin[i]! >= span.to) break;
          const from = Math.max((begin[i]! - span.from) * perCycle, 0);
          const to = Math.min((begin[i + 1]! - span.from) * perCycle, this.plotWidth);
          const name = this.names[state[i]!]!;
          if (to - from < name.length * 6 + 8) continue;
          context.fillStyle = inkOn(this.colours[state[i]!]!);
          context.fillText(name, kNames + from + 4, kAxis + r * kRow + kRow / 2 - 1);
        }
    });
  }

  private drawAxis(context: CanvasRenderingContext2D, span: Span): void {
    context.font = '11px system-ui, sans-serif';
    context.textBaseline = 'middle';
    context.fillStyle = themed('--text');
    this.rows.forEach((row, r) => context.fillText(`slot ${row.slot}`, 4, kAxis + r * kRow + kRow / 2 - 1));
    const ideal = ((span.to - span.from) * 110) / this.plotWidth;
    const power = 10 ** Math.floor(Math.log10(Math.max(ideal, 1)));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= ideal) ?? power * 10;
    for (let cycle = Math.ceil(span.from / step) * step; cycle <= span.to; cycle += step) {
      const x = kNames + ((cycle - span.from) / (span.to - span.from)) * this.plotWidth;
      context.fillStyle = themed('--grid');
      context.fillRect(x, kAxis - 5, 1, this.height);
      context.fillStyle = themed('--text');
      context.fillText(cycle.toLocaleString('en-US'), x + 3, 9);
    }
  }

  private drawSelection(context: CanvasRenderingContext2D, span: Span, selected: { row: number; cycle: number }): void {
    const x = kNames + ((selected.cycle + 0.5 - span.from) / (span.to - span.from)) * this.plotWidth;
    context.strokeStyle = themed('--mark');
    context.lineWidth = 2;
    context.strokeRect(1, kAxis + selected.row * kRow - 1, this.width - 2, kRow);
    if (x < kNames || x > this.width) return;
    context.fillStyle = themed('--mark');
    context.fillRect(x - 1, 0, 2, this.height);
  }
}
