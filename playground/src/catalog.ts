// What the site has: written by make_site.mjs into catalog.json from what the program says of itself (`warptime list`,
// `warptime schema machine`) and from the folders of the repository.

export interface Parameter {
  name: string;
  default: number;
  low?: number;
  high?: number;
  choices?: number[];
  what: string;
}

export interface Workload {
  name: string;
  what: string;
  variants: string[];
  /** Sizes that a browser simulates in seconds; others as the workload has them. */
  start?: Record<string, string>;
  /** One that has what it needs, if the standard machine has not. */
  machine?: string;
  parameters: Parameter[];
}

/** A launch file that can be run as it is. */
export interface LaunchFile {
  path: string;
  title: string;
  lesson?: string;
}

export interface Schema {
  type?: string;
  enum?: (string | number)[];
  minimum?: number;
  maximum?: number;
  description?: string;
  default?: unknown;
  properties?: Record<string, Schema>;
  items?: Schema;
  allOf?: Schema[];
  $ref?: string;
}

export interface Catalog {
  version: string;
  workloads: Workload[];
  machines: { machine: string; what: string }[];
  lessons: { number: number; title: string; page: string; files: string[] }[];
  examples: LaunchFile[];
  reasons: Record<string, string>;
  machineSchema: Schema & { definitions: Record<string, Schema> };
}

export interface Files {
  [path: string]: string;
}

/** A file that a target is made of. */
export interface Part {
  path: string;
  language: 'ptx' | 'yaml' | 'cuda';
  /** CUDA is compiled beforehand: shown beside its PTX. */
  editable: boolean;
}

const languages = { ptx: 'ptx', yaml: 'yaml', cu: 'cuda' } as const;

function part(path: string): Part {
  const ending = path.slice(path.lastIndexOf('.') + 1) as keyof typeof languages;
  return { path, language: languages[ending], editable: ending !== 'cu' };
}

/** The files of a launch file or a workload, the PTX first. */
export function partsOf(files: Files, target: string): Part[] {
  if (target.endsWith('.yaml')) {
    const folder = target.slice(0, target.lastIndexOf('/') + 1);
    const module = /^module:\s*("?)([^"#\s]+)\1/m.exec(files[target] ?? '')?.[2];
    const parts: string[] = [];
    if (module !== undefined && files[folder + module] !== undefined) parts.push(folder + module);
    const cuda = parts[0]?.replace(/\.ptx$/, '.cu');
    if (cuda !== undefined && files[cuda] !== undefined) parts.push(cuda);
    parts.push(target);
    return parts.map(part);
  }
  const folder = `workloads/${target.split(':')[0]}/`;
  const inside = Object.keys(files).filter((path) => path.startsWith(folder));
  const own = (path: string) => (path.slice(folder.length).startsWith(target.split(':')[0]!) ? 0 : 1);
  const byEnding = (ending: string) =>
    inside.filter((path) => path.endsWith(ending)).sort((a, b) => own(a) - own(b) || (a < b ? -1 : 1));
  return [...byEnding('.ptx'), ...byEnding('.cu')].map(part);
}
