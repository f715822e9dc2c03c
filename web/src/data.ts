// The data of the page, as `warptime report` writes it (src/report/page_data.h), and its decoding.

export interface Launch {
  kernel: string;
  grid: number[];
  block: number[];
  cycles: number;
  time_us: number;
  gflops: number;
  bound?: string;
  occupancy: {
    blocks_per_sm: number;
    warps_per_sm: number;
    limiter: string;
    registers_per_thread: number;
    shared_bytes_per_block: number;
  };
  /// Summed over SMs: cycles in which an SM has a block, and its warps in them.
  sm_cycles?: { active: number; warps: number };
  issue: { slots: number; issued: number; stalls: Record<string, number> | null };
  dram: { bandwidth_gb_s: number };
  resources?: { name: string; busy: number; busiest: number }[];
}

export interface TimelineEvent {
  kind: 'copy' | 'kernel';
  direction: string | null;
  name: string;
  start_us: number;
  end_us: number;
  bytes: number;
}

export interface Check {
  name: string;
  ok: boolean;
  max_abs_error: number;
}

/// A number that the workload or the launch file computes of a run.
export interface Figure {
  name: string;
  value: number;
  unit: string;
  what: string;
}

export interface Statistics {
  program?: { name: string; version: string };
  machine: { name: string; hash: string };
  target: string;
  launches: Launch[];
  total: Record<string, unknown>;
  timeline: TimelineEvent[];
  checks: Check[];
  figures?: Figure[];
}

export interface Row {
  line: number;
  text: string;
  executions: number;
  threads: number;
  issued: number;
  stalls: number[];
  function?: string;
  native?: string;
  /// What the machine issues for it, with cycles and registers (`report --native`).
  issues?: string;
  file?: number;
  cuda?: number;
  /// The line of the user's CUDA source: "k.cu:7".
  source?: string;
  /// Of inlined code: its places, the innermost first.
  calls?: string[];
  reads?: string[];
  writes?: string[];
  memory?: LineMemory;
  caches?: LineCaches;
  /// Of its loads, on average, in cycles.
  latency?: number;
}

export interface LineMemory {
  accesses: number;
  transactions: number;
  ideal_transactions: number;
  bytes_requested: number;
  bytes_moved: number;
  conflict_passes: number;
}

export interface LineCaches {
  reads: number;
  sm_hits: number;
  tpc_hits: number;
  partition_hits: number;
}

export interface Kernel {
  kernel: string;
  launches: number;
  slots: number;
  issued: number;
  stalls: number[];
  ptx: string | null;
  rows: Row[];
}

export interface Named {
  key: string;
  what: string;
}

export interface Resource extends Named {
  words: string;
  scope: string;
  reachable: number;
}

export interface CatalogueRow {
  name: string;
  unit: string;
  scope: string;
  what: string;
  profiler: string;
}

export interface Curve {
  own: number;
  x: number[];
  warps: number[];
}

export interface OccupancyCurves {
  kernel: string;
  most_warps: number;
  warps: number;
  registers: Curve;
  shared: Curve;
  block: Curve;
}

export interface Roofline {
  peak_gflops: number;
  peak_gb_s: number;
  points: { kernel: string; flops_per_byte: number; gflops: number }[];
}

export interface TracedWarp {
  number?: number;
  slot: number;
  block: number[];
  index: number;
  begin: number;
  end: number | null;
  first: number;
  length: number[];
  state: number[];
  pc: number[];
  mask: number[];
  lanes: number[];
}

export interface Trace {
  sm: number;
  launch: number;
  kernel: string;
  cycles: number;
  from: number;
  to: number;
  /// The cycles of which all states are there; after `to` the SM has no warp in them.
  recorded?: { from: number; to: number };
  states: Named[];
  masks: number[];
  warps: TracedWarp[];
  requests?: Requests;
  stacks?: Stacks;
  /// By instruction, the unit that executes it.
  units?: string[];
}

/// Accesses whose transactions were on their way: columns, an item each.
export interface Requests {
  warp: number[];
  pc: number[];
  begin: number[];
  count: number[];
  /// Of all transactions, one access after the other.
  address: number[];
  bytes: number[];
  /// Cycles after `begin` at which they arrived, in order.
  answers: number[][];
  end: number | null;
}

/// Changes of SIMT stacks: columns, an item each. Of each entry below the top: pc, where it reconverges (-1: nowhere),
/// lanes; the lowest first.
export interface Stacks {
  warp: number[];
  cycle: number[];
  reconvergence: number[];
  entries: number[][];
  end: number | null;
}

export interface Sample {
  pc: number;
  execution: number;
  cycle: number;
  sm: number;
  block: number[];
  warp: number;
  space: string;
  load: boolean;
  bytes: number;
  lanes: number;
  addresses: number[];
  /// Address, bytes, lanes.
  transactions: [number, number, number][];
  ideal?: number;
  degree?: number;
  replays?: number;
}

export interface MemoryBuffer {
  name: string;
  begin: number;
  bytes: number;
  bin_bytes: number;
  counts: number[][];
}

export interface Memory {
  kernel: string;
  cycles: number;
  coalescing: string;
  shared: { banks: number; bank_bytes: number; lanes: number };
  samples: Sample[];
  buffers: MemoryBuffer[];
  slice_cycles: number;
  others: number;
  partitions: number;
  banks: number;
  bank_bytes: number[][];
  bank_slice_cycles: number;
  peak_bytes_per_cycle: number;
  moments: {
    cycles: number[];
    partitions: { read: number[]; write: number[]; hits: number[]; misses: number[] }[];
  };
}

export interface Finding {
  rule?: string;
  kernel?: string;
  line: number;
  message: string;
  promised?: number | null;
  won?: number | null;
}

/// What `warptime check` found.
export interface Fault extends FaultPlace {
  kind: string;
  severity: string;
  kernel: string;
  message: string;
  remedy: string;
  count: number;
  /// The other access of a race.
  other: FaultPlace | null;
}

export interface FaultPlace {
  line: number;
  source: string;
}

/// A number of two runs, as `warptime compare` has it.
export interface Moved {
  name: string;
  a: number | null;
  b: number | null;
  difference: number;
  change: number | null;
}

export interface MovedPart {
  kernel: { a: string; b: string };
  time: Moved[];
  occupancy: { a: Record<string, number | string>; b: Record<string, number | string> } | null;
  issue: (Moved & { share_a: number; share_b: number })[];
  resources: Moved[];
  counters: Moved[];
}

export interface RowCost {
  executions: number;
  issued: number;
  stalls: number[];
}

/// A line of CUDA of both runs; null: the other run has no such line.
export interface MovedLine {
  source_a: string | null;
  source_b: string | null;
  text: string;
  a: RowCost;
  b: RowCost;
  /// Of its kernel.
  rows: number[];
}

export interface MovedKernel {
  a: string;
  b: string;
  slots_a: number;
  slots_b: number;
  rows: MovedRow[];
  lines: MovedLine[];
}

export interface MovedRow {
  line_a: number | null;
  line_b: number | null;
  text: string;
  a: RowCost;
  b: RowCost;
}

export interface ComparedSide {
  file: string;
  target: string;
  machine: string;
  hash: string;
  statistics: Statistics;
  roofline: Roofline | null;
  /// Of the run before, as the page has them of the run after.
  kernels?: Kernel[];
  trace?: Trace | null;
}

export interface Comparison {
  a: ComparedSide;
  b: ComparedSide;
  total: MovedPart;
  launches: MovedPart[];
  kernels: MovedKernel[];
}

export interface Report {
  schema: number;
  statistics: Statistics;
  kernels: Kernel[];
  files: { name: string; lines: string[] }[];
  stalls: Named[];
  resources: Resource[];
  catalogue: CatalogueRow[];
  occupancy: OccupancyCurves[] | null;
  roofline: Roofline | null;
  trace: Trace | null;
  memory?: Memory | null;
  comparison?: Comparison | null;
  findings?: Finding[];
  faults?: Fault[];
  notes: string[];
  /// Of kernels with mangled names: as their authors wrote them.
  names?: Record<string, string>;
}

/// A kernel's name for people.
export function nameOf(report: Report, kernel: string): string {
  return report.names?.[kernel] ?? kernel;
}

/// Base64 of gzip of JSON.
export async function decode(text: string): Promise<Report> {
  const packed = Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return (await new Response(stream).json()) as Report;
}
