// Plays a trace: an instant that moves through the cycles at a chosen rate, until its end or until it is stopped.

/// Cycles per second.
export const kRates = [5, 20, 100, 500, 2500];

export class Player {
  /// Cycles per second.
  rate = 20;
  private last = 0;
  private cycle = 0;
  private frame = 0;

  /// `show` draws a cycle; it returns whether there are further ones. `changed` is called when playing starts or stops.
  constructor(private readonly show: (cycle: number) => boolean, private readonly changed: (playing: boolean) => void) {}

  get playing(): boolean {
    return this.frame !== 0;
  }

  start(cycle: number): void {
    this.stop();
    this.cycle = cycle;
    this.last = performance.now();
    this.frame = requestAnimationFrame((now) => this.advance(now));
    this.changed(true);
  }

  stop(): void {
    if (!this.playing) return;
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.changed(false);
  }

  private advance(now: number): void {
    const before = Math.floor(this.cycle);
    // A page that was hidden has no frames: it goes on where it was.
    this.cycle += (Math.min(Math.max(now - this.last, 0), 250) / 1000) * this.rate;
    this.last = now;
    if (Math.floor(this.cycle) !== before && !this.show(Math.floor(this.cycle))) return this.stop();
    this.frame = requestAnimationFrame((next) => this.advance(next));
  }
}
