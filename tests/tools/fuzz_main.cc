// What libFuzzer calls: one of the targets, chosen when this is compiled.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "base/assert.h"
#include "fuzz/targets.h"

namespace warptime {

/// A broken invariant is a finding: libFuzzer keeps the input of a program that aborts.
void assertion_failed(const char* file, int line, const char* condition, const std::string& sentence) {
  fmt::print(stderr, "{}:{}: {}: {}\n", file, line, condition, sentence);
  std::abort();
}

}  // namespace warptime

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  warptime::fuzz::WARPTIME_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
