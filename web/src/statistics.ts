// Every statistic with its unit and meaning, as `warptime list statistics` has them, searchable.
import type { CatalogueRow, Statistics } from './data';
import { choice, h, real, signedPercent } from './dom';
import type { Context, Moment, View } from './view';

/// The value of a dotted name; an item of a list is found by its `name`. undefined: it is a list, or not there.
export function valueOf(object: unknown, name: string): string | undefined {
  let at: unknown = object;
  for (const part of name.split('.')) {
    if (Array.isArray(at)) at = at.find((item) => (item as { name?: string } | null)?.name === part);
    else at = (at as Record<string, unknown> | null | undefined)?.[part];
    if (at === undefined) return undefined;
  }
  if (at === null) return 'none';
  if (typeof at === 'number') return real(at, 7);
  if (typeof at === 'string') return at;
  if (Array.isArray(at) && at.every((item) => typeof item === 'number')) return at.map((n) => real(n)).join(' ');
  return undefined;
}

const numberOf = (object: unknown, name: string): number => Number((valueOf(object, name) ?? '').replaceAll(',', ''));

/// Nothing where there is no number or no change.
const changeText = (a: number, b: number): string => (a !== 0 && Number.isFinite(b / a) && b !== a ? signedPercent(b / a - 1) : '');

const matches = (row: CatalogueRow, words: string[]): boolean => {
  const text = `${row.name} ${row.unit} ${row.what} ${row.profiler} ${row.scope}`.toLowerCase();
  return words.every((word) => text.includes(word));
};

export function statistics(context: Context): View {
  const { report } = context;
  const before = report.comparison?.a.statistics;
  const element = h('section', { class: 'view statistics' });
  let query = '';
  let total = false;
  const body = h('tbody', {});
  const count = h('p', { role: 'status', class: 'quiet' });

  const fill = () => {
    const part = (s: Statistics) => (total ? s.total : s.launches[context.launch()]);
    const of = part(report.statistics);
    const earlier = before && part(before);
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = report.catalogue
      .map((row) => ({ row, value: valueOf(of, row.name) }))
      .filter(({ row, value }) => value !== undefined && matches(row, words));
    body.replaceChildren(
      ...rows.map(({ row, value }) =>
        h(
          'tr',
          {},
          h('th', { scope: 'row' }, row.name),
          before && h('td', { class: 'number list' }, valueOf(earlier, row.name) ?? ''),
          h('td', { class: value!.includes(' ') ? 'number list' : 'number' }, value),
          before && h('td', { class: 'number' }, changeText(numberOf(earlier, row.name), numberOf(of, row.name))),
          h('td', {}, row.unit),
          h('td', {}, row.what),
          h('td', {}, row.scope),
          h('td', { class: 'quiet' }, row.profiler),
        ),
      ),
    );
    count.textContent = `${rows.length} of ${report.catalogue.length} rows`;
  };
  const search = h('input', {
    type: 'search',
    'aria-label': 'Search statistics',
    placeholder: 'Search, for example: dram bytes',
    input: (event) => ((query = (event.target as HTMLInputElement).value), fill(), context.moved()),
  });
  const heads = ['statistic', ...(before ? ['before', 'after', 'change'] : ['value']), 'unit', 'meaning', 'counted', 'name in profilers'];
  element.append(
    h(
      'div',
      { class: 'choices' },
      search,
      report.statistics.launches.length > 1 &&
        choice('Of', ['the launch', 'all launches'], 0, (index) => ((total = index === 1), fill())),
      count,
    ),
    h('div', { class: 'scroll' }, h('table', { class: 'grid cards' }, h('thead', {}, h('tr', {}, ...heads.map((text) => h('th', { scope: 'col' }, text)))), body)),
  );
  return {
    id: 'statistics',
    name: 'Statistics',
    element,
    draw: fill,
    moment: () => (query === '' ? ({} as Moment) : { search: query }),
    show: (moment) => {
      query = search.value = moment.search ?? '';
      fill();
    },
  };
}
