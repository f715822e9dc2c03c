// Elements without a framework.

type Child = Node | string | false | null | undefined;
type Value = string | number | boolean | undefined | ((event: Event) => void);

/** h('button', {class: 'x', click: f}, 'text'): functions listen, `true` is an empty attribute, false is none. */
export function h<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Record<string, Value> = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(key, value);
    else if (value !== undefined && value !== false) element.setAttribute(key, value === true ? '' : String(value));
  }
  for (const child of children) if (child || child === '') element.append(child);
  return element;
}

export const id = <T extends HTMLElement>(name: string): T => document.getElementById(name) as T;
