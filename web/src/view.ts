// What the views have in common: the data, the launch that is shown, and the way from one view to a place in another.
import type { Report } from './data';

export interface Place {
  kernel: string;
  line: number;
}

export interface Context {
  report: Report;
  /// The launch that is selected in the head of the page.
  launch: () => number;
  /// Opens the source at a line.
  showLine: (place: Place) => void;
}

export interface View {
  id: string;
  name: string;
  element: HTMLElement;
  /// Draws anew, after another launch was selected, or the theme or the size changed.
  draw: () => void;
  /// Selects a line, in the source.
  select?: (place: Place) => void;
}
