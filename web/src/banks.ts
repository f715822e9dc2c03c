// One access to shared memory: which words of which banks the lanes of a request want. Words of one bank are served one
// after the other, so the highest pile is the time that the access takes. And the same of constant memory, which has one
// bank.
import type { Memory, Sample } from './data';
import { svg, whole } from './dom';
import { laneText, lanesOf } from './lanes';

const kWidth = 1040;
const kLeft = 70;
const kBox = 19;
const kLowBox = 12;
const kHigh = 6; // piles that are higher have low boxes

interface Word {
  word: number;
  lanes: number[];
}

/// By bank, the different words that the lanes want.
function piles(sample: Sample, banks: number, bankBytes: number, from: number, to: number): Word[][] {
  const out: Word[][] = Array.from({ length: banks }, () => []);
  lanesOf(sample.lanes).forEach((lane, i) => {
    if (lane < from || lane >= to) return;
    for (let byte = 0; byte < sample.bytes; byte += bankBytes) {
      const word = Math.floor((sample.addresses[i]! + byte) / bankBytes);
      const pile = out[word % banks]!;
      const same = pile.find((w) => w.word === word);
      if (same) same.lanes.push(lane);
      else pile.push({ word, lanes: [lane] });
    }
  });
  return out;
}

const isConstant = (sample: Sample): boolean => sample.space === 'const';

export function bankWords(memory: Memory, sample: Sample): string {
  const degree = sample.degree ?? 1;
  if (isConstant(sample))
    return degree === 1 ? 'All lanes of a request read one word: it is served at once.' : `The lanes read ${whole(degree)} different words, which are served one after the other.`;
  const per = memory.shared.lanes === 32 ? 'the warp' : `each ${memory.shared.lanes} lanes`;
  if (degree === 1) return `No bank conflict: ${per} ${memory.shared.lanes === 32 ? 'is' : 'are'} served at once.`;
  return `Bank conflict of degree ${whole(degree)}: the access is served ${whole(degree)} times, ${whole(sample.replays ?? 0)} passes more than without a conflict.`;
}

export function bankPicture(memory: Memory, sample: Sample): SVGElement {
  const banks = isConstant(sample) ? 1 : memory.shared.banks;
  const lanes = memory.shared.lanes;
  const width = Math.min((kWidth - kLeft - 8) / banks, 60);
  const groups: SVGElement[] = [];
  let y = 24;
  for (let from = 0; from < 32; from += lanes) {
    const own = piles(sample, banks, isConstant(sample) ? 4 : memory.shared.bank_bytes, from, from + lanes);
    const height = Math.max(...own.map((pile) => pile.length), 1);
    if (own.every((pile) => pile.length === 0)) continue;
    const box = height > kHigh ? kLowBox : kBox;
    const base = y + height * box;
    groups.push(svg('text', { x: 0, y: base - 5 }, `${from}-${from + lanes - 1}`));
    own.forEach((pile, bank) => {
      const x = kLeft + bank * width;
      groups.push(svg('line', { x1: x + 1, y1: base, x2: x + width - 1, y2: base, class: 'floor' }));
      pile.forEach(({ word, lanes: of }, i) => {
        const text = of.length === 1 ? String(of[0]) : of.length > 2 || width < 40 ? `${of.length}×` : of.join(',');
        groups.push(
          svg(
            'g',
            {},
            svg('rect', { x: x + 2, y: base - (i + 1) * box + 1, width: width - 4, height: box - 2, class: pile.length > 1 ? 'word conflict' : 'word' }),
            svg('text', { x: x + width / 2, y: base - i * box - (box === kBox ? 5 : 2.5), 'text-anchor': 'middle', class: box === kBox ? '' : 'small' }, text),
            svg('title', {}, `bank ${bank}: word at ${word * 4}, lanes ${laneText(of)}`),
          ),
        );
      });
    });
    y = base + 14;
  }
  const names = Array.from({ length: banks }, (_, bank) => svg('text', { x: kLeft + (bank + 0.5) * width, y: y + 4, 'text-anchor': 'middle', class: 'quiet' }, bank));
  return svg(
    'svg',
    { viewBox: `0 0 ${kWidth} ${y + 14}`, class: 'picture banks', role: 'img', 'aria-label': `Words by bank. ${bankWords(memory, sample)}` },
    svg('text', { x: 0, y: 14, class: 'quiet' }, isConstant(sample) ? 'lanes, and the words that they read' : 'lanes, and the words that they want by bank; a box names its lane, or how many share it'),
    ...groups,
    ...names,
    svg('text', { x: 0, y: y + 4, class: 'quiet' }, isConstant(sample) ? '' : 'bank'),
  );
}
