#include "host/workload/compare.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>

#include "base/assert.h"
#include "host/device/typed_value.h"

namespace warptime::host {

Comparison::Comparison(std::string name, ptx::Type type, Tolerance tolerance) : type_(type), tolerance_(tolerance) {
  check_.name = std::move(name);
  check_.ok = true;
  check_.bound = tolerance.max_abs_error;
}

bool Comparison::passes(uint64_t got, uint64_t expected) {
  double a = decode_value(type_, got), b = decode_value(type_, expected);
  uint64_t ulp = ulp_distance(type_, got, expected);
  // No tolerance covers the distance from an infinity or a NaN to another value.
  bool near = ulp == 0 || (std::isfinite(a) && std::isfinite(b));
  double difference = ulp == 0 ? 0 : near ? std::fabs(a - b) : std::numeric_limits<double>::infinity();
  check_.max_abs_error = std::max(check_.max_abs_error, difference);
  check_.max_ulp_error = std::max(check_.max_ulp_error, ulp);
  bool ok = near && (difference <= tolerance_.max_abs_error || ulp <= tolerance_.max_ulp);
  check_.ok = check_.ok && ok;
  return ok;
}

void Comparison::fail(uint64_t got, uint64_t expected, const std::string& where) {
  auto text = [&](uint64_t bits) {
    // 9 significant digits tell any two f32 apart, 17 any two f64.
    return type_ == ptx::Type::F64 ? fmt::format("{:.17g}", decode_value(type_, bits))
                                   : fmt::format("{:.9g}", decode_value(type_, bits));
  };
  check_.first_failure = fmt::format("{}: {}, expected {}", where, text(got), text(expected));
}

void Comparison::element_f32(float got, float expected, uint64_t row, uint64_t column) {
  element(std::bit_cast<uint32_t>(got), std::bit_cast<uint32_t>(expected),
          [&] { return fmt::format("row {}, column {}", row, column); });
}

Check compare(std::string name, ptx::Type type, std::span<const std::byte> got, std::span<const std::byte> expected,
              Tolerance tolerance) {
  SIM_ASSERT(got.size() == expected.size(), "comparing {} bytes with {}", got.size(), expected.size());
  Comparison comparison(std::move(name), type, tolerance);
  for (uint64_t i = 0; i < got.size() / ptx::bytes(type); ++i)
    comparison.element(load_element(type, got, i), load_element(type, expected, i),
                       [&] { return fmt::format("element {}", i); });
  return comparison.result();
}

}  // namespace warptime::host
