// Looks of the states of a warp: a colour and a pattern each. Any two differ in their pattern, or else by a delta E of at
// least 20 for every kind of colour vision (tests/report/palette.py), so no look depends on colours alone, nor on paper.
import palette from './palette.json';
import { svg } from './dom';

export interface Look {
  colour: string;
  /// Of the lines of the pattern: `palette.ink` of the way from the colour to black or white.
  ink: string;
  pattern: string;
}

/// Pixels of a pattern in each direction.
export const kTile = 8;

export function rgbOf(hex: string): [number, number, number] {
  const value = parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

const hexOf = (rgb: number[]): string => `#${rgb.map((c) => Math.round(c).toString(16).padStart(2, '0')).join('')}`;

/// Black or white, whichever is easier to read on the colour.
export function inkOn(hex: string): string {
  const [r, g, b] = rgbOf(hex);
  return 0.299 * r + 0.587 * g + 0.114 * b > 140 ? '#000000' : '#ffffff';
}

const looks = palette.states as unknown as Record<string, [string, string]>;
const others = palette.others as unknown as [string, string][];
const patterns = palette.patterns as Record<string, string[]>;

export function lookOf(key: string, index: number): Look {
  const [colour, pattern] = looks[key === 'issued' ? 'issue' : key] ?? others[Math.max(index, 0) % others.length]!;
  const [from, to] = [rgbOf(colour), rgbOf(inkOn(colour))];
  return { colour, pattern, ink: hexOf(from.map((c, i) => c + (to[i]! - c) * palette.ink)) };
}

/// Whether the pattern has ink at a pixel, by kTile * y + x.
export function inkBits(pattern: string): Uint8Array {
  return Uint8Array.from((patterns[pattern] ?? patterns['solid']!).join(''), (c) => (c === '#' ? 1 : 0));
}

const idOf = (look: Look): string => `look-${look.colour.slice(1)}-${look.pattern}`;

/// For `fill` of an SVG; needs `definitions` in the page.
export const fillOf = (look: Look): string => (look.pattern === 'solid' ? look.colour : `url(#${idOf(look)})`);

/// The patterns of all looks, for the page once.
export function definitions(): SVGElement {
  const all = new Map<string, Look>();
  for (const key of Object.keys(looks)) all.set(key, lookOf(key, 0));
  others.forEach((_, i) => all.set(`other ${i}`, lookOf('', i)));
  const unique = new Map([...all.values()].filter((l) => l.pattern !== 'solid').map((l) => [idOf(l), l]));
  return svg(
    'svg',
    { class: 'definitions', width: 0, height: 0, 'aria-hidden': 'true' },
    svg(
      'defs',
      {},
      ...[...unique].map(([id, look]) => {
        const ink: string[] = [];
        inkBits(look.pattern).forEach((on, i) => on && ink.push(`M${i % kTile} ${Math.floor(i / kTile)}h1v1h-1z`));
        return svg(
          'pattern',
          { id, width: kTile, height: kTile, patternUnits: 'userSpaceOnUse' },
          svg('rect', { width: kTile, height: kTile, fill: look.colour }),
          svg('path', { d: ink.join(''), fill: look.ink, 'shape-rendering': 'crispEdges' }),
        );
      }),
    ),
  );
}
