// The editor: one view, a state for each file. Its left edge has breakpoints and, after a run, what each line costs.
import { autocompletion, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { cpp } from '@codemirror/lang-cpp';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, setDiagnostics, type Diagnostic as Mark } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { EditorState, RangeSet, StateEffect, StateField, type Extension, type Text } from '@codemirror/state';
import { Decoration, drawSelection, EditorView, gutter, GutterMarker, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { Part } from './catalog';
import type { Diagnostic } from './diagnostics';
import { h } from './dom';
import type { Cost } from './hot_lines';
import { ptx } from './ptx_language';

const colours = syntaxHighlighting(
  HighlightStyle.define([
    { tag: tags.comment, class: 'c-comment' },
    { tag: [tags.keyword, tags.typeName, tags.meta], class: 'c-keyword' },
    { tag: [tags.operatorKeyword, tags.controlKeyword, tags.propertyName], class: 'c-instruction' },
    { tag: [tags.variableName], class: 'c-register' },
    { tag: [tags.number, tags.atom, tags.bool], class: 'c-number' },
    { tag: [tags.string], class: 'c-string' },
    { tag: [tags.labelName, tags.modifier], class: 'c-label' },
  ]),
);

/** The line on which the debugger's warp stands. */
const setHere = StateEffect.define<number | null>();
const here = StateField.define({
  create: () => Decoration.none,
  update(value, transaction) {
    for (const effect of transaction.effects)
      if (effect.is(setHere)) {
        const line = effect.value;
        if (line === null || line < 1 || line > transaction.state.doc.lines) return Decoration.none;
        return Decoration.set([Decoration.line({ class: 'here' }).range(transaction.state.doc.line(line).from)]);
      }
    return value.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

class CostMarker extends GutterMarker {
  constructor(readonly cost: Cost) {
    super();
  }
  override toDOM(): Node {
    const { share, text } = this.cost;
    const bar = h('span', { class: 'bar', style: `width:${Math.max(2, Math.min(100, share * 300))}%` });
    return h('div', { class: 'cost', title: text }, bar, h('span', {}, share >= 0.0005 ? (share * 100).toFixed(1) : ''));
  }
}

class PointMarker extends GutterMarker {
  override toDOM(): Node {
    return h('span', { class: 'point', title: 'a breakpoint of the view Step' });
  }
}

/** Markers by line. Edits move them with their lines. */
function markers(): { field: StateField<RangeSet<GutterMarker>>; set: (lines: Map<number, GutterMarker>) => StateEffect<unknown> } {
  const effect = StateEffect.define<Map<number, GutterMarker>>();
  const field = StateField.define<RangeSet<GutterMarker>>({
    create: () => RangeSet.empty,
    update(value, transaction) {
      for (const one of transaction.effects)
        if (one.is(effect)) {
          const { doc } = transaction.state;
          const inside = [...one.value].filter(([line]) => line >= 1 && line <= doc.lines).sort(([a], [b]) => a - b);
          return RangeSet.of(inside.map(([line, marker]) => marker.range(doc.line(line).from)));
        }
      return value.map(transaction.changes);
    },
  });
  return { field, set: (lines) => effect.of(lines) };
}

const costs = markers();
const points = markers();

const languageOf = { ptx: [ptx], yaml: [yaml()], cuda: [cpp()] } satisfies Record<Part['language'], Extension[]>;

const place = (doc: Text, line: number, column: number): number => {
  const at = doc.line(Math.max(1, Math.min(line, doc.lines)));
  return Math.min(at.from + Math.max(0, column - 1), at.to);
};

export class Editor {
  private readonly view: EditorView;
  private states = new Map<string, EditorState>();
  private path = '';
  private typed = false;

  constructor(
    parent: HTMLElement,
    private readonly changed: (path: string, text: string) => void,
    private readonly pointed: (path: string, line: number) => void,
  ) {
    this.view = new EditorView({ parent });
  }

  /** Forgets all files, and has these. */
  open(parts: Part[], textOf: (path: string) => string): void {
    this.states.clear();
    this.path = '';
    this.typed = false;
    for (const part of parts)
      this.states.set(part.path, EditorState.create({ doc: textOf(part.path), extensions: this.extensions(part) }));
    if (parts[0]) this.show(parts[0].path);
    // A compiler's PTX begins with a screen of comments.
    const { doc } = this.view.state;
    const entry = /^[^/\n]*\.entry\b/m.exec(doc.toString());
    if (entry && doc.lineAt(entry.index).number > 20) this.view.dispatch({ effects: EditorView.scrollIntoView(entry.index, { y: 'start', yMargin: 40 }) });
  }

  private extensions(part: Part): Extension[] {
    return [
      lineNumbers({ domEventHandlers: { mousedown: (view, block) => (this.pointed(part.path, view.state.doc.lineAt(block.from).number), true) } }),
      points.field,
      gutter({ class: 'points', markers: (view) => view.state.field(points.field) }),
      costs.field,
      part.language === 'yaml' ? [] : gutter({ class: 'costs', markers: (view) => view.state.field(costs.field) }),
      lintGutter(),
      here,
      history(),
      drawSelection(),
      bracketMatching(),
      highlightActiveLine(),
      highlightSelectionMatches(),
      autocompletion({ activateOnTyping: false }),
      colours,
      languageOf[part.language],
      keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, ...completionKeymap, indentWithTab]),
      EditorState.readOnly.of(!part.editable),
      EditorView.contentAttributes.of({ 'aria-label': part.path }),
      EditorView.updateListener.of((update) => {
        this.typed ||= update.docChanged;
        if (update.docChanged) this.changed(part.path, update.state.doc.toString());
      }),
    ];
  }

  /** The cursor is where it was when the file was opened, and so is the text. */
  get untouched(): boolean {
    return this.path.endsWith('.ptx') && this.view.state.selection.main.head === 0 && !this.typed;
  }

  get shown(): string {
    return this.path;
  }

  show(path: string): void {
    if (path === this.path || !this.states.has(path)) return;
    if (this.path !== '') this.states.set(this.path, this.view.state);
    this.path = path;
    this.view.setState(this.states.get(path)!);
  }

  /** Selects a line and brings it into the middle. */
  goTo(path: string, line: number, column = 1): void {
    this.show(path);
    if (this.path !== path) return;
    const at = place(this.view.state.doc, line, column);
    this.view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) });
  }

  private dispatch(path: string, effects: (state: EditorState) => StateEffect<unknown>[]): void {
    if (path === this.path) return this.view.dispatch({ effects: effects(this.view.state) });
    const state = this.states.get(path);
    if (state) this.states.set(path, state.update({ effects: effects(state) }).state);
  }

  diagnose(path: string, found: Diagnostic[]): void {
    const state = path === this.path ? this.view.state : this.states.get(path);
    if (!state) return;
    const marks = found.map((one): Mark => {
      const from = place(state.doc, one.line, one.column);
      const end = state.doc.lineAt(from).to;
      const text = [one.message, ...one.hints.map((hint) => `hint: ${hint}`)].join('\n');
      return { from, to: Math.min(from + one.length, end), severity: one.severity === 'note' ? 'info' : one.severity, message: text };
    });
    const transaction = setDiagnostics(state, marks);
    if (path === this.path) this.view.dispatch(transaction);
    else this.states.set(path, state.update(transaction).state);
  }

  showCosts(path: string, lines: Map<number, Cost>): void {
    this.dispatch(path, () => [costs.set(new Map([...lines].map(([line, cost]) => [line, new CostMarker(cost)])))]);
  }

  showPoints(path: string, lines: number[]): void {
    this.dispatch(path, () => [points.set(new Map(lines.map((line) => [line, new PointMarker()])))]);
  }

  /** Where the debugger's warp stands; null: nowhere in this file. */
  standAt(path: string, line: number | null): void {
    this.dispatch(path, () => [setHere.of(line)]);
    if (line !== null) this.goTo(path, line);
  }
}
