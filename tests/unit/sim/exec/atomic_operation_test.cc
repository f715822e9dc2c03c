// The operations of atom and red, one word each, worked out from PTX ISA 9.0, 9.7.13.13.
#include "sim/exec/atomic_operation.h"

#include <catch2/catch.hpp>

using namespace warptime;
using namespace warptime::sim;
using ptx::Mod, ptx::Type;

namespace {

uint64_t result(Mod op, Type type, uint64_t old, uint64_t b, uint64_t c = 0, bool flush = false) {
  return atomic_operation(ptx::mods(op), type, flush)(old, b, c);
}

constexpr uint64_t kAll64 = ~uint64_t{0};

}  // namespace

TEST_CASE("atomic logic and exchange", "[atomics]") {
  CHECK(result(Mod::And, Type::B32, 0xf0f0f0f0, 0xff00ff00) == 0xf000f000);
  CHECK(result(Mod::Or, Type::B32, 0xf0f0f0f0, 0xff00ff00) == 0xfff0fff0);
  CHECK(result(Mod::Xor, Type::B32, 0xf0f0f0f0, 0xff00ff00) == 0x0ff00ff0);
  CHECK(result(Mod::Xor, Type::B64, kAll64, 1) == kAll64 - 1);
  CHECK(result(Mod::Exch, Type::B32, 1, 0xffffffff) == 0xffffffff);
  CHECK(result(Mod::Exch, Type::B64, 1, kAll64) == kAll64);
}

TEST_CASE("atomic compare and swap", "[atomics]") {
  CHECK(result(Mod::Cas, Type::B32, 5, 5, 9) == 9);
  CHECK(result(Mod::Cas, Type::B32, 5, 6, 9) == 5);
  CHECK(result(Mod::Cas, Type::B64, uint64_t{1} << 40, uint64_t{1} << 40, 9) == 9);
  CHECK(result(Mod::Cas, Type::B64, uint64_t{1} << 40, 0, 9) == uint64_t{1} << 40);
}

TEST_CASE("atomic addition wraps at its width", "[atomics]") {
  CHECK(result(Mod::Add, Type::U32, 0xffffffff, 2) == 1);
  CHECK(result(Mod::Add, Type::S32, 0x7fffffff, 1) == 0x80000000);
  CHECK(result(Mod::Add, Type::U64, kAll64, 2) == 1);
  CHECK(result(Mod::Add, Type::U64, 0xffffffff, 1) == uint64_t{1} << 32);
}

TEST_CASE("atomic minimum and maximum know the sign", "[atomics]") {
  CHECK(result(Mod::Min, Type::U32, 0xffffffff, 1) == 1);
  CHECK(result(Mod::Min, Type::S32, 0xffffffff, 1) == 0xffffffff);
  CHECK(result(Mod::Max, Type::U32, 0xffffffff, 1) == 0xffffffff);
  CHECK(result(Mod::Max, Type::S32, 0xffffffff, 1) == 1);
  CHECK(result(Mod::Min, Type::S64, kAll64, 1) == kAll64);
  CHECK(result(Mod::Max, Type::U64, kAll64, 1) == kAll64);
}

TEST_CASE("atomic inc and dec go round", "[atomics]") {
  CHECK(result(Mod::Inc, Type::U32, 3, 5) == 4);
  CHECK(result(Mod::Inc, Type::U32, 5, 5) == 0);
  CHECK(result(Mod::Inc, Type::U32, 6, 5) == 0);
  CHECK(result(Mod::Dec, Type::U32, 3, 5) == 2);
  CHECK(result(Mod::Dec, Type::U32, 0, 5) == 5);
  CHECK(result(Mod::Dec, Type::U32, 6, 5) == 5);
}

TEST_CASE("atomic f32 addition flushes subnormals in global memory only", "[atomics]") {
  constexpr uint64_t kOne = 0x3f800000, kTwo = 0x40000000, kSmallest = 1, kMinusZero = 0x80000000;
  CHECK(result(Mod::Add, Type::F32, kOne, kOne) == kTwo);
  CHECK(result(Mod::Add, Type::F32, kSmallest, kSmallest) == 2);
  CHECK(result(Mod::Add, Type::F32, kSmallest, kSmallest, 0, true) == 0);
  CHECK(result(Mod::Add, Type::F32, kMinusZero | 1, kMinusZero | 1, 0, true) == kMinusZero);
  // The least normal number less the least subnormal one is subnormal.
  CHECK(result(Mod::Add, Type::F32, 0x00800000, kMinusZero | 0x00800001, 0, true) == kMinusZero);
  CHECK(result(Mod::Add, Type::F32, 0x7f800000, 0xff800000) == 0x7fffffff);  // inf - inf
}
