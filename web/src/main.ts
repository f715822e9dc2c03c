// The page: reads its data, builds the views, and switches between them.
import 'uplot/dist/uPlot.min.css';
import './style.css';
import { comparison } from './comparison';
import { decode, nameOf, type Report } from './data';
import { choice, h } from './dom';
import { memory } from './memory';
import { overview } from './overview';
import { source } from './source';
import { statistics } from './statistics';
import type { Context, Place, View } from './view';
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

  constructor(private readonly report: Report, private readonly root: HTMLElement) {
    const context: Context = { report, launch: () => this.launch, showLine: (place) => this.showLine(place) };
    if (report.comparison) this.views.push(comparison(context, report.comparison));
    this.views.push(overview(context));
    if (report.kernels.length > 0) this.views.push(source(context));
    if (report.trace !== null) this.views.push(warps(context, report.trace));
    if (report.memory) this.views.push(memory(context, report.memory));
    this.views.push(statistics(context));
    this.build();
    const wanted = this.views.findIndex((view) => `#${view.id}` === location.hash);
    this.open(Math.max(wanted, 0));
    document.addEventListener('themechange', () => this.redraw());
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.redraw());
    addEventListener('resize', () => this.redraw());
    addEventListener('beforeprint', () => this.views.forEach((view) => this.draw(view)));
  }

  private build(): void {
    const { statistics: s } = this.report;
    const launches = s.launches.map((l, i) => `${i}: ${nameOf(this.report, l.kernel)}`);
    this.tabs = this.views.map((view, i) =>
      h('button', { role: 'tab', id: `tab-${view.id}`, 'aria-controls': view.id, click: () => this.open(i) }, view.name),
    );
    const list = h('div', { role: 'tablist', 'aria-label': 'Views', keydown: (e) => this.key(e as KeyboardEvent) });
    list.append(...this.tabs);
    this.root.replaceChildren(
      h(
        'header',
        {},
        h('h1', {}, s.target, h('small', {}, ` on ${s.machine.name}`, this.report.comparison ? `, compared with ${this.report.comparison.a.file}` : '')),
        list,
        h(
          'div',
          { class: 'choices' },
          launches.length > 1 && choice('Launch', launches, 0, (index) => ((this.launch = index), this.redraw())),
          theme(),
        ),
      ),
      h('main', {}, ...this.views.map((view) => view.element)),
      h('footer', {}, `warptime ${s.program?.version ?? ''}, machine ${s.machine.name} (${s.machine.hash})`),
    );
    for (const view of this.views) {
      view.element.id = view.id;
      view.element.setAttribute('role', 'tabpanel');
      view.element.setAttribute('aria-labelledby', `tab-${view.id}`);
    }
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
    history.replaceState(null, '', `#${view.id}`);
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
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    this.open((this.current + step + this.views.length) % this.views.length);
    this.tabs[this.current]!.focus();
  }

  private showLine(place: Place): void {
    const index = this.views.findIndex((view) => view.select !== undefined);
    if (index < 0) return;
    this.open(index);
    this.views[index]!.select!(place);
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
