// Pointers to functions: a table of them, one as an argument, virtual functions.
#include "program.h"

using Operation = unsigned (*)(unsigned, unsigned);

CALLED unsigned sum(unsigned a, unsigned b) { return a + b; }
CALLED unsigned product(unsigned a, unsigned b) { return a * (b | 1); }
CALLED unsigned turned(unsigned a, unsigned b) { return (a << (b & 15)) ^ (a >> (b & 7)); }

#ifdef ON_GPU
__device__ Operation operations[3] = {sum, product, turned};
#else
inline Operation operations[3] = {sum, product, turned};
#endif

CALLED unsigned folded(Operation f, const unsigned* values, unsigned count) {
  unsigned result = 1;
  for (unsigned k = 0; k < count; ++k) result = f(result, values[k]);
  return result;
}

struct Shape {
  DEVICE virtual unsigned area() const = 0;
};
struct Square : Shape {
  unsigned side;
  DEVICE explicit Square(unsigned s) : side(s) {}
  DEVICE unsigned area() const override { return side * side; }
};
struct Circle : Shape {
  unsigned radius;
  DEVICE explicit Circle(unsigned r) : radius(r) {}
  DEVICE unsigned area() const override { return radius * radius * 355 / 113; }
};

CALLED unsigned area_of(const Shape& shape) { return shape.area(); }

DEVICE unsigned value_of(const unsigned* in, unsigned i) {
  unsigned result = folded(operations[in[i] % 3], in + i, 3 + in[i + 1] % 5);
  Square square(in[i] & 0xff);
  Circle circle(in[i + 2] & 0xff);
  const Shape& shape = (in[i + 3] & 1) != 0 ? static_cast<const Shape&>(square) : circle;
  return result * 31 + area_of(shape);
}

EACH_THREAD(value_of)
