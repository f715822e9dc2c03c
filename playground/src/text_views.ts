// Views that show a command's text: `explain`, `check`, and any command that is typed.
import { h } from './dom';
import type { Result } from './messages';
import { linked, type GoTo } from './transcript';

export interface TextHost {
  /** Runs a command of which the user sees that it runs. */
  seen(words: string[]): Promise<Result>;
  target(): string[];
  goTo: GoTo;
  ptx(): string;
}

const words = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The text of `warptime NAME TARGET`, made when the view is opened and the program is another one than before. */
export class TextView {
  readonly element = h('div', { class: 'text' });
  private shown = -1;

  constructor(
    private readonly name: 'explain' | 'check',
    private readonly host: TextHost,
  ) {}

  /** `version` counts the changes of the program. */
  async fill(version: number): Promise<void> {
    if (this.shown === version) return;
    this.shown = version;
    this.element.replaceChildren(h('p', { class: 'note' }, 'running ...'));
    try {
      const { out, err } = await this.host.seen([this.name, ...this.host.target()]);
      this.element.replaceChildren(linked([out, err].filter((text) => text !== '').join('\n'), this.host.goTo, this.host.ptx()));
    } catch (error) {
      this.shown = -1;
      this.element.replaceChildren(h('p', { class: 'note' }, words(error)));
    }
  }
}

/** The words of a command line: quotes hold a word together. */
export const split = (line: string): string[] =>
  (line.replace(/^\s*(?:\$\s*)?warptime\s+/, '').match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^(["'])(.*)\1$/, '$2'));

/** Any command of warptime. */
export class CommandView {
  private readonly output = h('div', { class: 'said', 'aria-live': 'polite' });
  readonly input = h('input', { type: 'text', 'aria-label': 'A command of warptime', spellcheck: 'false' });
  readonly element: HTMLElement;

  constructor(
    private readonly host: TextHost,
    private readonly ran: (line: string) => void,
  ) {
    const submit = (event: Event): void => (event.preventDefault(), void this.run(this.input.value));
    this.element = h('div', {}, h('form', { class: 'type', submit }, h('span', {}, 'warptime'), this.input, h('button', {}, 'do')), this.output);
  }

  async run(line: string): Promise<void> {
    this.output.replaceChildren(h('p', { class: 'note' }, 'running ...'));
    try {
      const { status, out, err } = await this.host.seen(split(line));
      this.output.replaceChildren(linked(`${out}${err}${status === 0 ? '' : `exit status ${status}\n`}`, this.host.goTo, this.host.ptx()));
      this.ran(line);
    } catch (error) {
      this.output.replaceChildren(h('p', { class: 'note' }, words(error)));
    }
  }
}
