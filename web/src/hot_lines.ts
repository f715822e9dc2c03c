// The lines that cost the most, each with its reasons: which line waits, and why.
import { chip, partsOf, stack } from './bars';
import { costOf, cudaLines, reasonsOf } from './cuda_lines';
import { nameOf } from './data';
import { h, percent } from './dom';
import type { Context } from './view';

const kReasons = 2;

/// null: the report has no lines of the kernel, or none that cost anything.
export function hotLines(context: Context, name: string, most: number): HTMLElement | null {
  const { report } = context;
  const kernel = report.kernels.find((k) => k.kernel === name);
  if (!kernel) return null;
  const lines = cudaLines(report, kernel);
  const places =
    lines.some((line) => line.place !== '') || lines.length === 0
      ? lines.map((line) => ({ place: line.place, text: line.text ?? '', cost: line.sum, row: line.rows[0]! }))
      : lines[0]!.rows.map((row) => ({ place: `PTX ${kernel.rows[row]!.line}`, text: kernel.rows[row]!.text, cost: kernel.rows[row]!, row }));
  const shown = places.filter((p) => costOf(p.cost) > 0).sort((a, b) => costOf(b.cost) - costOf(a.cost)).slice(0, most);
  if (shown.length === 0) return null;
  const largest = costOf(shown[0]!.cost);
  const slots = Math.max(kernel.slots, 1);
  const open = (place: (typeof shown)[number]) => (place.place.startsWith('PTX ') ? context.showRow({ kernel, row: place.row }) : context.go('source', { kernel: kernel.kernel, order: 'cost', line: place.place }));
  return h(
    'section',
    { class: 'hot-lines' },
    h('h2', {}, `Where the issue slots go${report.kernels.length > 1 ? `: ${nameOf(report, name)}` : ''}`),
    h(
      'table',
      { class: 'bars' },
      h(
        'tbody',
        {},
        ...shown.map((place) => {
          const cost = costOf(place.cost);
          const reasons = reasonsOf(report, place.cost).slice(0, kReasons);
          return h(
            'tr',
            { 'data-place': place.place },
            h('th', { scope: 'row' }, h('button', { click: () => open(place) }, place.place || 'no line')),
            h('td', { class: 'number' }, percent(cost / slots)),
            h(
              'td',
              { class: 'what' },
              h('code', {}, place.text.trim()),
              stack(report, partsOf(report, place.cost, cost), 8, cost / largest),
              h('span', { class: 'quiet' }, ...reasons.flatMap((r, i) => [i > 0 ? ', ' : '', chip(report, r.key === 'issued' ? 'issue' : r.key), `${r.key} ${percent(r.slots / slots)}`])),
            ),
          );
        }),
      ),
    ),
  );
}
