// The machine as a form: a field for each parameter of `warptime schema machine`, with the values of the chosen machine.
// What is changed becomes `--set PATH=VALUE`; whether it is legal the program says, not the form.
import type { Schema } from './catalog';
import { h } from './dom';

export interface Field {
  path: string;
  schema: Schema;
}

/** All scalar parameters, in the order of the schema, by group: "" and "chip", "chip.caches_between_launches", ... */
export function fieldsOf(root: Schema & { definitions: Record<string, Schema> }): Map<string, Field[]> {
  const groups = new Map<string, Field[]>();
  const add = (group: string, schema: Schema): void => {
    for (const [key, property] of Object.entries(schema.properties ?? {})) {
      const reference = property.allOf?.[0]?.$ref ?? property.$ref;
      const path = group === '' ? key : `${group}.${key}`;
      if (reference !== undefined) add(path, root.definitions[reference.replace('#/definitions/', '')] ?? {});
      else if (property.type !== 'array' && key !== 'extends' && key !== 'description') {
        const fields = groups.get(group);
        if (fields) fields.push({ path, schema: property });
        else groups.set(group, [{ path, schema: property }]);
      }
    }
  };
  add('', root);
  return groups;
}

const limits = ({ minimum, maximum, enum: choices }: Schema): string =>
  choices ? choices.join(', ') : minimum !== undefined || maximum !== undefined ? `${minimum ?? ''} to ${maximum ?? ''}` : '';

export class MachineForm {
  readonly element = h('div', { class: 'fields' });
  private readonly search = h('input', { type: 'search', placeholder: 'find a parameter', 'aria-label': 'Find a parameter', input: () => this.filter() });
  private readonly inputs = new Map<string, HTMLInputElement | HTMLSelectElement>();
  private readonly groups: HTMLDetailsElement[] = [];
  private readonly problem = h('pre', { class: 'problem', role: 'alert', hidden: true });

  constructor(
    root: Schema & { definitions: Record<string, Schema> },
    private readonly changed: (path: string, value: string | null) => void,
  ) {
    this.element.append(this.search, this.problem);
    for (const [group, fields] of fieldsOf(root)) {
      const details = h('details', {}, h('summary', {}, group === '' ? 'general' : group));
      for (const field of fields) details.append(this.row(field, group));
      this.groups.push(details);
      this.element.append(details);
    }
  }

  private row({ path, schema }: Field, group: string): HTMLElement {
    const choices = schema.enum ?? (schema.type === 'boolean' ? ['true', 'false'] : undefined);
    const heard = (): void => this.changed(path, input.value.trim() === '' ? null : input.value.trim());
    const input = choices
      ? h('select', { change: heard }, h('option', { value: '' }), ...choices.map((word) => h('option', { value: String(word) }, String(word))))
      : h('input', { type: 'text', inputmode: 'decimal', change: heard });
    this.inputs.set(path, input);
    const name = group === '' ? path : path.slice(group.length + 1);
    const title = [path, schema.description ?? '', limits(schema)].filter((line) => line !== '').join('\n');
    return h('label', { title, 'data-path': path }, h('span', {}, name), input);
  }

  /** The values of the machine, as `warptime machine show NAME --json` has them. */
  showMachine(values: Record<string, unknown>): void {
    for (const [path, input] of this.inputs) {
      const value = values[path] === undefined ? '' : String(values[path]);
      if (input instanceof HTMLInputElement) input.placeholder = value;
      else input.options[0]!.textContent = value === '' ? '' : `${value} (as the machine)`;
    }
  }

  showChanges(set: Record<string, string>): void {
    for (const [path, input] of this.inputs) {
      input.value = set[path] ?? '';
      const changed = set[path] !== undefined;
      input.closest('label')!.classList.toggle('changed', changed);
      if (changed) input.closest('details')!.open = true;
    }
  }

  showProblem(text: string): void {
    this.problem.textContent = text;
    this.problem.hidden = text === '';
  }

  private filter(): void {
    const words = this.search.value.toLowerCase().split(/\s+/).filter((word) => word !== '');
    for (const details of this.groups) {
      let any = false;
      for (const row of details.querySelectorAll('label')) {
        const text = row.title.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
        any ||= !row.hidden;
      }
      details.hidden = !any;
      if (words.length > 0) details.open = any;
    }
  }
}
