// Elements without markup in strings, so that no text of the user is ever read as HTML; and the formats of numbers.

type Child = Node | string | number | null | undefined | false;
type Attributes = Record<string, string | number | boolean | undefined | ((event: Event) => void)>;

function fill(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
  for (const child of children)
    if (child !== null && child !== undefined && child !== false)
      element.append(child instanceof Node ? child : String(child));
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

export function svg(tag: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  fill(element, attributes, children);
  return element;
}

export const whole = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 0 });
export const real = (value: number, digits = 4): string =>
  Number.isInteger(value) ? whole(value) : value.toLocaleString('en-US', { maximumSignificantDigits: digits });
export const percent = (share: number, digits = 1): string => `${(share * 100).toFixed(digits)} %`;

export const signedPercent = (share: number): string => `${share > 0 ? '+' : share < 0 ? '−' : '±'}${percent(Math.abs(share))}`;

export function microseconds(us: number): string {
  return us >= 1e6 ? `${real(us / 1e6)} s` : us >= 1e4 ? `${real(us / 1e3)} ms` : `${real(us, 5)} µs`;
}

/// The value of a custom property of the theme.
export const themed = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/// A labelled choice.
export function choice(label: string, options: string[], selected: number, chosen: (index: number) => void): HTMLElement {
  const select = h(
    'select',
    { change: (event) => chosen((event.target as HTMLSelectElement).selectedIndex) },
    ...options.map((text, i) => h('option', { selected: i === selected }, text)),
  );
  return h('label', { class: 'choice' }, `${label} `, select);
}
