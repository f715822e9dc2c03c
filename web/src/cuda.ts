// The CUDA source beside the PTX: the lines that `.loc` names, with the cost of their instructions.
import type { Kernel, Report } from './data';
import { h, percent } from './dom';
import { cost } from './source_rows';

export interface CudaPane {
  element: HTMLElement;
  /// Marks the line of a row of the kernel.
  mark: (file: number | undefined, line: number | undefined) => void;
}

/// null: no line of the kernel has a source that was found. `chosen`: a line was clicked; gets the rows that are of it.
export function cudaPane(report: Report, kernel: Kernel, chosen: (rows: number[]) => void): CudaPane | null {
  const costs = new Map<string, { cost: number; rows: number[] }>();
  kernel.rows.forEach((row, i) => {
    if (row.file === undefined || row.cuda === undefined) return;
    const key = `${row.file}:${row.cuda}`;
    const entry = costs.get(key) ?? { cost: 0, rows: [] };
    entry.cost += cost(row);
    entry.rows.push(i);
    costs.set(key, entry);
  });
  if (costs.size === 0) return null;
  const most = Math.max(...[...costs.values()].map((entry) => entry.cost), 1);
  const lines = new Map<string, HTMLElement>();
  const files = [...new Set(kernel.rows.map((row) => row.file).filter((file) => file !== undefined))];
  const parts = files.map((file) => {
    const { name, lines: texts } = report.files[file]!;
    const body = texts.map((text, i) => {
      const key = `${file}:${i + 1}`;
      const entry = costs.get(key);
      const line = h(
        'tr',
        entry
          ? { class: 'hot', tabindex: 0, style: `--heat:${entry.cost / most}`, click: () => chosen(entry.rows), keydown: (e) => (e as KeyboardEvent).key === 'Enter' && chosen(entry.rows) }
          : {},
        h('td', { class: 'number' }, i + 1),
        h('td', { class: 'number heat' }, entry ? percent(entry.cost / Math.max(kernel.slots, 1)) : ''),
        h('td', { class: 'code' }, text),
      );
      lines.set(key, line);
      return line;
    });
    return h('table', { class: 'grid' }, h('caption', {}, `${name}: share of all issue slots`), h('tbody', {}, ...body));
  });
  let marked: HTMLElement | undefined;
  return {
    element: h('div', { class: 'scroll cuda', 'aria-label': 'CUDA source', role: 'region', tabindex: 0 }, ...parts),
    mark: (file, line) => {
      marked?.classList.remove('marked');
      marked = lines.get(`${file}:${line}`);
      marked?.classList.add('marked');
      marked?.scrollIntoView({ block: 'nearest' });
    },
  };
}
