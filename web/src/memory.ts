// Memory: the accesses of each line, one of them lane by lane, and the use of buffers, banks and partitions over time.
import { sizeText } from './addresses';
import { bankPicture, bankWords } from './banks';
import { draw as drawChart } from './charts';
import { coalescingPicture, coalescingWords, laneList } from './coalescing';
import { nameOf, type Kernel, type Memory, type Row, type Sample } from './data';
import { choice, h, percent, real, themed, whole } from './dom';
import { drawHeat } from './heat';
import type { Context, Moment, View } from './view';

const sum = (list: number[]): number => list.reduce((a, b) => a + b, 0);

/// A column of the table of lines.
interface Figure {
  name: string;
  what: string;
  text: (row: Row) => string;
}

const share = (part: number, all: number): string => (all > 0 ? percent(part / all) : '');
const figures: Figure[] = [
  { name: 'accesses', what: 'executions that accessed memory', text: (r) => whole(r.memory?.accesses ?? 0) },
  { name: 'transactions', what: 'memory transactions for one access, on average', text: (r) => (r.memory?.transactions ? real(r.memory.transactions / r.memory.accesses, 3) : '') },
  { name: 'ideal', what: 'the fewest that could carry the bytes of the lanes', text: (r) => (r.memory?.transactions ? real(r.memory.ideal_transactions / r.memory.accesses, 3) : '') },
  { name: 'requested per byte moved', what: 'bytes that the lanes requested, for each byte moved; bytes that several lanes request count for each', text: (r) => (r.memory?.bytes_moved ? real(r.memory.bytes_requested / r.memory.bytes_moved, 3) : '') },
  { name: 'passes', what: 'passes of one access through shared memory, on average; more than 1: bank conflicts', text: (r) => (r.memory && !r.memory.transactions ? real(1 + r.memory.conflict_passes / Math.max(r.memory.accesses, 1), 3) : '') },
  { name: 'hits in SM', what: 'reads found in a cache of the SM', text: (r) => share(r.caches?.sm_hits ?? 0, r.caches?.reads ?? 0) },
  { name: 'in TPC', what: 'reads found in a cache that the SMs of the TPC share', text: (r) => share(r.caches?.tpc_hits ?? 0, r.caches?.reads ?? 0) },
  { name: 'in partition', what: 'reads found in the cache of a memory partition; the others came from DRAM', text: (r) => share(r.caches?.partition_hits ?? 0, r.caches?.reads ?? 0) },
  { name: 'latency', what: 'cycles from the issue of a load to its result, on average', text: (r) => (r.latency ? whole(r.latency) : '') },
];

function picture(memory: Memory, sample: Sample): Node[] {
  if (sample.transactions.length > 0)
    return [h('p', {}, coalescingWords(sample)), coalescingPicture(memory, sample), laneList(memory, sample)];
  if (sample.degree !== undefined) return [h('p', {}, bankWords(memory, sample)), bankPicture(memory, sample), laneList(memory, sample)];
  return [h('p', {}, 'It sent no transaction: a cache of the SM had all lines.'), laneList(memory, sample)];
}

function overTime(memory: Memory, boxes: HTMLElement[]): void {
  const { cycles, partitions } = memory.moments;
  const span = cycles.map((c, i) => c - (cycles[i - 1] ?? 0));
  const all = (key: 'read' | 'write' | 'hits' | 'misses') => cycles.map((_, i) => sum(partitions.map((p) => p[key][i]!)));
  const bytes = all('read').map((n, i) => n + all('write')[i]!);
  const peak = memory.peak_bytes_per_cycle * memory.partitions;
  const busy = bytes.map((n, i) => (100 * n) / Math.max(span[i]! * peak, 1));
  const hits = all('hits');
  const misses = all('misses');
  const rate = hits.map((n, i) => (n + misses[i]! > 0 ? (100 * n) / (n + misses[i]!) : null));
  const hitShare = sum(hits) / Math.max(sum(hits) + sum(misses), 1);
  drawChart(boxes[0]!, {
    title: 'DRAM over time',
    x: 'cycle',
    y: '%',
    yRange: [0, 105],
    data: [cycles, busy, rate],
    series: [
      { label: 'of the peak rate', colour: themed('--curve') },
      { label: 'row hits', colour: themed('--own'), dash: [7, 4] },
    ],
    summary: `${whole(sum(bytes))} bytes; ${percent(hitShare)} of the column accesses hit an open row.`,
  });
  const slices = Math.max(memory.bank_bytes[0]?.length ?? 0, 1);
  const perPartition = Array.from({ length: memory.partitions }, (_, p) =>
    Array.from({ length: slices }, (_, s) => sum(memory.bank_bytes.slice(p * memory.banks, (p + 1) * memory.banks).map((bank) => bank[s] ?? 0))),
  );
  const totals = perPartition.map(sum);
  const requested = Math.max(sum(totals), 1);
  const most = (values: number[][]) => Math.max(...values.map((row) => Math.max(...row)), 1);
  drawHeat(boxes[1]!, {
    title: 'Partitions: bytes that the SMs requested, over time',
    values: perPartition,
    rowName: (p) => `partition ${p}`,
    slice: memory.bank_slice_cycles,
    cycles: memory.cycles,
    most: most(perPartition),
    format: (value) => `${whole(value)} bytes`,
    rowHeight: 16,
    named: () => true,
    summary: `The partitions have ${percent(Math.min(...totals) / requested)} to ${percent(Math.max(...totals) / requested)} of the bytes; evenly it would be ${percent(1 / memory.partitions)}.`,
  });
  drawHeat(boxes[2]!, {
    title: 'Banks of the partitions: the same',
    values: memory.bank_bytes,
    rowName: (row) => `partition ${Math.floor(row / memory.banks)}, bank ${row % memory.banks}`,
    slice: memory.bank_slice_cycles,
    cycles: memory.cycles,
    most: most(memory.bank_bytes),
    format: (value) => `${whole(value)} bytes`,
    rowHeight: memory.bank_bytes.length > 96 ? 3 : 6,
    named: (row) => row % memory.banks === Math.floor(memory.banks / 2) && memory.banks >= 2,
    summary: `${memory.banks} banks in each partition; ${whole(memory.bank_bytes.filter((bank) => sum(bank) > 0).length)} of ${whole(memory.bank_bytes.length)} are used.`,
  });
}

function addressMaps(memory: Memory, holder: HTMLElement): void {
  const shown = memory.buffers.filter((buffer) => buffer.counts.some((bin) => sum(bin) > 0));
  const unused = memory.buffers.filter((buffer) => !shown.includes(buffer));
  const boxes = shown.map(() => h('div', { class: 'heat' }));
  holder.replaceChildren(
    ...boxes,
    ...(unused.length > 0 ? [h('p', { class: 'quiet' }, `Not accessed: ${unused.map((b) => b.name).join(', ')}.`)] : []),
    ...(memory.others > 0 ? [h('p', { class: 'quiet' }, `${whole(memory.others)} accesses of lanes went to other memory.`)] : []),
  );
  shown.forEach((buffer, i) => {
    const total = sum(buffer.counts.map(sum));
    const touched = buffer.counts.filter((bin) => sum(bin) > 0).length;
    drawHeat(boxes[i]!, {
      title: `${buffer.name}, ${sizeText(buffer.bytes)}`,
      values: buffer.counts,
      rowName: (bin) => `${buffer.name} + ${whole(bin * buffer.bin_bytes)}`,
      slice: memory.slice_cycles,
      cycles: memory.cycles,
      most: Math.max(...buffer.counts.map((bin) => Math.max(...bin)), 1),
      format: (value) => `${whole(value)} accesses of lanes to ${whole(buffer.bin_bytes)} bytes`,
      rowHeight: buffer.counts.length > 32 ? 1.5 : Math.min(16, Math.ceil(48 / buffer.counts.length)),
      named: (bin) => bin === 0 || (buffer.counts.length > 16 && bin === Math.floor(buffer.counts.length / 2)),
      summary: `${whole(total)} accesses of lanes, to ${percent(touched / buffer.counts.length, 0)} of the buffer.`,
    });
  });
}

export function memory(context: Context, data: Memory): View {
  const kernel: Kernel | undefined = context.report.kernels.find((k) => k.kernel === data.kernel);
  const rows = kernel?.rows ?? [];
  // Parameters are the same words for all lanes: there is nothing to see.
  const accesses = (row: Row) => !/^(@!?\S+\s+)?ld\.param\b/.test(row.text) && ((row.memory?.accesses ?? 0) > 0 || (row.caches?.reads ?? 0) > 0);
  const pcs = rows.map((_, pc) => pc).filter((pc) => accesses(rows[pc]!));
  const samplesOf = (pc: number) => data.samples.filter((s) => s.pc === pc);
  const shown = figures.filter((f) => pcs.some((pc) => f.text(rows[pc]!) !== ''));
  const access = h('div', { class: 'access', 'aria-live': 'polite' });
  const lines = new Map<number, HTMLElement>();
  let selected = -1;
  const hasCuda = pcs.some((pc) => rows[pc]!.source !== undefined);

  const show = (samples: Sample[], index: number) => {
    const row = rows[selected]!;
    const sample = samples[index];
    const names = samples.map((s) => `execution ${whole(s.execution)} on SM ${s.sm}: cycle ${whole(s.cycle)}, block (${s.block.join(', ')}), warp ${s.warp}`);
    access.replaceChildren(
      h('h2', {}, `${row.source ?? `PTX line ${row.line}`}: `, h('code', {}, row.text), ' ', h('button', { click: () => kernel && context.showRow({ kernel, row: selected }) }, 'in Source')),
      ...(sample
        ? [h('div', { class: 'choices' }, choice('Access', names, index, (i) => show(samples, i)), h('span', { class: 'quiet' }, `${sample.space} memory, ${sample.bytes} bytes per lane`)), ...picture(data, sample)]
        : [h('p', { class: 'quiet' }, 'No access of this line was recorded.')]),
    );
  };
  const select = (pc: number, focus: boolean) => {
    for (const [of, line] of lines) {
      line.setAttribute('aria-selected', String(of === pc));
      line.tabIndex = of === pc ? 0 : -1;
    }
    selected = pc;
    if (focus) lines.get(pc)?.focus();
    show(samplesOf(pc), 0);
    context.moved();
  };
  const key = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const next = pcs[pcs.indexOf(selected) + step];
    if (step === 0 || next === undefined) return;
    event.preventDefault();
    select(next, true);
  };
  for (const pc of pcs) {
    const row = rows[pc]!;
    lines.set(
      pc,
      h(
        'tr',
        { class: 'hot', 'data-line': row.line, 'aria-selected': 'false', tabindex: -1, click: () => select(pc, true) },
        ...(hasCuda ? [h('td', { 'data-name': 'CUDA' }, row.source ?? '')] : []),
        h('td', { class: 'number', 'data-name': 'PTX line' }, row.line),
        h('td', { class: 'code' }, row.text),
        ...shown.map((figure) => h('td', { class: 'number', 'data-name': figure.name }, figure.text(row))),
      ),
    );
  }
  const boxes = [0, 1, 2].map((i) => h('div', { class: i === 0 ? 'chart' : 'heat' }));
  const maps = h('div', { class: 'maps' });
  const element = h(
    'section',
    { class: 'view memory' },
    h('p', {}, `Kernel ${nameOf(context.report, data.kernel)}: what each line accesses. Choose a line to see one access of it, lane by lane.`),
    h(
      'div',
      { class: 'scroll lines-of-memory' },
      h(
        'table',
        { class: 'grid cards', keydown: (e) => key(e as KeyboardEvent) },
        h('thead', {}, h('tr', {}, hasCuda && h('th', { scope: 'col' }, 'CUDA'), h('th', { scope: 'col', class: 'number' }, 'line'), h('th', { scope: 'col' }, 'PTX'), ...shown.map((f) => h('th', { scope: 'col', class: 'number', title: f.what }, f.name)))),
        h('tbody', {}, ...lines.values()),
      ),
    ),
    access,
    h('h2', {}, 'Over time'),
    ...boxes,
    h('h2', {}, 'Addresses over time'),
    h('p', { class: 'quiet' }, 'Each buffer from its first byte (above) to its last; darker: more accesses of lanes.'),
    maps,
  );
  // A line that costs more than it must is the first to look at.
  const worst = [...pcs].sort((a, b) => excess(rows[b]!) - excess(rows[a]!))[0];
  if (worst !== undefined) select(worst, false);
  return {
    id: 'memory',
    name: 'Memory',
    element,
    draw: () => {
      overTime(data, boxes);
      addressMaps(data, maps);
    },
    moment: (): Moment => (selected < 0 ? {} : { ptx: String(rows[selected]!.line) }),
    show: ({ ptx }) => {
      const pc = pcs.find((i) => String(rows[i]!.line) === ptx);
      if (pc !== undefined) select(pc, false);
    },
  };
}

/// Transactions and passes beyond the fewest; of equal ones, that with more transactions.
function excess(row: Row): number {
  const m = row.memory;
  return m ? m.transactions - m.ideal_transactions + m.conflict_passes + m.transactions * 1e-3 : 0;
}
