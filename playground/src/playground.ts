// The page: an editor on the left, what the program says on the right, and the address that leads here again.
import { addressHere, format, standard, type Address } from './address';
import type { Catalog, Files, Part } from './catalog';
import { partsOf } from './catalog';
import { isSameFile, parseDiagnostics } from './diagnostics';
import { h, id } from './dom';
import { Editor } from './editor';
import { costsOfCuda, costsOfPtx, hottest, sourceOf, type Statistics } from './hot_lines';
import { MachineChoice } from './machine_choice';
import type { Result } from './messages';
import { parameterFields, parametersOfFile, programList } from './programs';
import { ReportFrame, Tabs, type ResultView } from './results';
import { Ended, Runner } from './runner';
import { Stepper } from './stepper';
import { CommandView, TextView } from './text_views';

const kReport = '/tmp/report.html', kStatistics = '/tmp/statistics.json';
const kCut = 'The link was cut: this is the program with which the page begins.';
/** Views of this page that an address may name; others are those of the report. */
const kViews = new Set(['explain', 'check', 'step', 'command']);

export class Playground {
  private readonly runner = new Runner(['report', 'matmul:tiled', '--param', 'n=16', '-o', '/tmp/warm.html']);
  /** Checks what is typed, while the other one simulates. */
  private readonly checker = new Runner();
  private readonly editor: Editor;
  private readonly machines: MachineChoice;
  private readonly programs: HTMLSelectElement;
  private readonly tabs: Tabs;
  private readonly report: ReportFrame;
  private readonly stepper: Stepper;
  private readonly command: CommandView;
  private parts: Part[] = [];
  private fileTabs = h('div', { role: 'tablist', 'aria-label': 'Files' });
  private points = new Map<string, Set<number>>();
  /** Files that the workers have in another form than the site. */
  private written = new Set<string>();
  private version = 0;
  private typing = 0;

  private address: Address;

  constructor(private readonly catalog: Catalog, private readonly files: Files, from: { address: Address; cut: boolean }) {
    this.address = from.address;
    this.editor = new Editor(id('editor'), (path, text) => this.edited(path, text), (path, line) => this.togglePoint(path, line));
    id('files').append(this.fileTabs);
    this.programs = programList(catalog, (program) => this.choose(program));
    id('choice').prepend(this.programs);
    this.machines = new MachineChoice(catalog, this.checker, () => (this.outdated(), void this.writeAddress()));
    this.report = new ReportFrame(() => this.reportMoved());
    const goTo = (file: string, line: number): void => this.goTo(file, line);
    const host = { seen: (words: string[]) => this.seen(words), target: () => this.target(), goTo, ptx: () => this.ptx };
    this.stepper = new Stepper({
      debug: (script) => this.seen(['debug', ...this.target(), '--script', '-'], [], script),
      goTo,
      standAt: (file, line) => this.standAt(file, line),
      ptx: () => this.ptx,
      points: () => [...this.points].flatMap(([path, lines]) => [...lines].map((line) => `${path.slice(path.lastIndexOf('/') + 1)}:${line}`)),
      moved: (place) => this.show('step', { launch: String(place.launch), cycle: String(place.cycle), sm: String(place.sm), warp: String(place.warp), lane: String(place.lane) }),
    });
    this.command = new CommandView(host, (line) => this.show('command', { command: line }));
    const text = (name: 'explain' | 'check', title: string): ResultView => {
      const view = new TextView(name, host);
      return { id: name, name, title, element: view.element, open: () => void view.fill(this.version) };
    };
    this.tabs = new Tabs(
      [
        { id: 'report', name: 'report', title: 'Where the time goes: overview, source, warps, memory', element: this.report.element, open: () => {} },
        text('explain', 'What bounds the kernel, and what would help'),
        text('check', 'Invalid accesses, races, barrier errors'),
        { id: 'step', name: 'step', title: 'Instruction by instruction, forwards and backwards', element: this.stepper.element, open: () => this.stepper.open() },
        { id: 'command', name: 'command', title: 'Any command of warptime', element: this.command.element, open: () => this.command.input.focus() },
      ],
      id('results'),
      (view) => this.tabShown(view),
    );
    this.report.empty(h('p', {}, 'Press ', h('strong', {}, 'Run'), ' to simulate the program cycle by cycle.'));
    id('run').addEventListener('click', () => void this.run());
    id('stop').addEventListener('click', () => this.runner.stop());
    id('reset').addEventListener('click', () => this.resetEdits());
    id('link').addEventListener('click', () => void this.copyLink());
    document.addEventListener('click', ({ target }) => {
      const form = id<HTMLDetailsElement>('machine-form');
      if (form.open && !form.contains(target as Node)) form.open = false;
    });
    addEventListener('hashchange', () => void this.followLink());
    addEventListener('keydown', (event) => {
      if ((event.ctrlKey || event.metaKey) && event.key === 'Enter') event.preventDefault(), void this.run();
    });
    document.addEventListener('cannotstart', (event) => this.say(`The simulator cannot start here: ${(event as CustomEvent<string>).detail}. The page needs a file server: a browser loads no parts of a page from a disk.`));
    if (from.cut) this.say(kCut);
    this.open();
  }

  // ---- The program

  /** Everything as the address says. */
  private open(): void {
    const known = [...this.programs.options].some((option) => option.value === this.address.program);
    if (!known) {
      this.say(`There is no program "${this.address.program}" here.`);
      this.address = { ...structuredClone(standard) };
    }
    this.programs.value = this.address.program;
    this.parts = partsOf(this.files, this.address.program);
    this.points.clear();
    this.editor.open(this.parts, (path) => this.textOf(path));
    this.showFileTabs();
    this.showParameters();
    this.machines.show(this.address);
    void this.checkTyped();
    const { view, place } = this.address;
    this.outdated();
    if (view === 'step') this.stepper.reset(Object.fromEntries(Object.entries(place).map(([key, value]) => [key, Number(value)])));
    if (view === 'command') this.command.input.value = place['command'] ?? '';
    else this.command.input.value = `trace ${this.target().join(' ')}`;
    if (this.address.run) void this.run();
    else if (view === 'step') this.tabs.open('step');
    else if (view === 'command') this.tabs.open('command'), place['command'] && void this.command.run(place['command']);
    else this.tabs.open('report');
  }

  private choose(program: string): void {
    const workload = (of: string) => this.catalog.workloads.find((one) => one.name === of.split(':')[0]);
    const { machine, set, program: before } = this.address;
    // A machine that only the program before needed is not kept.
    const kept = machine === workload(before)?.machine ? standard.machine : machine;
    const start = workload(program);
    this.address = { ...structuredClone(standard), machine: start?.machine ?? kept, set: start?.machine ? {} : set, program, params: { ...start?.start } };
    this.clearReport();
    this.open();
    void this.writeAddress();
  }

  private clearReport(): void {
    id('hot').hidden = true;
    this.report.empty(h('p', {}, 'Press ', h('strong', {}, 'Run'), ' to simulate the program cycle by cycle.'));
  }

  private get ptx(): string {
    return this.parts.find((part) => part.language === 'ptx')?.path ?? '';
  }

  private textOf(path: string): string {
    return this.address.edits[path] ?? this.files[path] ?? '';
  }

  private showFileTabs(): void {
    this.fileTabs.replaceChildren(
      ...this.parts.map((part) => {
        const name = part.path.slice(part.path.lastIndexOf('/') + 1);
        const title = part.editable ? part.path : `${part.path}: compiled beforehand, with nvcc; a change here needs a compiler`;
        const open = (): void => (this.editor.show(part.path), this.markFileTab());
        return h('button', { role: 'tab', 'data-path': part.path, title, click: open }, name);
      }),
    );
    this.markFileTab();
  }

  private markFileTab(): void {
    for (const button of this.fileTabs.querySelectorAll('button')) {
      const path = button.dataset['path']!;
      button.setAttribute('aria-selected', String(path === this.editor.shown));
      button.classList.toggle('edited', this.address.edits[path] !== undefined);
    }
    id('cuda-note').hidden = !this.editor.shown.endsWith('.cu');
    id('reset').hidden = Object.keys(this.address.edits).length === 0;
  }

  private edited(path: string, text: string): void {
    if (text === this.files[path]) delete this.address.edits[path];
    else this.address.edits[path] = text;
    this.markFileTab();
    if (path.endsWith('.yaml')) this.showParameters();
    this.outdated();
    clearTimeout(this.typing);
    this.typing = setTimeout(() => (void this.checkTyped(), void this.writeAddress()), 250) as unknown as number;
  }

  private resetEdits(): void {
    this.address.edits = {};
    this.editor.open(this.parts, (path) => this.textOf(path));
    this.showFileTabs();
    this.outdated();
    void this.checkTyped();
    void this.writeAddress();
  }

  /** Results are of an older program now. */
  private outdated(): void {
    ++this.version;
    id('results').classList.add('outdated');
    this.stepper.reset();
  }

  private showParameters(): void {
    const workload = this.catalog.workloads.find((one) => one.name === this.address.program.split(':')[0]);
    const parameters = workload?.parameters ?? parametersOfFile(this.textOf(this.address.program));
    id('params').replaceChildren(...parameterFields(parameters, this.address.params, (name, value) => {
      if (value === null) delete this.address.params[name];
      else this.address.params[name] = value;
      this.outdated();
      void this.writeAddress();
    }));
  }

  /** The words of the command line behind its command. */
  private target(): string[] {
    const { program, params, machine, set } = this.address;
    const words = [program];
    for (const [name, value] of Object.entries(params)) words.push('--param', `${name}=${value}`);
    if (machine !== standard.machine) words.push('--machine', machine);
    for (const [path, value] of Object.entries(set)) words.push('--set', `${path}=${value}`);
    return words;
  }

  /** Files to write before a command: edited ones, and those that were. */
  private changes(): Record<string, string> {
    for (const path of Object.keys(this.address.edits)) this.written.add(path);
    return Object.fromEntries([...this.written].map((path) => [path, this.textOf(path)]));
  }

  // ---- Diagnostics

  private async checkTyped(): Promise<void> {
    const version = this.version;
    for (const part of this.parts.filter((one) => one.language === 'ptx')) {
      const result = await this.checker.run(['ptx', part.path], { files: this.changes() });
      if (version !== this.version) return;
      this.diagnose(result.err, [part.path]);
    }
  }

  /** Marks what was said about these files; true if it was about any. */
  private diagnose(text: string, paths = this.parts.map((part) => part.path)): boolean {
    const all = parseDiagnostics(text);
    for (const path of paths) this.editor.diagnose(path, all.filter((one) => isSameFile(one.file, path)));
    return paths.some((path) => all.some((one) => one.severity === 'error' && isSameFile(one.file, path)));
  }

  // ---- Runs

  private say(text: string): void {
    const status = id('status');
    status.textContent = text;
    status.hidden = text === '';
  }

  private progress(text: string | null): void {
    const share = /(\d+) %/.exec(text ?? '')?.[1];
    const bar = id<HTMLProgressElement>('progress');
    bar.hidden = text === null;
    if (share === undefined) bar.removeAttribute('value');
    else bar.value = Number(share);
    id('progress-text').textContent = text ?? '';
    id('stop').hidden = text === null;
  }

  /** A command of which the user sees that it runs. */
  private async seen(words: string[], reads: string[] = [], input?: string): Promise<Result> {
    this.say('');
    this.progress('');
    try {
      return await this.runner.run(words, { files: this.changes(), reads, input, progress: (text) => this.progress(text) });
    } finally {
      this.progress(null);
    }
  }

  async run(): Promise<void> {
    const version = this.version;
    const begin = performance.now();
    id('run').setAttribute('disabled', '');
    try {
      const target = this.target();
      const ran = await this.seen(['run', ...target, '--stats', kStatistics, '--stats-per-instruction'], [kStatistics]);
      const statistics = ran.files[0];
      if (ran.status !== 0) this.failed(ran);
      if (statistics === null || statistics === undefined) return;
      this.showCosts(JSON.parse(statistics) as Statistics);
      const page = await this.seen(['report', ...target, '-o', kReport], [kReport]);
      const html = page.files[0];
      if (html) this.report.show(html, this.reportAddress());
      else this.report.empty(h('p', {}, 'The run was cut short: there is no report of it. What it cost until then is beside the lines.'));
      if (version === this.version) id('results').classList.remove('outdated');
      if (ran.status !== 0) this.say(ran.err.trim());
      const { view } = this.address;
      this.tabs.open(kViews.has(view) ? view : 'report');
      document.documentElement.dataset['ran'] = String(Math.round(performance.now() - begin));
    } catch (error) {
      this.say(error instanceof Ended ? `The run has ended: ${error.message}.` : String(error));
    } finally {
      id('run').removeAttribute('disabled');
    }
  }

  /** What went wrong, at its line if it has one. */
  private failed(result: Result): void {
    this.say(result.err.trim());
    const first = parseDiagnostics(result.err).find((one) => one.line > 0);
    this.diagnose(result.err);
    const part = first && this.parts.find((one) => isSameFile(first.file, one.path));
    if (first && part) this.editor.goTo(part.path, first.line, first.column), this.markFileTab();
  }

  private showCosts(statistics: Statistics): void {
    const costs = costsOfPtx(statistics, this.catalog.reasons);
    this.editor.showCosts(this.ptx, costs);
    for (const { path, language } of this.parts)
      if (language === 'cuda') this.editor.showCosts(path, costsOfCuda(statistics, this.catalog.reasons, (file) => isSameFile(file, path)));
    const top = hottest(costs);
    const hot = id('hot');
    hot.hidden = !top;
    if (!top) return;
    const { line, cost } = top;
    // Not away from where somebody works.
    if (this.editor.untouched && innerWidth > 900) this.goTo(this.ptx, line);
    const source = /([^/]*):(\d+)$/.exec(sourceOf(statistics, line) ?? '');
    hot.replaceChildren(
      'Most waits: ',
      h('button', { class: 'link', click: () => this.goTo(this.ptx, line) }, `line ${line} of ${this.ptx.slice(this.ptx.lastIndexOf('/') + 1)}`),
      ...(source ? [' (', h('button', { class: 'link', click: () => this.goTo(source[1]!, Number(source[2])) }, source[0]), ')'] : []),
      `, ${(cost.reasonShare * 100).toFixed(1)} % of the issue slots, `,
      h('strong', {}, cost.reason),
      `: ${this.catalog.reasons[cost.reason] ?? ''}`,
    );
  }

  // ---- Places

  private goTo(file: string, line: number): void {
    const part = this.parts.find((one) => isSameFile(file, one.path) || one.path.endsWith(`/${file.slice(file.lastIndexOf('/') + 1)}`));
    if (!part) return;
    this.editor.goTo(part.path, line);
    this.markFileTab();
  }

  private standAt(file: string, line: number): void {
    for (const part of this.parts) if (part.language === 'ptx') this.editor.standAt(part.path, part.path.endsWith(file) ? line : null);
    this.markFileTab();
  }

  private togglePoint(path: string, line: number): void {
    if (path.endsWith('.yaml')) return;
    const lines = this.points.get(path) ?? new Set<number>();
    if (!lines.delete(line)) lines.add(line);
    this.points.set(path, lines);
    this.editor.showPoints(path, [...lines]);
  }

  // ---- The address

  private reportAddress(): string {
    const { view, place } = this.address;
    if (view === '' || kViews.has(view)) return '';
    const words = new URLSearchParams(place).toString().replace(/%2C/g, ',');
    return `#${view}${words === '' ? '' : `?${words}`}`;
  }

  private reportMoved(): void {
    const [view = '', words = ''] = this.report.address.replace(/^#/, '').split('?');
    this.show(view, Object.fromEntries(new URLSearchParams(words)));
  }

  private tabShown(view: string): void {
    if (view === 'report') this.report.address !== '' && this.reportMoved();
    else if (view !== 'step' && view !== 'command') this.show(view, {});
    else if (this.address.view !== view) this.show(view, {});
  }

  private show(view: string, place: Record<string, string>): void {
    this.address.view = view;
    this.address.place = place;
    void this.writeAddress();
  }

  private current = location.hash;

  private async writeAddress(): Promise<void> {
    this.current = await format({ ...this.address, run: this.address.view !== '' && this.address.view !== 'step' && this.address.view !== 'command' });
    history.replaceState(null, '', this.current);
  }

  private async copyLink(): Promise<void> {
    await this.writeAddress();
    await navigator.clipboard.writeText(location.href).then(() => this.say('The link is on the clipboard.'), () => this.say(location.href));
  }

  private async followLink(): Promise<void> {
    if (location.hash === this.current) return;
    this.current = location.hash;
    const from = await addressHere();
    this.address = from.address;
    this.say(from.cut ? kCut : '');
    this.clearReport();
    this.open();
  }
}
