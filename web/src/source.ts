// The source: each PTX line with its cost, by reason; the CUDA source beside it where it is known.
import { cudaPane, type CudaPane } from './cuda';
import { nameOf, type Row } from './data';
import { choice, h, percent, whole } from './dom';
import { arrange, columnsOf, cost, type Column, type Order } from './source_rows';
import type { Context, Place, View } from './view';

const kRowsAtOnce = 1500;

export function source(context: Context): View {
  const { report } = context;
  const element = h('section', { class: 'view source' });
  let kernel = report.kernels[0]!;
  let columns: Column[] = [];
  let order: Order = { column: 'line', down: false };
  let query = '';
  let executed = false;
  let issues = false;
  let most = kRowsAtOnce;
  let selected = -1;
  let shown: number[] = [];
  let cuda: CudaPane | null = null;
  const lines = new Map<number, HTMLElement>();
  const head = h('thead', {});
  const body = h('tbody', {});
  const status = h('p', { role: 'status', class: 'quiet' });
  const detail = h('div', { class: 'detail', 'aria-live': 'polite' });
  const panes = h('div', { class: 'panes' });

  const describe = (row: Row) => {
    const reasons = report.stalls
      .map((stall, i) => ({ stall, share: (row.stalls[i] ?? 0) / Math.max(kernel.slots, 1) }))
      .filter(({ share }) => share > 0)
      .sort((a, b) => b.share - a.share);
    detail.replaceChildren(
      h('strong', {}, row.source ? `${row.source}, PTX line ${row.line}: ` : row.line ? `Line ${row.line}: ` : 'No instruction: ', h('code', {}, row.text)),
      row.executions > 0 && h('span', {}, ` issued ${whole(row.executions)} times, ${(row.threads / row.executions).toFixed(1)} lanes on average.`) || '',
      row.issues ? h('p', {}, 'Issues: ', h('code', {}, row.issues)) : '',
      row.calls ? h('p', { class: 'quiet' }, `Inlined: ${row.calls.join(' ← ')}`) : '',
      h('ul', {}, ...reasons.map(({ stall, share }) => h('li', {}, `${percent(share, 2)} of all issue slots ${stall.what} (${stall.key})`))),
    );
  };

  const select = (index: number, focus: boolean) => {
    lines.get(selected)?.setAttribute('aria-selected', 'false');
    if (lines.has(selected)) lines.get(selected)!.tabIndex = -1;
    selected = index;
    const line = lines.get(index);
    line?.setAttribute('aria-selected', 'true');
    if (line) line.tabIndex = 0;
    line?.scrollIntoView({ block: 'nearest' });
    if (focus) line?.focus({ preventScroll: true });
    const row = kernel.rows[index]!;
    describe(row);
    cuda?.mark(row.file, row.cuda);
  };

  const key = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const next = shown[shown.indexOf(selected) + step];
    if (step === 0 || next === undefined || !lines.has(next)) return;
    event.preventDefault();
    select(next, true);
  };

  const drawHead = () =>
    head.replaceChildren(
      h(
        'tr',
        {},
        ...columns.map((column) => {
          const sorted = order.column === column.key ? (order.down ? 'descending' : 'ascending') : 'none';
          const sort = () => {
            order = { column: column.key, down: order.column === column.key ? !order.down : column.key !== 'line' };
            drawHead();
            fill();
          };
          return h(
            'th',
            { scope: 'col', 'aria-sort': column.value && sorted, title: column.what },
            column.value ? h('button', { click: sort }, column.name, sorted === 'none' ? '' : order.down ? ' ▾' : ' ▴') : column.name,
          );
        }),
      ),
    );

  const fill = () => {
    shown = arrange(kernel, columns, order, query, executed);
    const hottest = Math.max(...kernel.rows.filter((row) => row.line !== 0).map(cost), 1);
    lines.clear();
    let last: string | undefined;
    const out: HTMLElement[] = [];
    for (const index of shown.slice(0, most)) {
      const row = kernel.rows[index]!;
      if (order.column === 'line' && row.line !== 0 && (row.function ?? '') !== (last ?? '')) {
        last = row.function ?? '';
        out.push(h('tr', { class: 'function' }, h('td', { colspan: columns.length }, last === '' ? `kernel ${nameOf(report, kernel.kernel)}` : `function ${last}`)));
      }
      const line = h(
        'tr',
        { 'aria-selected': index === selected ? 'true' : 'false', tabindex: index === (selected < 0 ? shown[0] : selected) ? 0 : -1, style: `--heat:${row.line === 0 ? 0 : cost(row) / hottest}`, 'data-line': row.line, click: () => select(index, true) },
        ...columns.map((column) =>
          h('td', { class: column.value ? (column.key === 'stalled' ? 'number heat' : 'number') : 'code' }, row.line === 0 && column.key === 'text' ? 'no instruction' : column.text(row)),
        ),
      );
      lines.set(index, line);
      out.push(line);
      if (issues && row.issues)
        out.push(h('tr', { class: 'issues' }, h('td', {}), h('td', { class: 'code', colspan: columns.length - 1 }, row.issues)));
    }
    if (shown.length > most)
      out.push(h('tr', {}, h('td', { colspan: columns.length }, h('button', { click: () => ((most = shown.length), fill()) }, `Show the other ${whole(shown.length - most)} lines`))));
    body.replaceChildren(...out);
    status.textContent = `${whole(shown.length)} of ${whole(kernel.rows.length)} rows`;
  };

  const open = (index: number) => {
    kernel = report.kernels[index]!;
    columns = columnsOf(kernel, report.stalls);
    selected = -1;
    most = kRowsAtOnce;
    detail.replaceChildren(`${nameOf(report, kernel.kernel)}: ${whole(kernel.launches)} launch${kernel.launches === 1 ? '' : 'es'}, ${percent(kernel.issued / Math.max(kernel.slots, 1))} of ${whole(kernel.slots)} issue slots issued. Choose a line for its reasons.`);
    cuda = cudaPane(report, kernel, (rows) => {
      const first = shown.find((i) => rows.includes(i));
      if (first !== undefined) select(first, false);
    });
    const table = h('table', { class: 'grid lines', keydown: (e) => key(e as KeyboardEvent) }, head, body);
    panes.replaceChildren(h('div', { class: 'scroll ptx', role: 'region', 'aria-label': 'PTX source' }, table), ...(cuda ? [cuda.element] : []));
    panes.classList.toggle('two', cuda !== null);
    drawHead();
    fill();
  };

  const names = report.kernels.map((k) => nameOf(report, k.kernel));
  element.append(
    h(
      'div',
      { class: 'choices' },
      names.length > 1 && choice('Kernel', names, 0, open),
      h('input', { type: 'search', 'aria-label': 'Filter lines', placeholder: 'Filter, for example: ld.global', input: (e) => ((query = (e.target as HTMLInputElement).value), fill()) }),
      h('label', {}, h('input', { type: 'checkbox', change: (e) => ((executed = (e.target as HTMLInputElement).checked), fill()) }), ' executed lines only'),
      report.kernels.some((k) => k.rows.some((r) => r.issues)) &&
        h('label', {}, h('input', { type: 'checkbox', change: (e) => ((issues = (e.target as HTMLInputElement).checked), fill()) }), ' what issues, with cycles'),
      status,
    ),
    detail,
    panes,
  );
  open(0);
  return {
    id: 'source',
    name: 'Source',
    element,
    draw: () => undefined,
    select: ({ kernel: name, line }: Place) => {
      const at = names.indexOf(name);
      if (at >= 0 && report.kernels[at] !== kernel) open(at);
      const row = kernel.rows.findIndex((r) => r.line === line);
      if (row >= 0) select(row, true);
    },
  };
}
