// Structs by value, to functions and back: floats, arrays, bytes and bit fields in one, and one inside another.
#include "program.h"

struct Vector {
  float x, y, z;
};
struct Header {
  unsigned kind : 3, length : 13;
  signed delta : 16;
};
struct Packet {
  Header header;
  unsigned char bytes[6];
  short shorts[3];
  Vector where;
  double weight;
};

CALLED Vector cross(Vector a, Vector b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

CALLED Packet changed(Packet p, Header other, unsigned char seed) {
  p.header.delta = other.delta - p.header.delta;
  p.header.length += other.length;
  for (int k = 0; k < 6; ++k) p.bytes[k] = static_cast<unsigned char>(p.bytes[k] * seed + k);
  p.shorts[other.kind % 3] = static_cast<short>(p.shorts[0] ^ p.bytes[other.kind % 6]);
  p.where = cross(p.where, Vector{1.0f, p.where.x, static_cast<float>(seed)});
  p.weight = p.weight * 0.5 + p.where.y;
  return p;
}

DEVICE unsigned bits(float v) {
  union {
    float f;
    unsigned u;
  } both;
  both.f = v;
  return both.u;
}

DEVICE unsigned value_of(const unsigned* in, unsigned i) {
  Packet p{};
  p.header.kind = in[i] & 7;
  p.header.length = in[i] >> 3 & 0x1fff;
  p.header.delta = static_cast<short>(in[i] >> 16);
  for (unsigned k = 0; k < 6; ++k) p.bytes[k] = static_cast<unsigned char>(in[i + 1] >> (5 * k));
  for (unsigned k = 0; k < 3; ++k) p.shorts[k] = static_cast<short>(in[i + 2] >> (8 * k));
  p.where = {static_cast<float>(in[i + 3] & 0xfff), static_cast<float>(static_cast<int>(in[i + 4]) >> 20), 3.0f};
  p.weight = static_cast<double>(static_cast<int>(in[i + 5]));
  for (unsigned k = 0; k < 3; ++k) {
    Header other{};
    other.kind = in[i + k] >> 5 & 7;
    other.length = in[i + k] >> 9 & 0x1fff;
    other.delta = static_cast<short>(in[i + 6 + k]);
    p = changed(p, other, static_cast<unsigned char>(in[i + k]));
  }
  unsigned sum = p.header.kind + (p.header.length << 3) + (static_cast<unsigned>(p.header.delta) << 16);
  for (unsigned char b : p.bytes) sum = sum * 31 + b;
  for (short s : p.shorts) sum = sum * 31 + static_cast<unsigned>(s);
  union {
    double d;
    Unsigned64 u;
  } weight{p.weight};
  return sum * 31 + bits(p.where.y) + static_cast<unsigned>(weight.u ^ (weight.u >> 32));
}

EACH_THREAD(value_of)
