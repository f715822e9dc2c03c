// Makes a screenshot small: the PNG that Chromium writes (8 bits, RGB or RGBA) with a palette of its most frequent
// colours. The format: https://www.w3.org/TR/png-3/.
import { deflateSync, inflateSync } from 'node:zlib';

const kSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

const kCrc = Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; ++k) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c >>> 0;
});

function crc(bytes) {
  let c = 0xffffffff;
  for (const byte of bytes) c = kCrc[(c ^ byte) & 255] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc(body), body.length + 4);
  return out;
}

const paeth = (a, b, c) => {
  const p = a + b - c;
  const [pa, pb, pc] = [Math.abs(p - a), Math.abs(p - b), Math.abs(p - c)];
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
};

/// Pixels as numbers 0xrrggbb.
function decode(png) {
  if (!png.subarray(0, 8).equals(kSignature)) throw new Error('not a PNG');
  let width = 0;
  let height = 0;
  let channels = 3;
  const parts = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    const data = png.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') {
      [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)];
      if (data[8] !== 8 || ![2, 6].includes(data[9]) || data[12] !== 0) throw new Error('another kind of PNG');
      channels = data[9] === 6 ? 4 : 3;
    } else if (type === 'IDAT') parts.push(data);
    at += length + 12;
  }
  const raw = inflateSync(Buffer.concat(parts));
  const stride = width * channels;
  const rows = Buffer.alloc(height * stride);
  for (let y = 0; y < height; ++y) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; ++x) {
      const at = y * stride + x;
      const a = x >= channels ? rows[at - channels] : 0;
      const b = y > 0 ? rows[at - stride] : 0;
      const c = x >= channels && y > 0 ? rows[at - stride - channels] : 0;
      const add = filter === 0 ? 0 : filter === 1 ? a : filter === 2 ? b : filter === 3 ? (a + b) >> 1 : paeth(a, b, c);
      rows[at] = (raw[y * (stride + 1) + 1 + x] + add) & 255;
    }
  }
  const pixels = new Uint32Array(width * height);
  for (let i = 0; i < pixels.length; ++i) pixels[i] = (rows[i * channels] << 16) | (rows[i * channels + 1] << 8) | rows[i * channels + 2];
  return { width, height, pixels };
}

const distance = (p, q) => ((p >> 16) - (q >> 16)) ** 2 + (((p >> 8) & 255) - ((q >> 8) & 255)) ** 2 + ((p & 255) - (q & 255)) ** 2;

/// The most frequent colours, those that differ hardly from one before left out.
function paletteOf(pixels, most) {
  const counts = new Map();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const ordered = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([colour]) => colour);
  for (let apart = 300; ; apart /= 2) {
    const out = [];
    for (const colour of ordered) {
      if (out.length === most) break;
      if (out.every((other) => distance(colour, other) > apart)) out.push(colour);
    }
    if (out.length === most || out.length === counts.size || apart < 10) return out;
  }
}

export function withPalette(png, colours = 40) {
  const { width, height, pixels } = decode(png);
  const palette = paletteOf(pixels, colours);
  const nearest = new Map();
  const indexOf = (pixel) => {
    let index = nearest.get(pixel);
    if (index === undefined) {
      index = palette.reduce((best, colour, i) => (distance(pixel, colour) < distance(pixel, palette[best]) ? i : best), 0);
      nearest.set(pixel, index);
    }
    return index;
  };
  const rows = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; ++y)
    for (let x = 0; x < width; ++x) rows[y * (width + 1) + 1 + x] = indexOf(pixels[y * width + x]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const colourBytes = Buffer.from(palette.flatMap((c) => [c >> 16, (c >> 8) & 255, c & 255]));
  return Buffer.concat([kSignature, chunk('IHDR', header), chunk('PLTE', colourBytes), chunk('IDAT', deflateSync(rows, { level: 9 })), chunk('IEND', Buffer.alloc(0))]);
}
