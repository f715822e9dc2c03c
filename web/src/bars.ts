// Bars of shares, as SVG so that they are printed too: the resources of the machine, and the use of issue slots.
import type { Launch, Report } from './data';
import { h, percent, svg } from './dom';
import { fillOf, inkOn, lookOf } from './palette';

export interface Part {
  key: string;
  name: string;
  what: string;
  share: number;
}

/// The look of a state or reason of the report.
export const lookIn = (report: Report, key: string) => lookOf(key, report.stalls.findIndex((s) => s.key === key));

/// A box in the look of a state, for legends.
export function chip(report: Report, key: string): SVGElement {
  const look = lookIn(report, key);
  return svg('svg', { class: 'chip', width: 14, height: 14, 'aria-hidden': 'true' }, svg('rect', { width: 14, height: 14, fill: fillOf(look) }));
}

/// Shares side by side, over `length` of the width. Parts that are wide enough have their name.
export function stack(report: Report, parts: Part[], height: number, length = 1): SVGElement {
  let from = 0;
  const shown = parts.filter((part) => part.share > 0);
  return svg(
    'svg',
    { class: 'stack', width: '100%', height, 'aria-hidden': 'true' },
    ...shown.map((part) => {
      const look = lookIn(report, part.key);
      const x = from * 100;
      const width = part.share * length * 100;
      from += part.share * length;
      const named = height >= 20 && width > 9 + part.name.length * 0.25;
      return svg(
        'svg',
        { x: `${x}%`, width: `${width}%`, height },
        svg('title', {}, `${part.name} ${percent(part.share)}: ${part.what}`),
        svg('rect', { width: '100%', height, fill: fillOf(look), class: 'part' }),
        named && look.pattern !== 'solid' && svg('rect', { x: 3, y: 4, width: part.name.length * 7 + 4, height: height - 8, fill: look.colour }),
        named && svg('text', { x: 5, y: height / 2 + 4, fill: inkOn(look.colour) }, part.name),
      );
    }),
  );
}

/// Of one launch or line: issued, and each reason.
export function partsOf(report: Report, cost: { issued: number; stalls: number[] }, slots: number): Part[] {
  const all = Math.max(slots, 1);
  const parts: Part[] = [{ key: 'issue', name: 'issued', what: 'an instruction issued', share: cost.issued / all }];
  report.stalls.forEach((stall, i) => parts.push({ key: stall.key, name: stall.key, what: stall.what, share: (cost.stalls[i] ?? 0) / all }));
  return parts.filter((p) => p.share > 0).sort((a, b) => b.share - a.share);
}

/// A share as a bar, with marks at others.
export function bar(share: number, kind: string, marks: { at: number; kind: string; title: string }[] = [], height = 14): SVGElement {
  const at = (value: number) => `${Math.min(Math.max(value, 0), 1) * 100}%`;
  return svg(
    'svg',
    { class: 'bar', width: '100%', height, 'aria-hidden': 'true' },
    svg('rect', { class: 'room', width: '100%', height }),
    svg('rect', { class: `fill ${kind}`, width: at(share), height }),
    ...marks.map((mark) => svg('line', { class: mark.kind, x1: at(mark.at), x2: at(mark.at), y1: 0, y2: height }, svg('title', {}, mark.title))),
  );
}

/// Each shared resource's busy share, on average and of its busiest unit, beside what can be reached. What was never
/// busy is named below.
export function resourceBars(report: Report, launch: Launch, most = 99): HTMLElement {
  const uses = launch.resources ?? [];
  const words = (name: string) => report.resources.find((r) => r.key === name)?.words ?? name;
  const idle = uses.filter((use) => use.busiest === 0);
  const rows = uses.filter((use) => use.busiest > 0).slice(0, most).map((use) => {
    const info = report.resources.find((r) => r.key === use.name);
    const reachable = info?.reachable ?? 1;
    const marks = [{ at: use.busiest, kind: 'mark', title: `busiest unit ${percent(use.busiest)}` }];
    if (reachable < 1) marks.push({ at: reachable, kind: 'limit', title: `reachable ${percent(reachable)}` });
    return h(
      'tr',
      { title: info?.what ?? '' },
      h('th', { scope: 'row' }, words(use.name)),
      h('td', { class: 'bar' }, bar(use.busy, 'a', marks)),
      h('td', { class: 'number' }, percent(use.busy)),
      h('td', { class: 'number' }, percent(use.busiest)),
    );
  });
  return h(
    'div',
    {},
    h(
      'table',
      { class: 'bars' },
      h('caption', {}, 'Share of the time that each shared resource is busy. ▏busiest unit; ┊ reachable in practice'),
      h('thead', {}, h('tr', {}, h('th', {}, 'resource'), h('th', {}), h('th', { class: 'number' }, 'average'), h('th', { class: 'number' }, 'busiest'))),
      h('tbody', {}, ...rows),
    ),
    idle.length > 0 && h('p', { class: 'quiet' }, `Never busy: ${idle.map((use) => words(use.name)).join(', ')}.`),
  );
}

/// The shares of two runs, the first above.
export const twoBars = (a: number, b: number): SVGElement[] => [bar(a, 'a', [], 7), bar(b, 'b', [], 7)];

/// The issue slots of all SMs: issued, or lost for a reason.
export function slotBar(report: Report, launch: Launch): HTMLElement {
  const cost = { issued: launch.issue.issued, stalls: report.stalls.map((s) => launch.issue.stalls?.[s.key] ?? 0) };
  const shown = partsOf(report, cost, launch.issue.slots).filter((p) => p.share > 0.0005);
  return h(
    'div',
    {},
    stack(report, shown, 26),
    h('ul', { class: 'legend' }, ...shown.map((p) => h('li', { title: p.what }, chip(report, p.key), `${p.name} ${percent(p.share)}`))),
  );
}
