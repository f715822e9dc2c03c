// Lanes of a warp as bits of a mask.

export const lanesOf = (mask: number): number[] => Array.from({ length: 32 }, (_, lane) => lane).filter((lane) => (mask >>> lane) & 1);

/// "0-15, 20": lanes that follow each other together.
export function laneText(lanes: number[]): string {
  const parts: string[] = [];
  for (let i = 0; i < lanes.length; ) {
    let end = i;
    while (end + 1 < lanes.length && lanes[end + 1] === lanes[end]! + 1) ++end;
    parts.push(end === i ? String(lanes[i]) : `${lanes[i]}-${lanes[end]}`);
    i = end + 1;
  }
  return parts.join(', ');
}

/// Index of a lane's item in a list of those of the mask's lanes.
export function itemOf(mask: number, lane: number): number {
  let count = 0;
  for (let l = 0; l < lane; ++l) count += (mask >>> l) & 1;
  return count;
}
