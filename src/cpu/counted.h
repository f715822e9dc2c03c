// Numbers that count: a workload's CPU reference is a template over its number type; with `float` and std::vector it
// checks the GPU's result, with Counted<float> and CountedArray<float> it runs on the CPU baseline's core (core.h).
//
//   template <class Array>
//   void saxpy(typename Array::value_type alpha, const Array& x, Array& y) {
//     using T = typename Array::value_type;
//     for (size_t i : steps<T>(y.size())) y[i] = alpha * x[i] + y[i];
//   }
//
// The source is counted as written: an operator is an operation, a[i] a load or a store, `if (a < b)` a comparison and
// a predicted branch, steps<T>() the two integer operations and the branch of a loop. A variable of type T is a
// register, and so is a plain integer, which costs nothing (a compiler keeps it in an address or removes it by
// unrolling). An element that is an operator's operand is loaded by the same macro-operation; `T v = x[i]` loads it
// once into a register (not `auto v`, which would refer to the element).
//
// like<T, int32_t>, array_of<T>: the number of another type, and the array, that go with T.
#pragma once

#include <bit>
#include <cmath>
#include <vector>

#include "cpu/counted_number.h"

namespace warptime::cpu {

// Functions of numbers and elements, found by their arguments.

// clang-format off
#define COUNTED_FUNCTION(name, operation, expression)                                                                   \
  template <CountedOperand X>                                                                                           \
  auto name(const X& operand) {                                                                                         \
    using T = counted::NumberOf<X, X>;                                                                                  \
    Counted<T> counted_x = operand;                                                                                     \
    T x = counted_x.value();                                                                                            \
    return counted::result<T>(operation, counted_x.ready(), static_cast<T>(expression));                                \
  }
COUNTED_FUNCTION(operator-, counted::either<T>(CpuOperation::logic, CpuOperation::integer), -x)
COUNTED_FUNCTION(operator~, CpuOperation::integer, ~x)
COUNTED_FUNCTION(abs, CpuOperation::logic, std::abs(x))
COUNTED_FUNCTION(sin, CpuOperation::sin_cos, std::sin(x))
COUNTED_FUNCTION(cos, CpuOperation::sin_cos, std::cos(x))
#undef COUNTED_FUNCTION
// clang-format on

template <CountedOperand X
> auto sqrt(const X& operand) {
  using T = counted::NumberOf < X
  , X
  > ;
  Counted<T> x = operand;
  T root = std::sqrt(x.value());
  if (!CpuCore::current().packed()) return counted::result<T>(CpuOperation::sqrt, x.ready(), root);
  return counted::result<T>(CpuOperation::mul, counted::packed_reciprocal_root(x.ready()), root);
}
/// 1 / sqrt(x).
template <CountedOperand X
> auto rsqrt(const X& operand) {
  using T = counted::NumberOf < X
  , X
  > ;
  Counted<T> x = operand;
  if (!CpuCore::current().packed()) return T{1} / sqrt(x);
  return Counted<T>(1 / std::sqrt(x.value()), counted::packed_reciprocal_root(x.ready()));
}
template <std::floating_point T>
T rsqrt(T x) {
  return 1 / std::sqrt(x);
}
/// Without an instruction of its own (SSE2): to an integer and back, less one where that was above.
template <CountedOperand X
> auto floor(const X& operand) {
  using T = counted::NumberOf < X
  , X
  > ;
  Counted<T> x = operand;
  auto back = Counted<T>(Counted<int32_t>(x));
  Cycle above = CpuCore::current().execute(CpuOperation::logic, std::max(back.ready(), x.ready()));
  return counted::result<T>(CpuOperation::add, above, std::floor(x.value()));
}
template <PlainNumber T>
auto min(const Counted<T>& a, const Counted<T>& b) {
  return counted::number(CpuOperation::logic, CpuOperation::integer, a, b, [](T x, T y) { return y < x ? y : x; });
}
template <PlainNumber T>
auto max(const Counted<T>& a, const Counted<T>& b) {
  return counted::number(CpuOperation::logic, CpuOperation::integer, a, b, [](T x, T y) { return x < y ? y : x; });
}
/// std::rotl and std::rotr count as one operation: processors have instructions for them.
template <class X, class N>
requires CountedPair<X, N>
auto rotl(const X& x, const N& by) {
  return counted::number(CpuOperation::shift, CpuOperation::shift, x, by,
                         [](auto value, auto n) { return std::rotl(value, static_cast<int>(n % (8 * sizeof n))); });
}
template <class X, class N>
requires CountedPair<X, N>
auto rotr(const X& x, const N& by) {
  return counted::number(CpuOperation::shift, CpuOperation::shift, x, by,
                         [](auto value, auto n) { return std::rotr(value, static_cast<int>(n % (8 * sizeof n))); });
}

/// The number of type U that goes with T: U, or Counted<U>.
template <class T, class U>
struct Like {
  using type = U;
};
template <PlainNumber T, class U>
struct Like<Counted<T>, U> {
  using type = Counted<U>;
};
template <class T, class U>
using like = typename Like<T, U>::type;

/// The array of T's: a vector, or a CountedArray.
template <class T>
struct ArrayOf {
  using type = std::vector<T>;
};
template <PlainNumber T>
struct ArrayOf<Counted<T>> {
  using type = CountedArray<T>;
};
template <class T>
using array_of = typename ArrayOf<T>::type;

/// from, from + 1, ... to - 1 for a range-based for; of counted numbers it counts the loop's own instructions.
template <class T>
class Steps {
 public:
  struct Iterator {
    size_t at, end;
    size_t operator*() const { return at; }
    Iterator& operator++() {
      ++at;
      if constexpr (CountedOperand<T>) CpuCore::current().loop(at != end);
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at != other.at; }
  };
  Steps(size_t from, size_t to) : from_(from), to_(to < from ? from : to) {}
  Iterator begin() const { return {from_, to_}; }
  Iterator end() const { return {to_, to_}; }

 private:
  size_t from_, to_;
};
template <class T>
Steps<T> steps(size_t from, size_t to) {
  return {from, to};
}
template <class T>
Steps<T> steps(size_t count) {
  return {0, count};
}

}  // namespace warptime::cpu
