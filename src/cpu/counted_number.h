// Numbers and arrays that count their operations; counted.h has their functions and explains their purpose.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "cpu/core.h"

namespace warptime::cpu {

template <class T>
concept PlainNumber = std::is_arithmetic_v<T>;

template <PlainNumber T>
class Counted;
template <PlainNumber T>
class CountedElement;
template <PlainNumber T>
class CountedArray;

namespace counted {

template <class X>
struct Trait {};
template <PlainNumber T>
struct Trait<Counted<T>> {
  using Number = T;
};
template <PlainNumber T>
struct Trait<CountedElement<T>> {
  using Number = T;
};

}  // namespace counted

/// A Counted number or an element of an array of them.
template <class X>
concept CountedOperand = requires {
  typename counted::Trait < X
  > ::Number;
};
template <class A, class B>
concept CountedPair = (CountedOperand<A> && (CountedOperand<B> || PlainNumber<B>)) ||
                      (PlainNumber<A> && CountedOperand<B>);

/// The outcome of a comparison; asking for it is a branch.
class CountedBool {
 public:
  CountedBool(bool value, Cycle ready) : value_(value), ready_(ready) {}
  explicit operator bool() const {
    CpuCore::current().branch(value_, ready_);
    return value_;
  }
  CountedBool operator!() const { return {!value_, ready_}; }

 private:
  bool value_;
  Cycle ready_;
};

/// A number in a register.
template <PlainNumber T>
class Counted {
 public:
  Counted() = default;
  /// A constant: it is there from the start.
  template <PlainNumber U>
  Counted(U value) : value_(static_cast<T>(value)) {}  // NOLINT: implicit on purpose
  /// A conversion (towards zero, from f32 to an integer); none between integers.
  template <PlainNumber U>
  explicit Counted(const Counted<U>& other);
  template <PlainNumber U>
  requires(!std::is_same_v<T, U>) explicit Counted(const CountedElement<U>& other) : Counted(Counted<U>(other)) {}
  Counted(T value, Cycle ready) : value_(value), ready_(ready) {}

  T value() const { return value_; }
  Cycle ready() const { return ready_; }

  Counted& operator++() { return *this = *this + T{1}; }
  Counted& operator--() { return *this = *this - T{1}; }

 private:
  T value_{};
  Cycle ready_ = 0;
};

namespace counted {

/// An operand of an operator.
template <class T>
struct Value {
  T value;
  Cycle ready = 0;
};
template <class T, PlainNumber U>
Value<T> take(U value) {
  return {static_cast<T>(value)};
}
template <class T, class U>
Value<T> take(const Counted<U>& x) {
  static_assert(std::is_same_v<T, U>, "convert one of the operands: like<T, U>(x)");
  return {x.value(), x.ready()};
}
template <class T, class U>
Value<T> take(const CountedElement<U>& x) {
  static_assert(std::is_same_v<T, U>, "convert one of the operands: like<T, U>(x)");
  return {x.value(), x.load()};
}

template <class X>
inline constexpr bool kElement = false;
template <class T>
inline constexpr bool kElement<CountedElement<T>> = true;

template <class A, class B>
using NumberOf = typename Trait<std::conditional_t<CountedOperand<A>, A, B>>::Number;

template <class T>
constexpr CpuOperation either(CpuOperation of_floats, CpuOperation of_integers) {
  return std::is_floating_point_v<T> ? of_floats : of_integers;
}

/// One operation; `f` computes its value.
template <class R, class A, class B, class F>
auto apply(CpuOperation of_floats, CpuOperation of_integers, const A& a, const B& b, F f) {
  using T = NumberOf<A, B>;
  Value<T> x = take<T>(a), y = take<T>(b);
  Cycle ready = CpuCore::current().execute(either<T>(of_floats, of_integers), std::max(x.ready, y.ready),
                                           kElement<A> || kElement<B>);
  return R(f(x.value, y.value), ready);
}

// Packed code divides and takes roots by an estimate and a step of Newton's method (fast math): the cycle of 1 / x and
// of 1 / sqrt(x).
Cycle packed_reciprocal(Cycle ready);
Cycle packed_reciprocal_root(Cycle ready);

template <class A, class B, class F>
auto number(CpuOperation of_floats, CpuOperation of_integers, const A& a, const B& b, F f) {
  using T = NumberOf<A, B>;
  if constexpr (std::is_floating_point_v<T>)
    if (of_floats == CpuOperation::div && CpuCore::current().packed()) {
      Counted<T> x = a, y = b;
      Cycle ready = std::max(x.ready(), packed_reciprocal(y.ready()));
      return Counted<T>(f(x.value(), y.value()), CpuCore::current().execute(CpuOperation::mul, ready));
    }
  return apply<Counted<T>>(of_floats, of_integers, a, b, [f](T x, T y) { return static_cast<T>(f(x, y)); });
}
template <class A, class B, class F>
CountedBool outcome(const A& a, const B& b, F f) {
  return apply<CountedBool>(CpuOperation::compare, CpuOperation::integer, a, b, f);
}

/// The result of an operation on one register.
template <class T>
Counted<T> result(CpuOperation operation, Cycle ready, T value) {
  return {value, CpuCore::current().execute(operation, ready)};
}

}  // namespace counted

// clang-format off
#define COUNTED_OPERATOR(op, of_floats, of_integers)                                                                    \
  template <class A, class B> requires CountedPair<A, B>                                                                \
  auto operator op(const A& a, const B& b) {                                                                            \
    return counted::number(CpuOperation::of_floats, CpuOperation::of_integers, a, b,                                    \
                           [](auto x, auto y) { return x op y; });                                                      \
  }                                                                                                                     \
  template <PlainNumber T, class X>                                                                                     \
  Counted<T>& operator op##=(Counted<T>& a, const X& b) { return a = a op b; }                                          \
  template <PlainNumber T, class X>                                                                                     \
  CountedElement<T>& operator op##=(CountedElement<T>& a, const X& b) { return a = a op b; }                            \
  template <PlainNumber T, class X>                                                                                     \
  void operator op##=(CountedElement<T>&& a, const X& b) { a = a op b; }
COUNTED_OPERATOR(+,  add,   integer)
COUNTED_OPERATOR(-,  add,   integer)
COUNTED_OPERATOR(*,  mul,   integer_mul)
COUNTED_OPERATOR(/,  div,   integer_div)
COUNTED_OPERATOR(%,  div,   integer_div)
COUNTED_OPERATOR(&,  logic, integer)
COUNTED_OPERATOR(|,  logic, integer)
COUNTED_OPERATOR(^,  logic, integer)
COUNTED_OPERATOR(<<, shift, shift)
COUNTED_OPERATOR(>>, shift, shift)
#undef COUNTED_OPERATOR

#define COUNTED_COMPARISON(op)                                                                                          \
  template <class A, class B> requires CountedPair<A, B>                                                                \
  CountedBool operator op(const A& a, const B& b) {                                                                     \
    return counted::outcome(a, b, [](auto x, auto y) { return x op y; });                                               \
  }
COUNTED_COMPARISON(<)
COUNTED_COMPARISON(>)
COUNTED_COMPARISON(<=)
COUNTED_COMPARISON(>=)
COUNTED_COMPARISON(==)
COUNTED_COMPARISON(!=)
#undef COUNTED_COMPARISON
// clang-format on

/// An element of a CountedArray: a place in memory.
template <PlainNumber T>
class CountedElement {
 public:
  CountedElement(CountedArray<T>& array, size_t index) : array_(array), index_(index) {}
  CountedElement(CountedArray<T>& array, size_t index, Cycle index_ready)
      : array_(array), index_(index), index_ready_(index_ready), gathered_(true) {}

  operator Counted<T>() const { return {value(), load()}; }  // NOLINT: implicit on purpose
  CountedElement(const CountedElement&) = default;
  CountedElement& operator=(const Counted<T>& x);
  CountedElement& operator=(const CountedElement& x) { return *this = Counted<T>(x); }
  template <PlainNumber U>
  CountedElement& operator=(U x) {
    return *this = Counted<T>(x);
  }
  CountedElement& operator++() { return *this = *this + T{1}; }

  T value() const { return array_.cells_[index_].value; }
  /// When it is in a register.
  Cycle load() const;

 private:
  CpuAccess access() const;

  CountedArray<T>& array_;
  size_t index_;
  Cycle index_ready_ = 0;
  bool gathered_ = false;
};

/// An array in the memory of the core.
template <PlainNumber T>
class CountedArray {
 public:
  using value_type = Counted<T>;

  explicit CountedArray(size_t size) : cells_(size), address_(CpuCore::current().allocate(size * sizeof(T))) {}
  /// With values, which were there before the counting.
  explicit CountedArray(std::span<const T> values) : CountedArray(values.size()) {
    for (size_t i = 0; i < values.size(); ++i) cells_[i].value = values[i];
  }

  size_t size() const { return cells_.size(); }
  CountedElement<T> operator[](size_t i) { return {*this, i}; }
  template <std::integral I>
  CountedElement<T> operator[](const Counted<I>& i) {
    return {*this, static_cast<size_t>(i.value()), i.ready()};
  }
  /// Elements to be read: what is const has no assignment.
  const CountedElement<T> operator[](size_t i) const { return {const_cast<CountedArray&>(*this), i}; }
  template <std::integral I>
  const CountedElement<T> operator[](const Counted<I>& i) const {
    return {const_cast<CountedArray&>(*this), static_cast<size_t>(i.value()), i.ready()};
  }
  /// The value of an element, without counting.
  T plain(size_t i) const { return cells_[i].value; }

 private:
  friend class CountedElement<T>;
  struct Cell {
    T value{};
    Cycle stored = 0;
  };
  std::vector<Cell> cells_;
  uint64_t address_;
};

template <PlainNumber T>
CpuAccess CountedElement<T>::access() const {
  return {.address = array_.address_ + index_ * sizeof(T),
          .bytes = sizeof(T),
          .is_float = std::is_floating_point_v<T>,
          .gathered = gathered_,
          .ready = index_ready_,
          .stored = array_.cells_[index_].stored};
}
template <PlainNumber T>
Cycle CountedElement<T>::load() const {
  return CpuCore::current().load(access());
}
template <PlainNumber T>
CountedElement<T>& CountedElement<T>::operator=(const Counted<T>& x) {
  CpuAccess to = access();
  to.ready = std::max(to.ready, x.ready());
  array_.cells_[index_] = {x.value(), CpuCore::current().store(to)};
  return *this;
}

template <PlainNumber T>
template <PlainNumber U>
Counted<T>::Counted(const Counted<U>& other) : value_(static_cast<T>(other.value())), ready_(other.ready()) {
  if constexpr (std::is_floating_point_v<T> || std::is_floating_point_v<U>)
    if constexpr (!std::is_same_v<T, U>) ready_ = CpuCore::current().execute(CpuOperation::convert, ready_);
}

}  // namespace warptime::cpu
