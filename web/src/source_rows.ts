// The lines of a kernel with their costs: columns, order and filter of the source view.
import type { Kernel, Named, Row } from './data';
import { percent, whole } from './dom';

export interface Column {
  key: string;
  name: string;
  what: string;
  /// To sort by; of a text column, undefined.
  value?: (row: Row) => number;
  text: (row: Row) => string;
}

const stalled = (row: Row): number => row.stalls.reduce((a, b) => a + b, 0);
/// All issue slots that the line cost.
export const cost = (row: Row): number => row.issued + stalled(row);

/// Reasons for which no line of the kernel lost a slot have no column.
export function columnsOf(kernel: Kernel, stalls: Named[]): Column[] {
  const slots = Math.max(kernel.slots, 1);
  const share = (slotsOf: number) => (slotsOf === 0 ? '' : percent(slotsOf / slots));
  const columns: Column[] = [
    { key: 'line', name: 'line', what: 'line of the PTX', value: (r) => r.line, text: (r) => (r.line ? String(r.line) : '') },
    { key: 'text', name: 'PTX', what: 'the instruction', text: (r) => r.text },
  ];
  if (kernel.rows.some((r) => r.native !== undefined))
    columns.push({ key: 'native', name: 'native', what: 'native instructions', text: (r) => r.native ?? '' });
  columns.push(
    { key: 'executions', name: 'executions', what: 'times that a warp issued it', value: (r) => r.executions, text: (r) => (r.executions ? whole(r.executions) : '') },
    {
      key: 'lanes',
      name: 'lanes',
      what: 'lanes whose guard was true, on average',
      value: (r) => r.threads / Math.max(r.executions, 1),
      text: (r) => (r.executions ? (r.threads / r.executions).toFixed(1) : ''),
    },
    { key: 'issued', name: 'issued', what: 'share of all issue slots in which it issued', value: (r) => r.issued, text: (r) => share(r.issued) },
    { key: 'stalled', name: 'stalled', what: 'share of all issue slots that passed before it could issue', value: stalled, text: (r) => share(stalled(r)) },
  );
  stalls.forEach((stall, i) => {
    if (!kernel.rows.some((r) => (r.stalls[i] ?? 0) > 0)) return;
    columns.push({ key: stall.key, name: stall.key, what: stall.what, value: (r) => r.stalls[i] ?? 0, text: (r) => share(r.stalls[i] ?? 0) });
  });
  return columns;
}

export interface Order {
  column: string;
  down: boolean;
}

/// Indices of the rows that are shown, in their order.
export function arrange(kernel: Kernel, columns: Column[], order: Order, query: string, executed: boolean): number[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = kernel.rows
    .map((_, i) => i)
    .filter((i) => {
      const row = kernel.rows[i]!;
      if (row.line === 0 && cost(row) === 0) return false;
      if (executed && row.executions === 0) return false;
      const text = `${row.line} ${row.text} ${row.native ?? ''} ${row.function ?? ''}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
  const value = columns.find((c) => c.key === order.column)?.value;
  if (!value || (order.column === 'line' && !order.down)) return shown;
  const sign = order.down ? -1 : 1;
  return shown.sort((a, b) => sign * (value(kernel.rows[a]!) - value(kernel.rows[b]!)) || a - b);
}
