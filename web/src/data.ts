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

export interface Statistics {
  program?: { name: string; version: string };
  machine: { name: string; hash: string };
  target: string;
  launches: Launch[];
  total: Record<string, unknown>;
  timeline: TimelineEvent[];
  checks: Check[];
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
  file?: number;
  cuda?: number;
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
  states: Named[];
  masks: number[];
  warps: TracedWarp[];
}

export interface Finding {
  rule?: string;
  kernel?: string;
  line: number;
  message: string;
  promised?: number | null;
  won?: number | null;
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
  findings?: Finding[];
  notes: string[];
}

/// Base64 of gzip of JSON.
export async function decode(text: string): Promise<Report> {
  const packed = Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return (await new Response(stream).json()) as Report;
}
