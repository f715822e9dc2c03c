// Loads what the page is made of, and shows it.
import './style.css';
import { addressHere } from './address';
import type { Catalog, Files } from './catalog';
import { id } from './dom';
import { Playground } from './playground';
import { unpacked } from './program.mjs';

async function packed<T>(file: string): Promise<T> {
  const response = await fetch(file);
  if (!response.ok) throw new Error(`${file}: ${response.status} ${response.statusText}`);
  return JSON.parse(new TextDecoder().decode(await unpacked(await response.arrayBuffer()))) as T;
}

async function start(): Promise<void> {
  const [catalog, files] = await Promise.all([
    packed<Catalog>('catalog.json.gz'),
    packed<Files>('files.json.gz'),
  ]);
  new Playground(catalog, files, await addressHere());
  document.documentElement.dataset['ready'] = String(Math.round(performance.now()));
}

start().catch((error: unknown) => {
  id('status').textContent = location.protocol === 'file:' ? 'This page needs a file server, for example: python3 -m http.server --directory build/playground' : `The page cannot load its parts: ${String(error)}`;
  id('status').hidden = false;
});
