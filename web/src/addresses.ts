// Addresses in words: the buffer and the offset in it.
import type { Memory } from './data';
import { whole } from './dom';

export function addressText(memory: Memory | null | undefined, address: number): string {
  const buffer = memory?.buffers.find((b) => address >= b.begin && address < b.begin + b.bytes);
  return buffer ? `${buffer.name} + ${whole(address - buffer.begin)}` : `0x${address.toString(16)}`;
}

export function sizeText(bytes: number): string {
  return bytes >= 1 << 20 ? `${(bytes / (1 << 20)).toFixed(1)} MiB` : bytes >= 1 << 10 ? `${(bytes / (1 << 10)).toFixed(1)} KiB` : `${bytes} bytes`;
}
