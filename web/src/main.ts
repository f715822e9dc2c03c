// The page: reads its data, builds the views, and switches between them.
import 'uplot/dist/uPlot.min.css';
import './style.css';
import './small.css';
import './print.css';
import { comparison } from './comparison';
import { decode, nameOf, type Report } from './data';
import { choice, h } from './dom';
import { memory } from './memory';
import { Addresses, numberIn, type Address } from './moment';
import { overview } from './overview';
import { definitions } from './palette';
import { sheet } from './sheet';
import { source } from './source';
import { statistics } from './statistics';
import type { Context, Moment, View } from './view';
import { warps } from './warps';

function theme(): HTMLElement {
  const names = ['as the system', 'light', 'dark'];
  return choice('Theme', names, 0, (index) => {
    const root = document.documentElement;
    if (index === 0) root.removeAttribute('data-theme');
    else root.setAttribute('data-theme', names[index]!);
    document.dispatchEvent(new Event('themechange'));
  });
}

class Page {
  private views: View[] = [];
  private drawn = new Set<View>();
  private current = 0;
  private launch = 0;
  private tabs: HTMLElement[] = [];
  private launches: HTMLElement | false = false;
  /// While an address is followed, views that move do not write one.
  private following = true;
  private readonly addresses = new Addresses((address) => this.follow(address));
  private readonly sheet: { element: HTMLElement; draw: () => void };

  constructor(private readonly report: Report, private readonly root: HTMLElement) {
    const context: Context = {
      report,
      launch: () => this.launch,
      showRow: (place) => {
        const index = this.views.findIndex((view) => view.select !== undefined);
        if (index >= 0) this.step(index, () => this.views[index]!.select!(place));
      },
      go: (view, moment) => {
        const index = this.views.findIndex((v) => v.id === view);
        if (index >= 0) this.step(index, () => this.views[index]!.show?.(moment));
      },
      moved: () => this.moved(false),
    };
    if (report.comparison) this.views.push(comparison(context, report.comparison));
    this.views.push(overview(context));
    if (report.kernels.length > 0) this.views.push(source(context));
    if (report.trace !== null) this.views.push(warps(context, report.trace));
    if (report.memory) this.views.push(memory(context, report.memory));
    this.views.push(statistics(context));
    this.sheet = sheet(context);
    this.build();
    this.follow(this.addresses.initial);
    document.addEventListener('themechange', () => this.redraw());
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.redraw());
    addEventListener('resize', () => this.redraw());
    addEventListener('beforeprint', () => this.sheet.draw());
    matchMedia('print').addEventListener('change', (event) => event.matches && this.sheet.draw());
  }

  private build(): void {
    const { statistics: s } = this.report;
    const names = s.launches.map((l, i) => `${i}: ${nameOf(this.report, l.kernel)}`);
    this.tabs = this.views.map((view, i) =>
      h('button', { role: 'tab', id: `tab-${view.id}`, 'aria-controls': view.id, click: () => this.step(i, () => undefined) }, view.name),
    );
    const list = h('div', { role: 'tablist', 'aria-label': 'Views', keydown: (e) => this.key(e as KeyboardEvent) });
    list.append(...this.tabs);
    this.launches = names.length > 1 && choice('Launch', names, 0, (index) => ((this.launch = index), this.redraw(), this.moved(false)));
    this.root.replaceChildren(
      definitions(),
      h(
        'header',
        {},
        h('h1', {}, s.target, h('small', {}, ` on ${s.machine.name}`, this.report.comparison ? `, compared with ${this.report.comparison.a.file}` : '')),
        list,
        h('div', { class: 'choices' }, this.launches, this.addresses.hasLink && h('button', { title: 'Copies the address of what is shown', click: (e) => void this.copy(e.currentTarget as HTMLElement) }, 'copy link'), theme()),
      ),
      h('main', {}, ...this.views.map((view) => view.element)),
      this.sheet.element,
      h('footer', {}, `warptime ${s.program?.version ?? ''}, machine ${s.machine.name} (${s.machine.hash})`),
    );
    for (const view of this.views) {
      view.element.id = view.id;
      view.element.setAttribute('role', 'tabpanel');
      view.element.setAttribute('aria-labelledby', `tab-${view.id}`);
    }
  }

  private async copy(button: HTMLElement): Promise<void> {
    const { link } = this.addresses;
    try {
      await navigator.clipboard.writeText(link);
      button.textContent = 'copied';
    } catch {
      prompt('The address of what is shown:', link);
    }
    setTimeout(() => (button.textContent = 'copy link'), 1500);
  }

  private open(index: number): void {
    this.current = index;
    this.views.forEach((view, i) => {
      view.element.classList.toggle('shown', i === index);
      this.tabs[i]!.setAttribute('aria-selected', String(i === index));
      this.tabs[i]!.tabIndex = i === index ? 0 : -1;
    });
    const view = this.views[index]!;
    if (!this.drawn.has(view)) this.draw(view);
  }

  /// To another view: the way back leads here.
  private step(index: number, then: () => void): void {
    this.following = true;
    this.open(index);
    then();
    this.following = false;
    this.moved(true);
  }

  private moved(step: boolean): void {
    if (this.following) return;
    const view = this.views[this.current]!;
    const moment: Moment = { ...(this.launch > 0 ? { launch: String(this.launch) } : {}), ...view.moment?.() };
    this.addresses.put({ view: view.id, moment }, step);
  }

  private follow({ view, moment }: Address): void {
    this.following = true;
    const launch = numberIn(moment, 'launch');
    if (launch !== null && launch < this.report.statistics.launches.length && launch !== this.launch) {
      this.launch = launch;
      if (this.launches) this.launches.querySelector('select')!.selectedIndex = launch;
      this.drawn.clear();
    }
    const index = Math.max(this.views.findIndex((v) => v.id === view), 0);
    this.open(index);
    if (Object.keys(moment).length > 0) this.views[index]!.show?.(moment);
    this.following = false;
    this.moved(false);
  }

  private draw(view: View): void {
    view.draw();
    this.drawn.add(view);
  }

  private redraw(): void {
    this.drawn.clear();
    this.draw(this.views[this.current]!);
  }

  /// Left and right, as the pattern of tabs has it.
  private key(event: KeyboardEvent): void {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    this.step((this.current + by + this.views.length) % this.views.length, () => undefined);
    this.tabs[this.current]!.focus();
  }
}

async function start(): Promise<void> {
  const root = document.getElementById('page')!;
  try {
    const report = await decode(document.getElementById('data')!.textContent ?? '');
    document.title = `${report.statistics.target}: warptime report`;
    new Page(report, root);
    document.documentElement.dataset.ready = String(Math.round(performance.now()));
  } catch (error) {
    root.replaceChildren(
      h('p', { role: 'alert' }, `This report cannot be read: ${String(error)}. Write it again with \`warptime report\`.`),
    );
  }
}

void start();
