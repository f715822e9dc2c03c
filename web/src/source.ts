// The source: each line of CUDA with its cost and its reasons, the PTX of it folded under it, in the order of the file or
// of the cost. PTX that names no CUDA stands by itself.
import { chip, partsOf, stack } from './bars';
import { costOf, reasonsOf, type CudaLine } from './cuda_lines';
import { nameOf, type Kernel, type Row } from './data';
import { choice, h, percent, whole } from './dom';
import { arrange, columnsOf, listingOf, type Column, type Item, type Listing, type Order } from './source_rows';
import { placeOf, type Context, type Moment, type Place, type View } from './view';

const kItemsAtOnce = 1500;
const kLineOrder: Order = { column: 'line', down: false };

export function source(context: Context): View {
  return new SourceView(context).view;
}

class SourceView {
  private kernel: Kernel;
  private listing!: Listing;
  private columns: Column[] = [];
  private order: Order = kLineOrder;
  private query = '';
  private executed = false;
  private native = false;
  private most = kItemsAtOnce;
  private selected = '';
  private open = new Set<string>();
  private items: Item[] = [];
  private readonly rows = new Map<string, HTMLElement>();
  private readonly head = h('thead', {});
  private readonly body = h('tbody', {});
  private readonly status = h('p', { role: 'status', class: 'quiet' });
  private readonly detail = h('div', { class: 'detail', 'aria-live': 'polite' });
  private readonly unfold = h('button', { click: () => this.unfoldAll() }, 'unfold all PTX');
  private readonly search = h('input', {
    type: 'search',
    'aria-label': 'Filter lines',
    placeholder: 'Filter, for example: ld.global',
    input: (e) => ((this.query = (e.target as HTMLInputElement).value), this.fill()),
  });
  private readonly kernels: HTMLElement | false;
  private readonly orders = choice('Order', ['as written', 'by cost'], 0, (i) => this.sort(i === 0 ? 'line' : 'cost'));
  readonly view: View;

  constructor(private readonly context: Context) {
    const { report } = context;
    this.kernel = report.kernels[0]!;
    this.kernels = report.kernels.length > 1 && choice('Kernel', report.kernels.map((k) => nameOf(report, k.kernel)), 0, (i) => (this.show(report.kernels[i]!), context.moved()));
    const issues = report.kernels.some((k) => k.rows.some((r) => r.issues ?? r.native));
    const box = (name: string, set: (on: boolean) => void) =>
      h('label', {}, h('input', { type: 'checkbox', change: (e) => (set((e.target as HTMLInputElement).checked), this.fill()) }), name);
    const table = h('table', { class: 'grid lines', keydown: (e) => this.key(e as KeyboardEvent) }, this.head, this.body);
    const element = h(
      'section',
      { class: 'view source' },
      h('div', { class: 'choices' }, this.kernels, this.orders, this.search, this.unfold, box(' executed lines only', (on) => (this.executed = on)), issues && box(' what issues', (on) => (this.native = on)), this.status),
      this.detail,
      h('div', { class: 'scroll', role: 'region', 'aria-label': 'Source lines' }, table),
    );
    this.view = {
      id: 'source',
      name: 'Source',
      element,
      draw: () => undefined,
      select: (place) => this.select(place, true),
      moment: () => this.moment(),
      show: (moment) => this.go(moment),
    };
    this.show(this.kernel);
  }

  private show(kernel: Kernel): void {
    const { report } = this.context;
    this.kernel = kernel;
    this.listing = listingOf(report, kernel);
    this.columns = columnsOf(report, kernel);
    this.selected = '';
    this.open.clear();
    this.most = kItemsAtOnce;
    if (this.kernels) this.kernels.querySelector('select')!.selectedIndex = report.kernels.indexOf(kernel);
    this.unfold.hidden = !this.listing.hasCuda;
    this.unfold.textContent = 'unfold all PTX';
    this.detail.replaceChildren(
      h('p', {}, h('strong', {}, `${nameOf(report, kernel.kernel)}: `), `${whole(kernel.launches)} launch${kernel.launches === 1 ? '' : 'es'}, ${whole(kernel.slots)} issue slots. Choose a line for its own reasons.`),
      this.reasons(kernel),
    );
    this.fill();
  }

  private sort(column: string, again = false): void {
    this.order = { column, down: again && this.order.column === column ? !this.order.down : column !== 'line' };
    this.orders.querySelector('select')!.selectedIndex = column === 'line' ? 0 : 1;
    this.fill();
    this.context.moved();
  }

  private unfoldAll(): void {
    const all = this.listing.cuda.filter((line) => line.rows.length > 0).map((line) => line.place);
    const folds = all.every((place) => this.open.has(place));
    this.open = new Set(folds ? [] : all);
    this.unfold.textContent = folds ? 'unfold all PTX' : 'fold all PTX';
    this.fill();
  }

  private drawHead(): void {
    const cell = (key: string, name: string, what: string, kind: string) => {
      const sorted = this.order.column === key ? (this.order.down ? 'descending' : 'ascending') : 'none';
      const isReason = this.context.report.stalls.some((s) => s.key === key);
      return h(
        'th',
        { scope: 'col', 'aria-sort': sorted, title: what, class: kind },
        h('button', { click: () => this.sort(key, true) }, isReason && chip(this.context.report, key), name, sorted === 'none' ? '' : this.order.down ? ' ▾' : ' ▴'),
      );
    };
    this.head.replaceChildren(
      h(
        'tr',
        {},
        cell('line', 'line', 'the order of the source', 'number line'),
        h('th', { scope: 'col', class: 'code' }, this.listing.hasCuda ? 'CUDA, and the PTX of it' : 'PTX'),
        ...this.columns.map((c) => cell(c.key, c.name, c.what, `number ${this.kindOf(c)}`)),
      ),
    );
  }

  private kindOf(column: Column): string {
    return column.key === 'cost' ? 'cost' : column.key === 'lanes' ? 'lanes-column' : column.key === 'executions' ? 'executions' : ['issued', 'stalled'].includes(column.key) ? 'second' : 'reason';
  }

  private fill(): void {
    this.drawHead();
    const { report } = this.context;
    this.items = arrange(report, this.kernel, this.listing, this.columns, this.order, this.query, this.executed, (line) => this.open.has(line.place));
    const costs = this.items.filter((i) => i.kind === 'cuda' || i.number !== 0).map((i) => costOf(i.cost));
    const hottest = Math.max(...costs, 1);
    this.rows.clear();
    const out: HTMLElement[] = [];
    const first = this.items.find((i) => i.kind !== 'title')?.key;
    for (const item of this.items.slice(0, this.most)) {
      if (item.kind === 'title') {
        out.push(h('tr', { class: item.key.startsWith('gap ') ? 'gap' : 'function' }, h('td', { colspan: 2 }, item.text), ...this.columns.map((c) => h('td', { class: this.kindOf(c) }))));
        continue;
      }
      const line = this.itemRow(item, hottest, item.key === (this.selected || first));
      this.rows.set(item.key, line);
      out.push(line);
    }
    if (this.items.length > this.most)
      out.push(h('tr', {}, h('td', { colspan: 2 }, h('button', { click: () => ((this.most = this.items.length), this.fill()) }, `Show the other ${whole(this.items.length - this.most)} lines`))));
    this.body.replaceChildren(...out);
    const shown = this.items.filter((i) => i.kind !== 'title').length;
    this.status.textContent = `${whole(shown)} line${shown === 1 ? '' : 's'}`;
  }

  private itemRow(item: Item, hottest: number, reachable: boolean): HTMLElement {
    const { report } = this.context;
    const row = item.row === undefined ? undefined : this.kernel.rows[item.row]!;
    const cost = costOf(item.cost);
    const foldable = item.cuda !== undefined && item.cuda.rows.length > 0;
    const isOpen = foldable && this.open.has(item.cuda!.place);
    const fold = foldable && h('button', { class: 'fold', tabindex: -1, 'aria-label': `${isOpen ? 'Fold' : 'Unfold'} the PTX of line ${item.number}`, click: (e) => (e.stopPropagation(), this.toggle(item.cuda!)) }, isOpen ? '▾' : '▸');
    return h(
      'tr',
      {
        class: `${item.kind}${item.cuda?.rows.length === 0 ? ' empty' : ''}`,
        'aria-selected': item.key === this.selected ? 'true' : 'false',
        'aria-expanded': foldable ? String(isOpen) : undefined,
        tabindex: reachable ? 0 : -1,
        style: `--heat:${row?.line === 0 ? 0 : (cost / hottest).toFixed(4)}`,
        'data-line': item.kind === 'ptx' ? item.number : undefined,
        'data-place': item.cuda?.place,
        click: () => this.choose(item, true),
      },
      h('td', { class: 'number line' }, fold, item.number || ''),
      h(
        'td',
        { class: 'code' },
        h('span', { class: 'text' }, item.text),
        this.native && row && (row.issues ?? row.native) && h('span', { class: 'native' }, row.issues ?? row.native ?? ''),
        cost > 0 && h('span', { class: 'reasons' }, stack(report, partsOf(report, item.cost, cost), 6, cost / hottest)),
      ),
      ...this.columns.map((c) => h('td', { class: `number ${this.kindOf(c)}` }, c.text(item.cost))),
    );
  }

  private toggle(line: CudaLine): void {
    if (this.open.has(line.place)) this.open.delete(line.place);
    else this.open.add(line.place);
    this.fill();
  }

  private choose(item: Item, focus: boolean): void {
    this.rows.get(this.selected)?.setAttribute('aria-selected', 'false');
    if (this.rows.has(this.selected)) this.rows.get(this.selected)!.tabIndex = -1;
    this.selected = item.key;
    const line = this.rows.get(item.key);
    if (line) {
      line.setAttribute('aria-selected', 'true');
      line.tabIndex = 0;
      line.scrollIntoView({ block: 'nearest' });
      if (focus) line.focus({ preventScroll: true });
    }
    this.describe(item);
    this.context.moved();
  }

  /// Unfolds what it is in, and takes back a filter that hides it.
  private select(place: Place, focus: boolean): void {
    if (place.kernel !== this.kernel) this.show(place.kernel);
    const line = this.listing.hasCuda && this.listing.cuda.find((l) => l.rows.includes(place.row));
    if (line) this.open.add(line.place);
    this.find(`ptx ${place.row}`, focus);
  }

  private find(key: string, focus: boolean): void {
    this.fill();
    if (!this.rows.has(key)) {
      this.query = this.search.value = '';
      this.executed = false;
      this.view.element.querySelectorAll<HTMLInputElement>('.choices input[type=checkbox]').forEach((box, i) => i === 0 && (box.checked = false));
      this.most = Number.MAX_SAFE_INTEGER;
      this.fill();
    }
    const item = this.items.find((i) => i.key === key);
    if (item) this.choose(item, focus);
  }

  private describe(item: Item): void {
    const row: Row | undefined = item.row === undefined ? undefined : this.kernel.rows[item.row];
    const name = item.cuda ? item.cuda.place || 'Instructions without a line' : row!.line === 0 ? 'No instruction' : `${row!.source ? `${row!.source}, ` : ''}PTX line ${row!.line}`;
    const slots = Math.max(this.kernel.slots, 1);
    const { executions, threads } = item.cost;
    this.detail.replaceChildren(
      h('p', {}, h('strong', {}, `${name}: `), h('code', {}, item.text.trim())),
      h(
        'p',
        {},
        `${percent(costOf(item.cost) / slots, 2)} of all issue slots.`,
        executions > 0 ? ` ${whole(executions)} warp instructions, ${(threads / executions).toFixed(1)} lanes on average.` : ' It was never issued.',
        this.hasMoment(item) && h('button', { click: () => this.toWarps(item) }, 'longest wait in Warps'),
      ),
      row?.issues || row?.native ? h('p', {}, 'Issues: ', h('code', {}, row.issues ?? row.native ?? '')) : '',
      row?.calls ? h('p', { class: 'quiet' }, `Inlined: ${row.calls.join(' ← ')}`) : '',
      this.reasons(item.cost),
    );
  }

  /// In words, the largest first.
  private reasons(cost: { issued: number; stalls: number[] }): HTMLElement {
    const { report } = this.context;
    const slots = Math.max(this.kernel.slots, 1);
    return h('ul', {}, ...reasonsOf(report, cost).map((r) => h('li', { title: r.what }, chip(report, r.key), h('b', {}, `${percent(r.slots / slots, 2)} ${r.key}`), h('span', { class: 'quiet' }, `: ${r.what}`))));
  }

  private hasMoment(item: Item): boolean {
    const { trace } = this.context.report;
    return trace !== null && trace.kernel === this.kernel.kernel && this.rowsOf(item).length > 0;
  }

  private rowsOf(item: Item): number[] {
    return item.row !== undefined ? (this.kernel.rows[item.row]!.line === 0 ? [] : [item.row]) : (item.cuda?.rows ?? []);
  }

  private toWarps(item: Item): void {
    this.context.go('warps', { pc: this.rowsOf(item).join(',') });
  }

  private key(event: KeyboardEvent): void {
    const item = this.items.find((i) => i.key === this.selected);
    if (!item) return;
    const shown = this.items.filter((i) => this.rows.has(i.key));
    const at = shown.indexOf(item);
    const isOpen = item.cuda !== undefined && this.open.has(item.cuda.place);
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const next = shown[at + (event.key === 'ArrowDown' ? 1 : -1)];
      if (next) this.choose(next, true);
    } else if (item.cuda && ((event.key === 'ArrowRight' && !isOpen) || (event.key === 'ArrowLeft' && isOpen) || event.key === 'Enter')) {
      this.toggle(item.cuda);
      this.rows.get(item.key)?.focus({ preventScroll: true });
    } else return;
    event.preventDefault();
  }

  private moment(): Moment {
    const out: Moment = {};
    if (this.context.report.kernels.length > 1) out.kernel = this.kernel.kernel;
    if (this.order.column !== 'line') out.order = `${this.order.column}${this.order.down ? '' : '.up'}`;
    const item = this.items.find((i) => i.key === this.selected);
    if (item?.cuda) out.line = item.cuda.place;
    else if (item?.row !== undefined) out.ptx = String(this.kernel.rows[item.row]!.line);
    return out;
  }

  private go(moment: Moment): void {
    const { report } = this.context;
    const kernel = report.kernels.find((k) => k.kernel === moment.kernel || nameOf(report, k.kernel) === moment.kernel);
    if (kernel && kernel !== this.kernel) this.show(kernel);
    const [column, up] = (moment.order ?? 'line').split('.');
    if (column === 'line' || this.columns.some((c) => c.key === column)) this.order = { column: column!, down: column !== 'line' && up === undefined };
    this.orders.querySelector('select')!.selectedIndex = this.order.column === 'line' ? 0 : 1;
    this.fill();
    if (moment.line !== undefined) return this.find(`cuda ${moment.line}`, false);
    const place = moment.ptx === undefined ? null : placeOf(report, this.kernel.kernel, Number(moment.ptx));
    if (place && place.kernel === this.kernel) this.select(place, false);
  }
}
