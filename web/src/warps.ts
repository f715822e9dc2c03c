// The warps of one SM over time: zoom, pan, what each warp does at an instant, and one warp instruction by instruction.
import { colourOf } from './colours';
import { nameOf, type Trace } from './data';
import { choice, h, percent, whole } from './dom';
import { instantTable } from './instant';
import { kRates, Player } from './player';
import { kNames, Timeline, type Span } from './timeline';
import { at, nextIssue, rowsOf, type SlotRow } from './trace_table';
import { UnderWay } from './under_way';
import type { Context, View } from './view';

const kLeastCycles = 8;
const kHelp =
  'Drag or ← → to pan, wheel or + − to zoom, 0 for everything, click or ↑ ↓ to select a warp, N and P for its next and ' +
  'previous instruction, Space to play from there, Enter to open the line in the source.';

/// Share of the recorded time of all warps by state, largest first.
function shares(rows: SlotRow[]): { state: number; share: number }[] {
  const cycles = new Map<number, number>();
  let all = 0;
  for (const { warps } of rows)
    for (const { state, begin } of warps)
      state.forEach((what, i) => {
        const length = begin[i + 1]! - begin[i]!;
        cycles.set(what, (cycles.get(what) ?? 0) + length);
        all += length;
      });
  return [...cycles]
    .filter(([state]) => state >= 0)
    .map(([state, n]) => ({ state, share: n / Math.max(all, 1) }))
    .sort((a, b) => b.share - a.share);
}

export function warps(context: Context, trace: Trace): View {
  const kernel = context.report.kernels.find((k) => k.kernel === trace.kernel);
  const rows = rowsOf(trace);
  const instant = { trace, kernel, rows, way: new UnderWay(trace), memory: context.report.memory };
  const colours = trace.states.map((s, i) => colourOf(s.key, i));
  const timeline = new Timeline(rows, colours, trace.states.map((s) => s.key));
  const { canvas } = timeline;
  const whole_: Span = { from: trace.from, to: Math.max(trace.to, trace.from + kLeastCycles) };
  let span: Span = { ...whole_ };
  let selected: { row: number; cycle: number } | null = null;
  let only = -1;
  let pending = 0;
  const detail = h('div', { class: 'instant', 'aria-live': 'polite' });
  const range = h('p', { class: 'quiet', role: 'status' });

  const paint = () => {
    pending = 0;
    timeline.draw(span, selected, only);
    canvas.dataset.frame = timeline.frame.toFixed(1);
    range.textContent = `cycles ${whole(span.from)} to ${whole(span.to)}`;
  };
  const later = () => (pending ||= requestAnimationFrame(paint));

  const show = (from: number, cycles: number) => {
    const length = Math.min(Math.max(cycles, kLeastCycles), whole_.to - whole_.from);
    const begin = Math.min(Math.max(from, whole_.from), whole_.to - length);
    span = { from: begin, to: begin + length };
    later();
  };
  const zoom = (factor: number, around: number) =>
    show(around - (around - span.from) * factor, (span.to - span.from) * factor);
  const pan = (share: number) => show(span.from + (span.to - span.from) * share, span.to - span.from);
  const cycleAt = (x: number) => span.from + ((x - kNames) / timeline.plotWidth) * (span.to - span.from);

  const select = (row: number, cycle: number) => {
    selected = { row: Math.min(Math.max(row, 0), rows.length - 1), cycle: Math.min(Math.max(Math.floor(cycle), whole_.from), whole_.to - 1) };
    if (selected.cycle < span.from || selected.cycle >= span.to) show(selected.cycle - (span.to - span.from) / 2, span.to - span.from);
    detail.replaceChildren(instantTable(instant, selected, { choose: (r) => select(r, selected!.cycle), step, open }));
    later();
  };
  const step = (by: 1 | -1) => {
    if (!selected) return select(0, span.from);
    const here = at(rows[selected.row]!, selected.cycle);
    const index = here ? nextIssue(here.states, here.index, by) : -1;
    if (here && index >= 0) select(selected.row, here.states.begin[index]!);
  };
  const open = (line: number) => context.showLine({ kernel: trace.kernel, line });
  const openSelected = () => {
    const here = selected && at(rows[selected.row]!, selected.cycle);
    const line = here && kernel?.rows[here.states.pc[here.index]!]?.line;
    if (line) open(line);
  };

  const player = new Player(
    (cycle) => {
      // The window follows before the instant leaves it.
      if (cycle > span.from + 0.9 * (span.to - span.from)) pan(0.6);
      select(selected?.row ?? 0, cycle);
      return cycle < whole_.to - 1;
    },
    (playing) => {
      play.textContent = playing ? 'stop' : 'play';
      play.setAttribute('aria-pressed', String(playing));
      detail.setAttribute('aria-live', playing ? 'off' : 'polite'); // hundreds of instants are not for reading aloud
    },
  );
  const togglePlay = () => {
    if (player.playing) return player.stop();
    const cycle = selected?.cycle ?? Math.floor(span.from);
    player.start(cycle >= whole_.to - 1 ? whole_.from : cycle);
  };

  const keys: Record<string, () => void> = {
    ArrowLeft: () => pan(-0.2),
    ArrowRight: () => pan(0.2),
    '+': () => zoom(0.5, selected?.cycle ?? (span.from + span.to) / 2),
    '=': () => zoom(0.5, selected?.cycle ?? (span.from + span.to) / 2),
    '-': () => zoom(2, selected?.cycle ?? (span.from + span.to) / 2),
    '0': () => show(whole_.from, whole_.to - whole_.from),
    Home: () => show(whole_.from, span.to - span.from),
    End: () => show(whole_.to, span.to - span.from),
    ArrowUp: () => select((selected?.row ?? 1) - 1, selected?.cycle ?? span.from),
    ArrowDown: () => select((selected?.row ?? -1) + 1, selected?.cycle ?? span.from),
    n: () => step(1),
    p: () => step(-1),
    ' ': togglePlay,
    Enter: openSelected,
  };
  canvas.tabIndex = 0;
  canvas.setAttribute('role', 'application');
  canvas.setAttribute('aria-label', `Warps of SM ${trace.sm} over time. ${kHelp}`);
  canvas.addEventListener('keydown', (event) => {
    const action = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  });
  canvas.addEventListener('wheel', (event) => {
    event.preventDefault();
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) pan(event.deltaX / 1000);
    else zoom(2 ** (event.deltaY / 300), cycleAt(event.offsetX));
  }, { passive: false });
  let grabbed: { x: number; from: number; moved: boolean } | null = null;
  canvas.addEventListener('pointerdown', (event) => {
    grabbed = { x: event.offsetX, from: span.from, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', (event) => {
    if (!grabbed) return;
    const by = event.offsetX - grabbed.x;
    grabbed.moved ||= Math.abs(by) > 3;
    if (grabbed.moved) show(grabbed.from - (by / timeline.plotWidth) * (span.to - span.from), span.to - span.from);
  });
  canvas.addEventListener('pointerup', (event) => {
    const row = timeline.rowAt(event.offsetY);
    if (grabbed && !grabbed.moved && row >= 0 && row < rows.length) select(row, cycleAt(event.offsetX));
    grabbed = null;
  });

  const legend = h(
    'ul',
    { class: 'legend' },
    ...shares(rows).map(({ state, share }) => {
      const { key, what } = trace.states[state]!;
      const press = (event: Event) => {
        only = only === state ? -1 : state;
        legend.querySelectorAll('button').forEach((b) => b.setAttribute('aria-pressed', String(b === event.currentTarget && only >= 0)));
        later();
      };
      return h('li', {}, h('button', { title: `${what}. Shows only this state.`, 'aria-pressed': 'false', click: press }, h('i', { style: `background:${colours[state]}` }), `${key} ${percent(share)}`));
    }),
  );
  const button = (name: string, title: string, action: () => void) => h('button', { title, 'aria-label': title, click: action }, name);
  const play = button('play', 'Play from the chosen cycle', togglePlay);
  play.setAttribute('aria-pressed', 'false');
  const rates = kRates.map((rate) => `${whole(rate)} cycles per second`);
  const rate = choice('Rate of play', rates, kRates.indexOf(player.rate), (index) => (player.rate = kRates[index]!));
  const holder = h('div', { class: 'timeline' });
  holder.append(canvas);
  const element = h(
    'section',
    { class: 'view warps' },
    h('p', {}, `SM ${trace.sm}, launch ${trace.launch}: kernel ${nameOf(context.report, trace.kernel)}, ${whole(trace.cycles)} cycles.`),
    h('div', { class: 'choices' }, button('◀', 'Pan left', () => pan(-0.5)), button('▶', 'Pan right', () => pan(0.5)), button('+', 'Zoom in', keys['+']!), button('−', 'Zoom out', keys['-']!), button('all', 'Show everything', keys['0']!), play, rate, range),
    legend,
    holder,
    h('p', { class: 'quiet' }, kHelp),
    detail,
  );
  return {
    id: 'warps',
    name: 'Warps',
    element,
    draw: () => {
      timeline.resize(holder.clientWidth || 800);
      paint();
    },
  };
}
