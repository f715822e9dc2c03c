// Bars of shares: the resources of the machine, and the use of the issue slots.
import { colourOf, inkOn } from './colours';
import type { Launch, Report } from './data';
import { h, percent } from './dom';

/// Each shared resource's busy share, on average and of its busiest unit, beside what can be reached.
export function resourceBars(report: Report, launch: Launch): HTMLElement {
  const rows = (launch.resources ?? []).map((use) => {
    const info = report.resources.find((r) => r.key === use.name);
    const reachable = info?.reachable ?? 1;
    const marks = [
      h('span', { class: 'fill', style: `width:${use.busy * 100}%` }),
      h('span', { class: 'mark', style: `left:${use.busiest * 100}%`, title: `busiest unit ${percent(use.busiest)}` }),
      reachable < 1 &&
        h('span', { class: 'limit', style: `left:${reachable * 100}%`, title: `reachable ${percent(reachable)}` }),
    ];
    return h(
      'tr',
      { title: info?.what ?? '' },
      h('th', { scope: 'row' }, info?.words ?? use.name),
      h('td', { class: 'bar' }, h('div', { 'aria-hidden': 'true' }, ...marks)),
      h('td', { class: 'number' }, percent(use.busy)),
      h('td', { class: 'number' }, percent(use.busiest)),
    );
  });
  return h(
    'table',
    { class: 'bars' },
    h('caption', {}, 'Share of the time that each shared resource is busy. ▏busiest unit; ┊ reachable in practice'),
    h('thead', {}, h('tr', {}, h('th', {}, 'resource'), h('th', {}), h('th', {}, 'average'), h('th', {}, 'busiest'))),
    h('tbody', {}, ...rows),
  );
}

/// The issue slots of all SMs: issued, or lost for a reason.
export function slotBar(report: Report, launch: Launch): HTMLElement {
  const slots = Math.max(launch.issue.slots, 1);
  const parts = [{ key: 'issue', name: 'issued', what: 'an instruction issued', share: launch.issue.issued / slots }];
  for (const stall of report.stalls) {
    const share = (launch.issue.stalls?.[stall.key] ?? 0) / slots;
    parts.push({ key: stall.key, name: stall.key, what: stall.what, share });
  }
  const shown = parts.filter((p) => p.share > 0.0005).sort((a, b) => b.share - a.share);
  const colour = (key: string) => colourOf(key, report.stalls.findIndex((s) => s.key === key));
  return h(
    'div',
    {},
    h(
      'div',
      { class: 'stack', 'aria-hidden': 'true' },
      ...shown.map((p) =>
        h(
          'span',
          { style: `width:${p.share * 100}%;background:${colour(p.key)};color:${inkOn(colour(p.key))}`, title: p.what },
          p.share > 0.08 ? p.name : '',
        ),
      ),
    ),
    h(
      'ul',
      { class: 'legend' },
      ...shown.map((p) =>
        h('li', { title: p.what }, h('i', { style: `background:${colour(p.key)}` }), `${p.name} ${percent(p.share)}`),
      ),
    ),
  );
}
