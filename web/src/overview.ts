// The overview: the time, what limits it, and how far the run is from the limits of the machine.
import { resourceBars, slotBar } from './bars';
import { draw } from './charts';
import type { Curve, Fault, FaultPlace, Figure, Finding, Launch, Report } from './data';
import { h, microseconds, percent, real, themed, whole } from './dom';
import { hostTimeline } from './host_timeline';
import { hotLines } from './hot_lines';
import { placeOf, type Context, type View } from './view';

function tile(name: string, value: string, more = ''): HTMLElement {
  return h('div', { class: 'tile' }, h('dt', {}, name), h('dd', {}, value, more !== '' && h('small', {}, more)));
}

export function tiles(report: Report, launch: Launch): HTMLElement {
  const o = launch.occupancy;
  const most = report.occupancy?.find((c) => c.kernel === launch.kernel)?.most_warps;
  const resource = report.resources.find((r) => r.key === launch.bound);
  const busy = launch.resources?.find((r) => r.name === launch.bound)?.busiest;
  const { active = 0, warps = 0 } = launch.sm_cycles ?? {};
  const resident = active > 0 ? warps / active : null;
  return h(
    'dl',
    { class: 'tiles' },
    tile('time', microseconds(launch.time_us), `${whole(launch.cycles)} cycles`),
    tile('bottleneck', resource?.words ?? launch.bound ?? 'not known', busy === undefined ? '' : `busy ${percent(busy)} of the time`),
    tile('GFLOP/s', real(launch.gflops), report.roofline ? `of ${real(report.roofline.peak_gflops)}` : ''),
    tile('DRAM', `${real(launch.dram.bandwidth_gb_s)} GB/s`, report.roofline ? `of ${real(report.roofline.peak_gb_s)}` : ''),
    tile('warps of an SM', resident === null ? String(o.warps_per_sm) : `${resident.toFixed(1)} resident`, `${resident === null ? '' : 'on average; '}room for ${o.warps_per_sm}${most ? ` of ${most}` : ''}, limited by ${o.limiter}`),
    tile('grid', launch.grid.join(' x '), `blocks of ${launch.block.join(' x ')}`),
  );
}

/// Why a finding is of a place is in its sentence; the way there is a button.
export function findings(context: Context, list: Finding[], most = 99): HTMLElement {
  const { report } = context;
  const way = (f: Finding) => {
    const kernel = f.kernel ?? report.kernels[0]?.kernel;
    const place = f.line > 0 && kernel !== undefined ? placeOf(report, kernel, f.line) : null;
    if (!place) return null;
    return h('button', { click: () => context.showRow(place) }, `show ${place.kernel.rows[place.row]!.source ?? `line ${f.line}`}`);
  };
  const gain = (f: Finding) =>
    (f.promised != null ? ` Would save ${percent(f.promised)} of the time.` : '') +
    (f.won != null ? ` A run without it saved ${percent(f.won)}.` : '');
  return h(
    'section',
    {},
    h('h2', {}, 'Findings'),
    h('ol', { class: 'findings' }, ...list.slice(0, most).map((f) => h('li', {}, f.message, gain(f), ' ', way(f)))),
  );
}

/// What the checkers found, each with the way to its line, and to that of the other access.
export function faults(context: Context, list: Fault[], most = 99): HTMLElement {
  const way = (kernel: string, { line, source }: FaultPlace, word: string) => {
    const place = line > 0 ? placeOf(context.report, kernel, line) : null;
    return place && h('button', { click: () => context.showRow(place) }, `${word} ${source || `line ${line}`}`);
  };
  return h(
    'section',
    {},
    h('h2', {}, 'Found by check'),
    h(
      'ol',
      { class: 'findings faults' },
      ...list.slice(0, most).map((f) =>
        h(
          'li',
          {},
          h('strong', {}, `${f.source || `PTX line ${f.line}`}: ${f.severity}: `),
          `${f.message} (${f.kind})${f.count > 1 ? `, ${whole(f.count)} times` : ''}.${f.remedy ? ` Remedy: ${f.remedy}.` : ''} `,
          way(f.kernel, f, 'show'),
          ' ',
          f.other && f.other.line !== f.line && way(f.kernel, f.other, 'the other access:'),
        ),
      ),
    ),
  );
}

function drawCurves(report: Report, kernel: string, boxes: HTMLElement[]): void {
  const curves = report.occupancy?.find((c) => c.kernel === kernel);
  if (!curves) return;
  const one = (box: HTMLElement, name: string, curve: Curve) =>
    draw(box, {
      title: `Occupancy over ${name}`,
      x: name,
      y: 'warps per SM',
      yRange: [0, curves.most_warps * 1.08],
      data: withOwn(curve, curves.warps),
      series: [
        { label: 'warps', colour: themed('--curve'), step: true },
        { label: 'this kernel', colour: themed('--own'), points: true },
      ],
      summary: `This kernel: ${curve.own}, ${curves.warps} of ${curves.most_warps} warps.`,
    });
  one(boxes[0]!, 'registers per thread', curves.registers);
  one(boxes[1]!, 'shared bytes per block', curves.shared);
  one(boxes[2]!, 'threads per block', curves.block);
}

/// The curve, with a point at the kernel's own value.
function withOwn(curve: Curve, warps: number): [number[], (number | null)[], (number | null)[]] {
  const x = [...curve.x];
  const y: (number | null)[] = [...curve.warps];
  let at = x.findIndex((value) => value >= curve.own);
  if (at < 0) at = x.length;
  if (x[at] !== curve.own) {
    x.splice(at, 0, curve.own);
    y.splice(at, 0, warps);
  }
  return [x, y, x.map((_, i) => (i === at ? warps : null))];
}

function drawRoofline(report: Report, kernel: string, box: HTMLElement): void {
  const roof = report.roofline;
  if (!roof) return;
  const ridge = roof.peak_gflops / roof.peak_gb_s;
  const own = roof.points.find((p) => p.kernel === kernel);
  const others = roof.points.filter((p) => p.kernel !== kernel);
  const all = [ridge, ...roof.points.map((p) => p.flops_per_byte)];
  const low = Math.min(...all) / 8;
  const high = Math.max(...all) * 8;
  const x = [...new Set([low, high, ...all])].sort((a, b) => a - b);
  const at = (points: typeof others) =>
    x.map((value) => points.find((p) => p.flops_per_byte === value)?.gflops ?? null);
  draw(box, {
    title: 'Roofline',
    x: 'flops per byte of DRAM traffic',
    y: 'GFLOP/s',
    logarithmic: true,
    data: [x, x.map((value) => Math.min(value * roof.peak_gb_s, roof.peak_gflops)), at(own ? [own] : []), at(others)],
    series: [
      { label: 'limit', colour: themed('--curve') },
      { label: 'this kernel', colour: themed('--own'), points: true },
      { label: 'other kernels', colour: themed('--grid'), points: true },
    ],
    summary: own
      ? `${kernel}: ${real(own.flops_per_byte)} flops per byte, ${real(own.gflops)} GFLOP/s; the limit there is ` +
        `${real(Math.min(own.flops_per_byte * roof.peak_gb_s, roof.peak_gflops))}.`
      : `${kernel} has no point: it has no flops or no DRAM traffic.`,
  });
}

function checks(report: Report): HTMLElement | null {
  const list = report.statistics.checks ?? [];
  if (list.length === 0) return null;
  const failed = list.filter((c) => !c.ok);
  const text =
    failed.length === 0
      ? `${list.length} result check${list.length === 1 ? '' : 's'} passed.`
      : `${failed.length} of ${list.length} result checks failed: ${failed.map((c) => c.name).join(', ')}.`;
  return h('p', { class: failed.length === 0 ? 'good' : 'bad' }, text);
}

function figures(list: Figure[]): HTMLElement {
  const row = (f: Figure) => h('tr', {}, h('th', { scope: 'row' }, f.name), h('td', { class: 'number' }, real(f.value)), h('td', {}, f.unit), h('td', {}, f.what));
  return h(
    'section',
    {},
    h('h2', {}, 'Figures of the program'),
    h('table', { class: 'figures' }, h('tbody', {}, ...list.map(row))),
  );
}

export function overview(context: Context): View {
  const { report } = context;
  const element = h('section', { class: 'view overview' });
  const paint = () => {
    const launch = report.statistics.launches[context.launch()]!;
    const boxes = [0, 1, 2, 3].map(() => h('div', { class: 'chart' }));
    const timeline = report.statistics.timeline ?? [];
    element.replaceChildren(
      tiles(report, launch),
      ...report.notes.map((note) => h('p', { class: 'note' }, note)),
      ...[checks(report)].filter((x) => x !== null),
      ...((report.faults ?? []).length > 0 ? [faults(context, report.faults!)] : []),
      ...((report.findings ?? []).length > 0 ? [findings(context, report.findings!)] : []),
      ...((report.statistics.figures ?? []).length > 0 ? [figures(report.statistics.figures!)] : []),
      ...[hotLines(context, launch.kernel, 5)].filter((x) => x !== null),
      h('h2', {}, 'Limits and what is reached'),
      resourceBars(report, launch),
      h('h2', {}, 'Issue slots'),
      slotBar(report, launch),
      ...(report.occupancy ? [h('h2', {}, 'Occupancy and roofline'), h('div', { class: 'charts' }, ...boxes)] : []),
      ...(timeline.length > 0 ? [h('h2', {}, 'Copies and kernels'), hostTimeline(timeline)] : []),
    );
    if (report.occupancy) {
      drawCurves(report, launch.kernel, boxes);
      drawRoofline(report, launch.kernel, boxes[3]!);
    }
  };
  return { id: 'overview', name: 'Overview', element, draw: paint };
}
