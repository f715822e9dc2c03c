// `--print y[0:8]`: ranges, the text of elements of every kind, and ranges that cannot be.
#include "host/launch_file/printed_range.h"

#include "host/device/typed_value.h"
#include "unit/host/host_test.h"

namespace warptime::host {

namespace {

LaunchPlan plan_with(ptx::Type type, uint64_t count) {
  LaunchPlan plan;
  plan.buffers.push_back({.name = "y", .where = {}, .type = type, .count = count, .initial = {}});
  return plan;
}

std::string printed(const std::string& range, ptx::Type type, const std::vector<double>& values) {
  LaunchPlan plan = plan_with(type, values.size());
  Diagnostics diagnostics;
  plan_print(range, plan, diagnostics);
  if (diagnostics.has_errors()) return diagnostics.to_text();
  std::vector<std::byte> bytes(plan.buffers[0].bytes());
  for (size_t i = 0; i < values.size(); ++i) store_element(type, bytes, i, encode_value(type, values[i]));
  return printed_elements(plan.buffers[0], bytes, plan.prints.front());
}

}  // namespace

TEST_CASE("Elements are printed as values of their type") {
  CHECK(printed("y", ptx::Type::F32, {0.1, -2.5, 1e20}) == "y[0:3]  0.1  -2.5  1e+20\n");
  CHECK(printed("y", ptx::Type::F64, {0.1, 1.0 / 3}) == "y[0:2]  0.1  0.3333333333333333\n");
  CHECK(printed("y", ptx::Type::F16, {0.5, 2048}) == "y[0:2]  0.5  2048\n");
  CHECK(printed("y", ptx::Type::S8, {-1, 127}) == "y[0:2]  -1  127\n");
  CHECK(printed("y", ptx::Type::S64, {-5}) == "y[0:1]  -5\n");
  CHECK(printed("y", ptx::Type::U16, {65535}) == "y[0:1]  65535\n");
  CHECK(printed("y", ptx::Type::B32, {255}) == "y[0:1]  0x000000ff\n");
}

TEST_CASE("A range is printed eight elements a line") {
  std::vector<double> values;
  for (int i = 0; i < 20; ++i) values.push_back(i);
  CHECK(printed("y[3]", ptx::Type::U32, values) == "y[3:4]  3\n");
  CHECK(printed("y[18:]", ptx::Type::U32, values) == "y[18:20]  18  19\n");
  CHECK(printed("y[:2]", ptx::Type::U32, values) == "y[0:2]  0  1\n");
  CHECK(printed("y[7:17]", ptx::Type::U32, values) == "y[7:15]  7  8  9  10  11  12  13  14\ny[15:17]  15  16\n");
}

TEST_CASE("Ranges that cannot be") {
  auto [range, message] = GENERATE(table<std::string, std::string>({
      {"x", "there is no buffer \"x\""},
      {"", "there is no buffer \"\""},
      {"y[", "a \"]\" is missing"},
      {"y[0:4", "a \"]\" is missing"},
      {"y[]", "\"\" is not a range of indices"},
      {"y[a]", "\"a\" is not a range of indices"},
      {"y[0:1:2]", "\"0:1:2\" is not a range of indices"},
      {"y[-1]", "\"-1\" is not a range of indices"},
      {"y[4]", "buffer \"y\" has elements 0 to 3"},
      {"y[2:2]", "buffer \"y\" has elements 0 to 3"},
      {"y[3:2]", "buffer \"y\" has elements 0 to 3"},
      {"y[0:5]", "buffer \"y\" has elements 0 to 3"},
      {"y[18446744073709551615]", "buffer \"y\" has elements 0 to 3"},
  }));
  CAPTURE(range);
  CHECK_THAT(printed(range, ptx::Type::F32, {1, 2, 3, 4}), Catch::Matchers::Contains(message));
}

}  // namespace warptime::host
