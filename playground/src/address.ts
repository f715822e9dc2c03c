// The address of everything: program, parameters, machine, edits, and what is shown. It stands behind the # of the URL, so
// a link works on any file server and says nothing to it.
//
//   #program=matmul:tiled&param.n=64&machine=geforce-8800-gtx&set.memory.partitions=3&run=1&view=warps&warp=0,0,0.3&cycle=900
//
// Behind `view` are the words of the report's own address (`warp`, `cycle`, ...), or the command of view `command`.

export interface Address {
  program: string;
  params: Record<string, string>;
  machine: string;
  set: Record<string, string>;
  /** Files that differ from the site's. */
  edits: Record<string, string>;
  /** Run it when the page is opened. */
  run: boolean;
  view: string;
  /** What the view shows. */
  place: Record<string, string>;
}

export const standard: Address = {
  program: 'matmul:tiled',
  params: { n: '64' },
  machine: 'geforce-8800-gtx',
  set: {},
  edits: {},
  run: false,
  view: '',
  place: {},
};

const base64url = (bytes: Uint8Array): string => {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
};

const fromBase64url = (text: string): Uint8Array =>
  Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));

async function through(bytes: Uint8Array, stream: GenericTransformStream): Promise<Uint8Array> {
  const piped = new Blob([bytes]).stream().pipeThrough(stream as ReadableWritablePair<Uint8Array, Uint8Array>);
  return new Uint8Array(await new Response(piped).arrayBuffer());
}

/** Commas and colons stay readable. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/%(2C|3A|2F|20|5B|5D)/g, (code) => (code === '%20' ? '+' : decodeURIComponent(code)));

export async function format(address: Address): Promise<string> {
  const words: [string, string][] = [['program', address.program]];
  for (const [name, value] of Object.entries(address.params)) words.push([`param.${name}`, value]);
  words.push(['machine', address.machine]);
  for (const [path, value] of Object.entries(address.set)) words.push([`set.${path}`, value]);
  if (Object.keys(address.edits).length > 0) {
    const bytes = new TextEncoder().encode(JSON.stringify(address.edits));
    words.push(['edits', base64url(await through(bytes, new CompressionStream('deflate-raw')))]);
  }
  if (address.run) words.push(['run', '1']);
  if (address.view !== '') {
    words.push(['view', address.view]);
    words.push(...Object.entries(address.place));
  }
  return `#${words.map(([name, value]) => `${name}=${encode(value)}`).join('&')}`;
}

/** Words that are not known stay in `place`: they are the view's. Throws if the edits were cut. */
export async function parse(hash: string): Promise<Address> {
  const words = new URLSearchParams(hash.replace(/^#/, ''));
  if (!words.has('program')) return structuredClone(standard);
  const address: Address = { ...structuredClone(standard), params: {} };
  for (const [name, value] of words) {
    if (name.startsWith('param.')) address.params[name.slice(6)] = value;
    else if (name.startsWith('set.')) address.set[name.slice(4)] = value;
    else if (name === 'program') address.program = value;
    else if (name === 'machine') address.machine = value;
    else if (name === 'run') address.run = value === '1';
    else if (name === 'view') address.view = value;
    else if (name === 'edits')
      address.edits = JSON.parse(
        new TextDecoder().decode(await through(fromBase64url(value), new DecompressionStream('deflate-raw'))),
      ) as Record<string, string>;
    else address.place[name] = value;
  }
  return address;
}

/** What the page's own address says; a link that was cut leads to the standard program. */
export async function addressHere(): Promise<{ address: Address; cut: boolean }> {
  try {
    return { address: await parse(location.hash), cut: false };
  } catch {
    return { address: structuredClone(standard), cut: true };
  }
}
