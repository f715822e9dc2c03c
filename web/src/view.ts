// What the views have in common: the data, the launch that is shown, and the way from one view to a place in another.
import type { Kernel, Report } from './data';

/// A row of a kernel of the report.
export interface Place {
  kernel: Kernel;
  row: number;
}

/// What a view shows, in the words of the page's address.
export type Moment = Record<string, string>;

export interface Context {
  report: Report;
  /// The launch that is selected in the head of the page.
  launch: () => number;
  /// Opens the source at a row.
  showRow: (place: Place) => void;
  /// Opens a view at a moment; the way back is the browser's.
  go: (view: string, moment: Moment) => void;
  /// A view shows something else now: the address follows.
  moved: () => void;
}

export interface View {
  id: string;
  name: string;
  element: HTMLElement;
  /// Draws anew, after another launch was selected, or the theme or the size changed.
  draw: () => void;
  /// Selects a row, in the source.
  select?: (place: Place) => void;
  /// What is shown, and the way to it.
  moment?: () => Moment;
  show?: (moment: Moment) => void;
}

/// The row of a line of PTX. Kernels of one name may be of several modules: the one in which the line cost most. null:
/// there is none.
export function placeOf(report: Report, kernel: string, line: number): Place | null {
  let best: Place | null = null;
  let most = -1;
  for (const k of report.kernels) {
    if (k.kernel !== kernel) continue;
    k.rows.forEach((row, i) => {
      const cost = row.issued + row.stalls.reduce((a, b) => a + b, 0);
      if (row.line !== line || cost <= most) return;
      most = cost;
      best = { kernel: k, row: i };
    });
  }
  return best;
}
