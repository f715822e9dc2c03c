// The whole launch in a few pixels, with the window that the timeline shows: drag it, or press where it should go.
import { themed, whole } from './dom';
import type { Look } from './palette';
import { longestStates, type SlotRow } from './trace_table';
import type { Span } from './timeline';

const kHeight = 56;

export class Minimap {
  readonly canvas = document.createElement('canvas');
  private readonly map = document.createElement('canvas');
  private width = 800;
  private names = 92;

  /// `all`: what can be shown; `end`: of the launch; `recorded`: of the trace; `busy`: in which the SM has a warp. `moved`: the window's middle should be there.
  constructor(
    private readonly rows: SlotRow[],
    private readonly looks: Look[],
    private readonly all: Span,
    private readonly end: number,
    private readonly recorded: Span,
    private readonly busy: Span,
    private readonly moved: (cycle: number) => void,
  ) {
    this.canvas.className = 'minimap';
    this.canvas.setAttribute('aria-hidden', 'true'); // the keys of the timeline do all that it does
    let held = false;
    const to = (event: PointerEvent) => this.moved(this.all.from + ((event.offsetX - this.names) / this.plotWidth) * (this.all.to - this.all.from));
    this.canvas.addEventListener('pointerdown', (event) => {
      held = true;
      this.canvas.setPointerCapture(event.pointerId);
      to(event);
    });
    this.canvas.addEventListener('pointermove', (event) => held && to(event));
    this.canvas.addEventListener('pointerup', () => (held = false));
    this.canvas.addEventListener('pointercancel', () => (held = false));
  }

  private get plotWidth(): number {
    return this.width - this.names;
  }
  private xOf(cycle: number): number {
    return this.names + ((cycle - this.all.from) / (this.all.to - this.all.from)) * this.plotWidth;
  }

  resize(width: number, names: number, scale = devicePixelRatio || 1): void {
    this.width = Math.max(Math.floor(width), 200);
    this.names = names;
    this.canvas.width = this.width * scale;
    this.canvas.height = kHeight * scale;
    this.canvas.style.width = `${this.width}px`;
    this.canvas.style.height = `${kHeight}px`;
    this.canvas.getContext('2d')!.setTransform(scale, 0, 0, scale, 0, 0);
    this.drawMap();
  }

  /// Once for a size: a row of pixels for each row of the timeline.
  private drawMap(): void {
    const columns = this.plotWidth;
    this.map.width = columns;
    this.map.height = this.rows.length;
    const context = this.map.getContext('2d')!;
    const states = new Int8Array(columns);
    const weight = new Float64Array(columns);
    this.rows.forEach((row, r) => {
      longestStates(row, this.all.from, this.all.to, states, weight, -1, null);
      for (let x = 0; x < columns; ++x) {
        if (states[x]! < 0) continue;
        context.fillStyle = this.looks[states[x]!]!.colour;
        context.fillRect(x, r, 1, 1);
      }
    });
  }

  draw(span: Span): void {
    const context = this.canvas.getContext('2d')!;
    const height = kHeight - 16;
    context.fillStyle = themed('--paper');
    context.fillRect(0, 0, this.width, kHeight);
    context.imageSmoothingEnabled = false;
    context.drawImage(this.map, this.names, 0, this.plotWidth, height);
    context.fillStyle = themed('--panel');
    const [begin, end, over] = [this.xOf(this.recorded.from), this.xOf(this.recorded.to), this.xOf(this.end)];
    context.fillRect(this.names, 0, begin - this.names, height);
    context.fillRect(end, 0, over - end, height);
    context.font = '11px system-ui, sans-serif';
    context.textBaseline = 'middle';
    context.fillStyle = themed('--quiet');
    context.fillText('whole launch', 2, height / 2, this.names - 6);
    context.fillText(`${whole(this.all.from)}`, this.names, kHeight - 7);
    context.textAlign = 'right';
    context.fillText(`${whole(this.all.to)} cycles`, this.width, kHeight - 7);
    context.textAlign = 'left';
    const [a, b] = [this.xOf(span.from), this.xOf(span.to)];
    context.fillStyle = themed('--veil');
    context.fillRect(this.names, 0, a - this.names, height);
    context.fillRect(b, 0, this.width - b, height);
    context.fillStyle = themed('--quiet');
    const idle = this.xOf(this.busy.to);
    const first = this.xOf(this.busy.from);
    if (first - begin > 90) context.fillText('no warp yet', begin + 8, height / 2);
    if (end - idle > 90) context.fillText('no warp', idle + 8, height / 2);
    if (this.width - over > 90) context.fillText('it is over', over + 8, height / 2);
    if (over - end > 90) context.fillText('not recorded', end + 8, height / 2);
    else if (begin - this.names > 90) context.fillText('not recorded', this.names + 8, height / 2);
    context.strokeStyle = themed('--mark');
    context.lineWidth = 2;
    context.strokeRect(Math.min(a, this.width - 4) + 1, 1, Math.max(b - a, 4) - 2, height - 2);
  }
}
