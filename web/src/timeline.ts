// The canvas of the warps over time: a row for each place of a warp on the SM, a colour and a pattern for a state. A pixel
// that several states share shows the one that lasts longest.
import { themed } from './dom';
import { inkBits, inkOn, kTile, rgbOf, type Look } from './palette';
import { blockName, longestStates, warpNear, type SlotRow } from './trace_table';

export interface Span {
  from: number;
  to: number;
}

/// What is set apart: one state, or some instructions; the rest is not drawn.
export interface Emphasis {
  state: number;
  pcs: Set<number> | null;
}

export interface Marks {
  selected: { row: number; cycle: number } | null;
  brush: Span | null;
}

const kRow = 20;
const kBar = 17;
const kAxis = 22;
const kFont = '11px system-ui, sans-serif';

/// As ImageData has them on a little-endian host: alpha, blue, green, red.
const packed = (hex: string): number => {
  const [r, g, b] = rgbOf(hex);
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
};

export class Timeline {
  readonly canvas = document.createElement('canvas');
  /// Of the last frame, in milliseconds: for the test of the page.
  frame = 0;
  private readonly strip = document.createElement('canvas');
  private readonly paper: Uint32Array;
  private readonly ink: Uint32Array;
  private readonly bits: Uint8Array[];
  private width = 800;
  /// Pixels of the names at the left.
  names = 92;

  constructor(
    private readonly rows: SlotRow[],
    private readonly looks: Look[],
    private readonly keys: string[],
    private readonly grid: number[] | undefined,
  ) {
    this.paper = Uint32Array.from(looks.map((l) => packed(l.colour)));
    this.ink = Uint32Array.from(looks.map((l) => packed(l.ink)));
    this.bits = looks.map((l) => inkBits(l.pattern));
  }

  get plotWidth(): number {
    return this.width - this.names;
  }
  get height(): number {
    return this.rows.length * kRow + kAxis;
  }
  rowAt(y: number): number {
    return Math.floor((y - kAxis) / kRow);
  }

  resize(width: number, scale = devicePixelRatio || 1): void {
    this.width = Math.max(Math.floor(width), 200);
    this.names = this.width < 600 ? 66 : 92;
    this.canvas.width = this.width * scale;
    this.canvas.height = this.height * scale;
    this.canvas.style.width = `${this.width}px`;
    this.canvas.style.height = `${this.height}px`;
    this.canvas.getContext('2d')!.setTransform(scale, 0, 0, scale, 0, 0);
  }

  draw(span: Span, marks: Marks, emphasis: Emphasis): void {
    const start = performance.now();
    const context = this.canvas.getContext('2d')!;
    context.fillStyle = themed('--paper');
    context.fillRect(0, 0, this.width, this.height);
    context.font = kFont;
    context.textBaseline = 'middle';
    this.drawAxis(context, span);
    this.drawStates(context, span, emphasis);
    this.drawBlocks(context, span);
    this.drawWords(context, span, emphasis);
    this.drawNames(context, span);
    this.drawMarks(context, span, marks);
    this.frame = performance.now() - start;
  }

  private xOf(span: Span, cycle: number): number {
    return this.names + ((cycle - span.from) / (span.to - span.from)) * this.plotWidth;
  }

  private drawStates(context: CanvasRenderingContext2D, span: Span, emphasis: Emphasis): void {
    const columns = this.plotWidth;
    const image = new ImageData(columns, kBar);
    const pixels = new Uint32Array(image.data.buffer);
    const states = new Int8Array(columns);
    const weight = new Float64Array(columns);
    this.strip.width = columns;
    this.strip.height = kBar;
    const strip = this.strip.getContext('2d')!;
    context.imageSmoothingEnabled = false;
    this.rows.forEach((row, r) => {
      longestStates(row, span.from, span.to, states, weight, emphasis.state, emphasis.pcs);
      pixels.fill(0);
      for (let x = 0; x < columns; ++x) {
        const state = states[x]!;
        if (state < 0) continue;
        const paper = this.paper[state]!;
        const ink = this.ink[state]!;
        const bits = this.bits[state]!;
        for (let y = 0, at = x; y < kBar; ++y, at += columns) pixels[at] = bits[(y % kTile) * kTile + (x % kTile)] ? ink : paper;
      }
      strip.putImageData(image, 0, 0);
      context.drawImage(this.strip, this.names, kAxis + r * kRow);
    });
  }

  /// Where another block's warp begins in a row: its name, if there is room.
  private drawBlocks(context: CanvasRenderingContext2D, span: Span): void {
    this.rows.forEach((row, r) =>
      row.warps.slice(1).forEach((states) => {
        const begin = states.begin[0]!;
        if (begin <= span.from || begin >= span.to) return;
        const x = this.xOf(span, begin);
        const y = kAxis + r * kRow;
        context.fillStyle = themed('--text');
        context.fillRect(x - 1, y - 1, 2, kBar + 2);
        const name = blockName(states.warp.block, this.grid);
        const room = this.xOf(span, Math.min(states.begin[states.state.length]!, span.to)) - x;
        const wide = context.measureText(name).width;
        if (room < wide + 60) return;
        context.fillStyle = themed('--paper');
        context.fillRect(x + 1, y + 2, wide + 6, kBar - 4);
        context.fillStyle = themed('--text');
        context.fillText(name, x + 4, y + kBar / 2 + 0.5);
      }),
    );
  }

  /// Names of states that are wide enough for them.
  private drawWords(context: CanvasRenderingContext2D, span: Span, emphasis: Emphasis): void {
    const perCycle = this.plotWidth / (span.to - span.from);
    if (perCycle < 0.5 || emphasis.pcs !== null) return;
    this.rows.forEach((row, r) => {
      for (const { begin, state } of row.warps)
        for (let i = 0; i < state.length; ++i) {
          if (begin[i + 1]! <= span.from || state[i]! < 0) continue;
          if (begin[i]! >= span.to) break;
          if (emphasis.state >= 0 && state[i] !== emphasis.state) continue;
          const from = Math.max((begin[i]! - span.from) * perCycle, 0);
          const to = Math.min((begin[i + 1]! - span.from) * perCycle, this.plotWidth);
          const name = this.keys[state[i]!]!;
          if (to - from < name.length * 6 + 10) continue;
          const look = this.looks[state[i]!]!;
          const y = kAxis + r * kRow;
          context.fillStyle = look.colour;
          if (look.pattern !== 'solid') context.fillRect(this.names + from + 2, y + 2, name.length * 6 + 4, kBar - 4);
          context.fillStyle = inkOn(look.colour);
          context.fillText(name, this.names + from + 4, y + kBar / 2 + 0.5);
        }
    });
  }

  private drawNames(context: CanvasRenderingContext2D, span: Span): void {
    context.fillStyle = themed('--paper');
    context.fillRect(0, 0, this.names, this.height);
    context.fillStyle = themed('--quiet');
    context.fillText('block warp', 2, 9);
    context.fillStyle = themed('--text');
    this.rows.forEach((row, r) => {
      const { warp } = warpNear(row, span.from);
      const y = kAxis + r * kRow + kBar / 2 + 0.5;
      context.fillText(blockName(warp.block, this.grid), 2, y, this.names - 26);
      context.textAlign = 'right';
      context.fillText(String(warp.index), this.names - 6, y);
      context.textAlign = 'left';
    });
  }

  private drawAxis(context: CanvasRenderingContext2D, span: Span): void {
    const ideal = ((span.to - span.from) * 110) / this.plotWidth;
    const power = 10 ** Math.floor(Math.log10(Math.max(ideal, 1)));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= ideal) ?? power * 10;
    let unit = ' cycles';
    for (let cycle = Math.ceil(span.from / step) * step; cycle <= span.to; cycle += step) {
      const x = this.xOf(span, cycle);
      const text = cycle.toLocaleString('en-US') + unit;
      if (x + 3 + text.length * 6.2 > this.width) break;
      context.fillStyle = themed('--grid');
      context.fillRect(x, kAxis - 6, 1, this.height);
      context.fillStyle = themed('--text');
      context.fillText(text, x + 3, 9);
      unit = '';
    }
  }

  private drawMarks(context: CanvasRenderingContext2D, span: Span, { selected, brush }: Marks): void {
    if (brush) {
      const [a, b] = [this.xOf(span, brush.from), this.xOf(span, brush.to)].map((x) => Math.min(Math.max(x, this.names), this.width));
      context.fillStyle = themed('--brush');
      context.fillRect(a!, kAxis, b! - a!, this.height - kAxis);
      context.fillStyle = themed('--mark');
      context.fillRect(a! - 1, 0, 2, this.height);
      context.fillRect(b! - 1, 0, 2, this.height);
    }
    if (!selected) return;
    const x = this.xOf(span, selected.cycle + 0.5);
    context.strokeStyle = themed('--mark');
    context.lineWidth = 2;
    context.strokeRect(1, kAxis + selected.row * kRow - 2, this.width - 2, kRow);
    if (x < this.names || x > this.width) return;
    context.fillStyle = themed('--mark');
    context.fillRect(x - 1, 0, 2, this.height);
  }
}
