// The timeline with what moves it: brush and wheel to zoom, minimap and keys to pan, a note of what the pointer is at.
import type { Kernel, Report, Trace } from './data';
import { h, whole } from './dom';
import { Minimap } from './minimap';
import { lookOf, type Look } from './palette';
import { Timeline, type Emphasis, type Span } from './timeline';
import { at, rowsOf, warpName, type SlotRow } from './trace_table';

export const kLeastCycles = 8;
/// Pixels that a pointer moves before it brushes.
const kBrush = 4;

export interface TimelineOptions {
  report: Report;
  trace: Trace;
  kernel: Kernel | undefined;
  grid: number[] | undefined;
  /// Of the launch, or of two that are compared.
  cycles: number;
  /// By the user: of this timeline only.
  selected: (row: number, cycle: number) => void;
  /// The window moved.
  moved: (span: Span) => void;
}

export class TimelineView {
  readonly rows: SlotRow[];
  readonly looks: Look[];
  readonly timeline: Timeline;
  readonly element: HTMLElement;
  /// What can be shown.
  readonly all: Span;
  span: Span;
  selected: { row: number; cycle: number } | null = null;
  emphasis: Emphasis = { state: -1, pcs: null };
  private brush: Span | null = null;
  private pending = 0;
  private readonly minimap: Minimap;
  private readonly note = h('div', { class: 'note-at-pointer', hidden: true });

  constructor(private readonly options: TimelineOptions) {
    const { trace } = options;
    this.rows = rowsOf(trace);
    this.looks = trace.states.map((s, i) => lookOf(s.key, i - 2));
    this.timeline = new Timeline(this.rows, this.looks, trace.states.map((s) => s.key), options.grid);
    const busy = { from: trace.from, to: Math.max(trace.to, trace.from + kLeastCycles) };
    this.all = { from: Math.min(busy.from, 0), to: Math.max(options.cycles, busy.to) };
    this.span = { ...busy };
    this.minimap = new Minimap(this.rows, this.looks, this.all, Math.max(trace.cycles, busy.to), trace.recorded ?? busy, busy, (cycle) => this.show(cycle - (this.span.to - this.span.from) / 2, this.span.to - this.span.from));
    this.element = h('div', { class: 'timeline' });
    this.element.append(this.minimap.canvas, this.timeline.canvas, this.note);
    this.listen();
  }

  resize(width: number, scale?: number): void {
    this.timeline.resize(width, scale);
    this.minimap.resize(width, this.timeline.names, scale);
    this.paint();
  }

  paint(): void {
    this.pending = 0;
    this.timeline.draw(this.span, { selected: this.selected, brush: this.brush }, this.emphasis);
    this.minimap.draw(this.span);
    this.timeline.canvas.dataset.frame = this.timeline.frame.toFixed(1);
  }
  later(): void {
    this.pending ||= requestAnimationFrame(() => this.paint());
  }

  /// Moves the window, as far as there is something.
  show(from: number, cycles: number, tell = true): void {
    const length = Math.min(Math.max(cycles, kLeastCycles), this.all.to - this.all.from);
    const begin = Math.min(Math.max(from, this.all.from), this.all.to - length);
    this.span = { from: begin, to: begin + length };
    this.later();
    if (tell) this.options.moved(this.span);
  }
  zoom(factor: number, around = this.selected?.cycle ?? (this.span.from + this.span.to) / 2): void {
    this.show(around - (around - this.span.from) * factor, (this.span.to - this.span.from) * factor);
  }
  pan(share: number): void {
    const length = this.span.to - this.span.from;
    this.show(this.span.from + length * share, length);
  }
  everything(): void {
    this.show(this.all.from, this.all.to - this.all.from);
  }

  private cycleAt(x: number): number {
    return this.span.from + ((x - this.timeline.names) / this.timeline.plotWidth) * (this.span.to - this.span.from);
  }

  private listen(): void {
    const { canvas } = this.timeline;
    canvas.addEventListener(
      'wheel',
      (event) => {
        if (!event.ctrlKey && !event.metaKey && document.activeElement !== canvas && Math.abs(event.deltaX) <= Math.abs(event.deltaY)) return; // the page scrolls
        event.preventDefault();
        if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) this.pan((event.deltaX || event.deltaY) / 1000);
        else this.zoom(2 ** (event.deltaY / 300), this.cycleAt(event.offsetX));
      },
      { passive: false },
    );
    let held: { x: number; from: number; pans: boolean; moved: boolean } | null = null;
    canvas.addEventListener('pointerdown', (event) => {
      // A finger pans; a brush is for a mouse or a pen.
      held = { x: event.offsetX, from: this.span.from, pans: event.shiftKey || event.pointerType === 'touch' || event.button === 1, moved: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', (event) => {
      if (!held) return this.point(event.offsetX, event.offsetY);
      const by = event.offsetX - held.x;
      held.moved ||= Math.abs(by) > kBrush;
      if (!held.moved) return;
      this.note.hidden = true;
      if (held.pans) return this.show(held.from - (by / this.timeline.plotWidth) * (this.span.to - this.span.from), this.span.to - this.span.from);
      const [a, b] = [this.cycleAt(held.x), this.cycleAt(event.offsetX)].sort((x, y) => x - y);
      this.brush = { from: Math.max(a!, this.span.from), to: Math.min(b!, this.span.to) };
      this.later();
    });
    canvas.addEventListener('pointerup', (event) => {
      const row = this.timeline.rowAt(event.offsetY);
      if (this.brush) this.show(this.brush.from, this.brush.to - this.brush.from);
      else if (held && !held.moved && row >= 0 && row < this.rows.length) this.options.selected(row, this.cycleAt(Math.max(event.offsetX, this.timeline.names)));
      held = this.brush = null;
      this.later();
    });
    canvas.addEventListener('pointercancel', () => (held = this.brush = null));
    canvas.addEventListener('pointerleave', () => (this.note.hidden = true));
    canvas.addEventListener('dblclick', () => this.everything());
  }

  /// What the pointer is at: the warp, its state in words, since when and how long, and the instruction.
  private point(x: number, y: number): void {
    const row = this.rows[this.timeline.rowAt(y)];
    const cycle = Math.floor(this.cycleAt(x));
    const here = row && x >= this.timeline.names ? at(row, cycle) : null;
    this.note.hidden = here === null;
    if (!here) return;
    const { trace, kernel, grid } = this.options;
    const { states, index } = here;
    const state = trace.states[states.state[index]!];
    const [begin, end] = [states.begin[index]!, states.begin[index + 1]!];
    const instruction = kernel?.rows[states.pc[index]!];
    const cuda = instruction?.file === undefined ? undefined : this.options.report.files[instruction.file]?.lines[(instruction.cuda ?? 0) - 1];
    this.note.replaceChildren(
      h('p', {}, h('b', {}, warpName(states.warp, grid)), `, cycle ${whole(cycle)}`),
      h('p', {}, h('i', { style: `background:${this.looks[states.state[index]!]?.colour ?? 'none'}` }), state ? `${state.what} (${state.key})` : 'not recorded'),
      h('p', {}, `${whole(end - begin)} cycle${end - begin === 1 ? '' : 's'}, ${whole(begin)} to ${whole(end)}`),
      instruction?.source ? h('p', { class: 'code' }, `${instruction.source}  ${cuda?.trim() ?? ''}`) : '',
      instruction ? h('p', { class: 'code' }, `PTX ${instruction.line}  ${instruction.text}`) : '',
    );
    const width = this.element.clientWidth;
    const wide = Math.min(width - 8, 460);
    this.note.style.maxWidth = `${wide}px`;
    this.note.style.left = `${Math.max(Math.min(x + 14, width - Math.min(this.note.offsetWidth, wide) - 4), 0)}px`;
    this.note.style.top = `${this.timeline.canvas.offsetTop + y + 18}px`;
  }
}
