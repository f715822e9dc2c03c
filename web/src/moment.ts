// The address of a moment, "#warps?warp=0,0,0.3&cycle=1200": a view and what it shows. It is the hash of the page; a page
// that embeds this one may send it as a message, `{type: 'warptime', hash: '#...'}`, and gets the same when it changes.
// Nothing else of the page's address is used: a page from `srcdoc` or a blob has none.
import type { Moment } from './view';

export interface Address {
  view: string;
  moment: Moment;
}

export function parse(hash: string): Address {
  const text = hash.replace(/^#/, '');
  const at = text.indexOf('?');
  const moment: Moment = {};
  if (at >= 0) for (const [key, value] of new URLSearchParams(text.slice(at + 1))) moment[key] = value;
  return { view: at < 0 ? text : text.slice(0, at), moment };
}

export function format({ view, moment }: Address): string {
  const words = Object.entries(moment).map(([key, value]) => `${key}=${encodeURIComponent(value).replaceAll('%2C', ',').replaceAll('%3A', ':')}`);
  return `#${view}${words.length > 0 ? `?${words.join('&')}` : ''}`;
}

/// A whole number in the moment, if it has one there.
export function numberIn(moment: Moment, key: string): number | null {
  const text = moment[key];
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

const isEmbedded = (): boolean => {
  try {
    return window.parent !== window;
  } catch {
    return true;
  }
};

/// Keeps the address and the page in step.
export class Addresses {
  private current = '';

  /// `opened`: the user, the browser's way back, or the page around this one asks for an address.
  constructor(private readonly opened: (address: Address) => void) {
    addEventListener('hashchange', () => this.receive(location.hash));
    addEventListener('message', (event: MessageEvent) => {
      const data = event.data as { type?: unknown; hash?: unknown } | null;
      if (event.source === window.parent && isEmbedded() && data?.type === 'warptime' && typeof data.hash === 'string') this.receive(data.hash);
    });
  }

  /// As the page was opened, or as the page around it asked while it was read.
  get initial(): Address {
    return parse(location.hash);
  }

  private receive(hash: string): void {
    if (hash === this.current || hash === '') return;
    this.current = hash;
    this.opened(parse(hash));
  }

  /// `step`: the browser's way back leads to where the page was before.
  put(address: Address, step: boolean): void {
    const hash = format(address);
    if (hash === this.current) return;
    const first = this.current === '';
    this.current = hash;
    try {
      if (step && !first) history.pushState(null, '', hash);
      else history.replaceState(null, '', hash);
    } catch {
      // A page without an address of its own has none to change.
    }
    if (isEmbedded()) window.parent.postMessage({ type: 'warptime', hash }, '*');
  }

  /// Whether the page has an address of its own that others can open.
  get hasLink(): boolean {
    return !/^(about|blob|data):/.test(location.protocol);
  }
  /// The whole address, for others.
  get link(): string {
    return location.href.replace(/#.*$/, '') + this.current;
  }
}
