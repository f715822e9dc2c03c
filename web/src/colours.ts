// Colours of the states of a warp: the eight of Okabe and Ito, which all kinds of colour vision tell apart, and for
// further states of one kind a lighter or darker one. Every state also has its name beside it.

const kColours: Record<string, string> = {
  issue: '#009e73',
  not_selected: '#a9dccb',
  alu_dependency: '#56b4e9',
  shared_dependency: '#0072b2',
  constant_dependency: '#a6d8f5',
  texture_dependency: '#004b76',
  global_dependency: '#d55e00',
  barrier: '#cc79a7',
  fence: '#8f4a70',
  instruction_fetch: '#999999',
  sp_busy: '#f0e442',
  sfu_busy: '#b5aa12',
  memory_port_busy: '#e69f00',
  memory_queue_full: '#8c6100',
  no_warp: '#d9d9d9',
  drained: '#efefef',
};
const kOthers = ['#7f6fb0', '#b7aee0', '#4d3f80', '#d0c08a'];

export function colourOf(key: string, index: number): string {
  return kColours[key] ?? kOthers[index % kOthers.length]!;
}

export function rgbOf(hex: string): [number, number, number] {
  const value = parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/// Black or white, whichever is easier to read on the colour.
export function inkOn(hex: string): string {
  const [r, g, b] = rgbOf(hex);
  return 0.299 * r + 0.587 * g + 0.114 * b > 140 ? '#000000' : '#ffffff';
}
