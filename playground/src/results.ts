// The right half of the page: what the program says, a view at a time.
import { h } from './dom';

export interface ResultView {
  id: string;
  name: string;
  title: string;
  element: HTMLElement;
  /** The view is shown; `run`: what it shows is of an older program. */
  open(): void;
}

export class Tabs {
  readonly list = h('div', { role: 'tablist', 'aria-label': 'Results' });
  current = '';
  private readonly buttons = new Map<string, HTMLButtonElement>();

  constructor(
    readonly views: ResultView[],
    parent: HTMLElement,
    private readonly shown: (id: string) => void,
  ) {
    for (const view of views) {
      const button = h('button', { role: 'tab', id: `tab-${view.id}`, title: view.title, 'aria-controls': `view-${view.id}`, click: () => this.open(view.id) }, view.name);
      button.addEventListener('keydown', (event) => this.key(event));
      this.buttons.set(view.id, button);
      this.list.append(button);
      view.element.id = `view-${view.id}`;
      view.element.setAttribute('role', 'tabpanel');
      view.element.setAttribute('aria-labelledby', `tab-${view.id}`);
      view.element.classList.add('view');
    }
    parent.append(this.list, ...views.map((view) => view.element));
  }

  open(id: string): void {
    const view = this.views.find((one) => one.id === id) ?? this.views[0]!;
    this.current = view.id;
    for (const one of this.views) {
      one.element.hidden = one !== view;
      const button = this.buttons.get(one.id)!;
      button.setAttribute('aria-selected', String(one === view));
      button.tabIndex = one === view ? 0 : -1;
    }
    this.shown(view.id);
    view.open();
  }

  private key(event: KeyboardEvent): void {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    const at = this.views.findIndex((view) => view.id === this.current) + step + this.views.length;
    const next = this.views[at % this.views.length]!;
    this.open(next.id);
    this.buttons.get(next.id)!.focus();
  }
}

/** The report's page in a frame of its own: its address is `#view?...`. */
export class ReportFrame {
  readonly element = h('div', { class: 'report' });
  private frame: HTMLIFrameElement | undefined;
  private url = '';
  /** The address inside, for the link of the page. */
  address = '';

  constructor(private readonly moved: () => void) {
    addEventListener('message', (event: MessageEvent<{ type?: unknown; hash?: unknown } | null>) => {
      const { data } = event;
      if (event.source !== this.frame?.contentWindow || data?.type !== 'warptime' || typeof data.hash !== 'string') return;
      this.address = data.hash;
      this.moved();
    });
  }

  empty(...what: (Node | string)[]): void {
    this.frame = undefined;
    this.element.replaceChildren(h('div', { class: 'empty' }, ...what));
  }

  show(html: string, address: string): void {
    URL.revokeObjectURL(this.url);
    // Not `srcdoc`: such a page has no address of its own.
    this.url = URL.createObjectURL(new Blob([html], { type: 'text/html' }));
    this.address = address;
    this.frame = h('iframe', { title: 'Report of the run', src: `${this.url}${address}` });
    // A page that says nothing of where it is, is asked when it is left.
    this.frame.addEventListener('load', () => this.frame?.contentWindow?.addEventListener('click', () => setTimeout(() => this.ask(), 0)));
    this.element.replaceChildren(this.frame);
  }

  private ask(): void {
    const hash = this.frame?.contentWindow?.location.hash ?? '';
    if (hash === '' || hash === this.address) return;
    this.address = hash;
    this.moved();
  }
}
