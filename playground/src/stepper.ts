// Step and step back, by the debugger of the program (`warptime debug`). Each step is a run of its own to where the last
// one ended, as the simulation is deterministic: the program needs no thread, and nothing is kept between two steps.
import type { Result } from './messages';
import { h } from './dom';
import { linked, type GoTo } from './transcript';

interface Place {
  launch: number;
  cycle: number;
  sm: number;
  warp: number;
  lane: number;
}

/** What a command of the debugger printed, and what followed it. */
interface Step {
  said: string;
  warps: string;
  registers: string;
}

const kPrompt = '(warptime) ';

/** The part of a transcript that belongs to each command. */
export function partsOf(transcript: string): string[] {
  const parts = [''];
  for (const line of transcript.split('\n'))
    if (line.startsWith(kPrompt)) parts.push('');
    else parts[parts.length - 1] += `${line}\n`;
  return parts;
}

/** The commands that lead to a place, and how many parts of the transcript they take. */
export function wayTo(place: Place | null, points: string[]): string[] {
  const lines: string[] = [];
  if (place) {
    if (place.launch > 0) {
      lines.push('catch launch');
      for (let i = 0; i < place.launch; ++i) lines.push('continue');
      lines.push('delete 1');
    }
    if (place.cycle > 1) lines.push(`goto cycle ${place.cycle}`);
    lines.push(`cuda sm ${place.sm} warp ${place.warp} lane ${place.lane}`);
  }
  return [...lines, ...points.map((point) => `break ${point}`)];
}

/** Where the debugger stands after it said this. */
export function placeIn(text: string, before: Place | null): Place {
  const place = { launch: 0, cycle: 1, sm: 0, warp: 0, lane: 0, ...before };
  for (const match of text.matchAll(/The beginning of launch (\d+)|(?:^|[ ,])cycle (\d+)\b|\[SM (\d+), warp (\d+), lane (\d+)/gm)) {
    if (match[1] !== undefined) place.launch = +match[1];
    else if (match[2] !== undefined) place.cycle = +match[2];
    else [place.sm, place.warp, place.lane] = [+match[3]!, +match[4]!, +match[5]!];
  }
  return place;
}

export interface StepperHost {
  /** `warptime debug TARGET ... --script -`. */
  debug(script: string): Promise<Result>;
  goTo: GoTo;
  /** Marks the line on which the warp stands. */
  standAt(file: string, line: number): void;
  ptx(): string;
  points(): string[];
  moved(place: Place): void;
}

const buttons: [string, string, string][] = [
  ['|◀', 'goto cycle 1', 'To the beginning of the launch'],
  ['◀◀', 'reverse-continue', 'Back to the last breakpoint, or to the beginning'],
  ['◀ line', 'reverse-step', 'Back to the beginning of a source line'],
  ['◀ step', 'reverse-stepi', 'Back one instruction of this warp'],
  ['step ▶', 'stepi', 'One instruction of this warp'],
  ['line ▶', 'step', 'To another source line'],
  ['▶▶', 'continue', 'To the next breakpoint, or to the end'],
];

export class Stepper {
  readonly element = h('div', { class: 'stepper' });
  private place: Place | null = null;
  private readonly at = h('p', { class: 'at' });
  private readonly said = h('div', { class: 'said', 'aria-live': 'polite' });
  private readonly warps = h('tbody');
  private readonly registers = h('tbody');
  private readonly cycle = h('input', { type: 'number', min: 1, 'aria-label': 'Cycle' });
  private readonly command = h('input', { type: 'text', placeholder: 'print %r1, break 34 if %tid.x == 3, info stack, last-write %f1 ...', 'aria-label': 'A command of the debugger' });
  private waiting = false;
  /** Points that were set by a command: each step sets them anew. */
  private points: string[] = [];

  constructor(private readonly host: StepperHost) {
    const go = h('form', { submit: (event) => (event.preventDefault(), void this.step(`goto cycle ${this.cycle.value}`)) }, h('label', {}, 'cycle ', this.cycle), h('button', {}, 'go'));
    const type = h('form', { class: 'type', submit: (event) => (event.preventDefault(), void this.step(this.command.value), this.command.select()) }, this.command, h('button', {}, 'do'));
    const bar = h('div', { class: 'bar', role: 'toolbar', 'aria-label': 'Steps' }, ...buttons.map(([text, command, title]) => h('button', { title: `${title} (${command})`, 'data-command': command, click: () => void this.step(command) }, text)), go);
    const head = (...names: string[]) => h('thead', {}, h('tr', {}, ...names.map((name) => h('th', {}, name))));
    this.element.append(
      bar, this.at,
      h('div', { class: 'columns' },
        h('section', {}, h('h3', {}, 'Warps of the SM'), h('table', { class: 'warps' }, head('warp', 'block', 'lanes', 'at', 'waits for'), this.warps)),
        h('section', {}, h('h3', {}, 'Registers of the thread'), h('table', { class: 'registers' }, head('register', 'type', 'value', ''), this.registers))),
      type, this.said,
      h('p', { class: 'note' }, 'A click on a line number in the editor sets a breakpoint. A click on a warp moves there. The commands are those of cuda-gdb; `help` lists them.'),
    );
  }

  /** The program or the machine is another one. */
  reset(place: Partial<Place> = {}): void {
    this.place = Object.keys(place).length === 0 ? null : { launch: 0, cycle: 1, sm: 0, warp: 0, lane: 0, ...place };
    this.points = [];
    for (const part of [this.at, this.said, this.warps, this.registers]) part.replaceChildren();
  }

  /** Shows where it stands, if nothing is shown yet. */
  open(): void {
    if (this.at.childNodes.length === 0) void this.step('');
  }

  async step(command: string): Promise<void> {
    if (this.waiting) return;
    this.waiting = true;
    this.element.classList.add('busy');
    try {
      const way = [...wayTo(this.place, this.host.points()), ...this.points];
      const script = [...way, ...(command === '' ? [] : [command]), 'info warps', 'info registers'];
      const result = await this.host.debug(`${script.join('\n')}\n`);
      const parts = partsOf(result.out);
      if (parts.length < script.length + 1) return this.say(result.err || result.out);
      const said = command === '' ? parts.slice(0, way.length + 1).join('') : parts[way.length + 1]!;
      if (/^(Breakpoint|Watchpoint|Catchpoint) \d+( at|:| )/.test(said) && /^(b|br\w*|tb\w*|wa\w*|rw\w*|aw\w*|catch)\b/.test(command)) this.points.push(command);
      this.show(command, { said, warps: parts.at(-2)!, registers: parts.at(-1)! }, result);
    } catch (error) {
      this.say(String(error instanceof Error ? error.message : error));
    } finally {
      this.waiting = false;
      this.element.classList.remove('busy');
    }
  }

  private say(text: string): void {
    this.said.replaceChildren(linked(text, this.host.goTo, this.host.ptx()));
  }

  private show(command: string, step: Step, result: Result): void {
    const ended = step.warps.startsWith('the program is not being run');
    if (ended) {
      this.say(`${step.said}${result.err}`);
      this.warps.replaceChildren();
      this.registers.replaceChildren();
      return;
    }
    const moves = command === '' || /\[SM \d+, warp/.test(step.said);
    if (moves) this.place = placeIn(step.said, this.place);
    const place = this.place!;
    this.cycle.value = String(place.cycle);
    this.showWarps(step.warps, place);
    this.showRegisters(step.registers);
    if (!moves) return this.say(step.said);
    const line = [...step.said.matchAll(/^([\w./-]+\.ptx):(\d+)\t(.*)$/gm)].at(-1);
    const waits = this.warps.querySelector('tr.focus td:last-child')?.textContent ?? '';
    this.at.replaceChildren(
      h('strong', {}, `cycle ${place.cycle.toLocaleString('en')}`),
      ` · launch ${place.launch} · SM ${place.sm}, warp ${place.warp}, lane ${place.lane} · `,
      waits === 'ready' || waits === '' ? 'ready' : `waits for ${waits}`,
      h('br'), h('code', {}, line?.[3] ?? ''),
    );
    this.say(step.said);
    if (line) this.host.standAt(line[1]!, +line[2]!);
    this.host.moved(place);
  }

  private showWarps(text: string, place: Place): void {
    this.warps.replaceChildren();
    for (const line of text.split('\n')) {
      const cells = /^(\*?)\s+(\d+)\s+(\([\d,]+\))\s+\d+\s+([0-9a-f]{8})\s+(\S+)\s+(.*)$/.exec(line);
      if (!cells) continue;
      const [, star, warp, ...rest] = cells;
      const go = (): void => void this.step(`cuda sm ${place.sm} warp ${warp} lane ${place.lane}`);
      this.warps.append(h('tr', { class: star ? 'focus' : '', click: go, tabindex: 0, keydown: (event) => (event as KeyboardEvent).key === 'Enter' && go() }, ...[warp!, ...rest].map((cell) => h('td', {}, cell))));
    }
  }

  private showRegisters(text: string): void {
    this.registers.replaceChildren();
    for (const line of text.split('\n')) {
      const cells = line.trim().split(/\s{2,}|\s(?=\.)/);
      if (line.startsWith('%') && cells.length >= 2) this.registers.append(h('tr', {}, ...cells.slice(0, 4).map((cell) => h('td', {}, cell))));
    }
  }
}
