// Calls that each thread of a warp takes elsewhere: tables of functions in constant memory, functions that call
// themselves and each other through pointers, virtual functions that call virtual functions.
#include "program.h"

struct Machine {
  const unsigned* code;
  unsigned value, steps;
};
using Step = unsigned (*)(Machine&, unsigned);

CALLED unsigned next(Machine& m, unsigned at);

CALLED unsigned add(Machine& m, unsigned at) {
  m.value += m.code[at];
  return next(m, at + 1);
}
CALLED unsigned turn(Machine& m, unsigned at) {
  unsigned before = m.value;
  unsigned after = next(m, at + 2);
  return after ^ (before << 3);
}
CALLED unsigned twice(Machine& m, unsigned at) {
  unsigned first = next(m, at + 3);
  m.value ^= first;
  return first + next(m, at + 4);
}
CALLED unsigned stop(Machine& m, unsigned at) { return m.value + at; }

__constant__ Step kSteps[4] = {add, turn, twice, stop};

CALLED unsigned next(Machine& m, unsigned at) {
  return ++m.steps > 12 ? m.value : kSteps[m.code[at % 16] & 3](m, at % 16);
}

struct Self {
  unsigned (*call)(const Self&, unsigned);
};
CALLED unsigned sum_of_halves(const Self& self, unsigned n) {
  return n == 0 ? 1 : self.call(self, n / 2) + (n & 1) * self.call(self, n / 3) + n;
}

struct Node {
  DEVICE virtual unsigned value(unsigned x) const = 0;
};
struct Leaf : Node {
  unsigned constant;
  DEVICE explicit Leaf(unsigned c) : constant(c) {}
  DEVICE unsigned value(unsigned x) const override { return constant + x; }
};
struct Sum : Node {
  const Node &a, &b;
  DEVICE Sum(const Node& left, const Node& right) : a(left), b(right) {}
  DEVICE unsigned value(unsigned x) const override { return a.value(x + 1) + b.value(x); }
};
struct Product : Node {
  const Node &a, &b;
  DEVICE Product(const Node& left, const Node& right) : a(left), b(right) {}
  DEVICE unsigned value(unsigned x) const override { return a.value(x) * (b.value(x) | 1); }
};
CALLED unsigned value_at(const Node& node, unsigned x) { return node.value(x); }

DEVICE unsigned value_of(const unsigned* in, unsigned i) {
  Machine machine{in + i, in[i], 0};
  unsigned result = next(machine, in[i + 5] % 16);
  Self self{sum_of_halves};
  result = result * 31 + self.call(self, in[i + 1] % 64);
  Leaf x(in[i + 2] & 0xff), y(in[i + 3] & 0xff);
  Sum sum(x, y);
  Product product(sum, x);
  const Node& inner = (in[i] & 1) != 0 ? static_cast<const Node&>(sum) : product;
  Sum outer(inner, (in[i] & 2) != 0 ? static_cast<const Node&>(product) : y);
  return result * 31 + value_at((in[i] & 4) != 0 ? static_cast<const Node&>(outer) : inner, machine.steps);
}

EACH_THREAD(value_of)
