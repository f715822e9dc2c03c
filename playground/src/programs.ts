// What can be run, as one list: the course, the workloads, the examples. And the form of a workload's parameters.
import type { Catalog, Parameter } from './catalog';
import { h } from './dom';

export const kOwn = 'mine/mine.yaml';

export function programList(catalog: Catalog, chosen: (program: string) => void): HTMLSelectElement {
  const option = (value: string, text: string, title = ''): HTMLOptionElement => h('option', { value, title }, text);
  const lessons = catalog.lessons.map((lesson) =>
    h('optgroup', { label: `Lesson ${lesson.number}. ${lesson.title}` }, ...lesson.files.map((path) => option(path, path.includes('/') ? path.slice(path.lastIndexOf('/') + 1) : path, path))),
  );
  const workloads = h(
    'optgroup', { label: 'Workloads' },
    ...catalog.workloads.flatMap((workload) =>
      workload.variants.length === 0
        ? [option(workload.name, workload.name, workload.what)]
        : workload.variants.map((variant) => option(`${workload.name}:${variant}`, `${workload.name}:${variant}`, workload.what)),
    ),
  );
  const examples = h('optgroup', { label: 'Examples' }, ...catalog.examples.map((file) => option(file.path, file.title, file.path)));
  const own = h('optgroup', { label: 'Your own' }, option(kOwn, 'your kernel (PTX and a launch file)'));
  const select = h('select', { id: 'program', 'aria-label': 'Program', change: () => chosen(select.value) }, own, ...lessons, workloads, examples);
  return select;
}

/** One field for each parameter; `changed` gets null for the default. */
export function parameterFields(parameters: Parameter[], values: Record<string, string>, changed: (name: string, value: string | null) => void): HTMLElement[] {
  return parameters.map((parameter) => {
    if (parameter.choices) {
      const words = parameter.choices.map(String);
      const given = values[parameter.name] ?? String(parameter.default);
      const select = h('select', { change: () => changed(parameter.name, select.value) }, ...words.map((word) => h('option', { value: word, selected: word === given }, word)));
      return h('label', { title: parameter.what }, h('span', {}, `${parameter.name} =`), select);
    }
    const input = h('input', {
      type: 'text', inputmode: 'numeric', size: 7, value: values[parameter.name] ?? '', placeholder: parameter.default,
      change: () => changed(parameter.name, input.value.trim() === '' ? null : input.value.trim()),
    });
    return h('label', { title: `${parameter.what} (${parameter.low ?? ''} to ${parameter.high ?? ''})` }, h('span', {}, `${parameter.name} =`), input);
  });
}

/** `params:` of a launch file, as far as one needs for a form. */
export function parametersOfFile(text: string): Parameter[] {
  const block = /^params:\n((?:[ \t]+.*\n|\s*#.*\n|\n)+)/m.exec(text)?.[1] ?? '';
  const found: Parameter[] = [];
  for (const line of block.split('\n')) {
    const one = /^\s+(\w+):\s*(?:\{.*?default:\s*([^,}\s]+).*?\}|([^\s{#]+))/.exec(line);
    if (one) found.push({ name: one[1]!, default: Number(one[2] ?? one[3]), what: /help:\s*("?)([^"}]*)\1/.exec(line)?.[2] ?? one[1]! });
  }
  return found;
}
