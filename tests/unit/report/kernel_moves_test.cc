// Rows of two runs side by side: matched by text in their order, costs on both sides, kernels by name.
#include "report/kernel_moves.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace warptime;
using namespace warptime::report;
using Json = nlohmann::ordered_json;

namespace {

sim::InstructionRow row_of(uint32_t line, const std::string& text, uint64_t issued, uint64_t stalled) {
  sim::InstructionRow row;
  row.line = line;
  row.text = text;
  row.warp_instructions = issued / 4;
  row.issued = issued;
  row.stalls[1] = stalled;
  return row;
}

KernelRows kernel_of(const std::string& name, std::vector<sim::InstructionRow> rows) {
  KernelRows kernel;
  kernel.kernel = name;
  kernel.issue.slots = 100;
  kernel.rows = std::move(rows);
  return kernel;
}

}  // namespace

TEST_CASE("rows are matched by their text, the first with the first") {
  std::vector<KernelRows> a{
      kernel_of("k", {row_of(1, "add", 4, 10), row_of(2, "gone", 8, 0), row_of(3, "add", 4, 20)})};
  std::vector<KernelRows> b{kernel_of(
      "k", {row_of(1, "add", 4, 1), row_of(2, "add", 4, 2), row_of(3, "new", 12, 0), row_of(4, "idle", 0, 0)})};
  Json moves = kernel_moves(a, b);
  REQUIRE(moves.size() == 1);
  CHECK(moves[0]["slots_a"] == 100);
  const Json& rows = moves[0]["rows"];
  REQUIRE(rows.size() == 4);  // "idle" costs nothing
  CHECK(rows[0]["line_a"] == 1);
  CHECK(rows[1]["line_a"] == 3);
  CHECK(rows[1]["line_b"] == 2);
  CHECK(rows[1]["a"]["stalls"][1] == 20);
  CHECK(rows[1]["b"]["stalls"][1] == 2);
  CHECK(rows[2]["text"] == "new");
  CHECK(rows[2]["line_a"].is_null());
  CHECK(rows[2]["a"]["issued"] == 0);
  CHECK(rows[3]["text"] == "gone");
  CHECK(rows[3]["line_b"].is_null());
  CHECK(rows[3]["a"]["executions"] == 2);
}

TEST_CASE("kernels are matched by name, or if there is only one on each side") {
  auto one = [](const std::string& name) { return kernel_of(name, {row_of(1, "add", 4, 0)}); };
  CHECK(kernel_moves({one("a")}, {one("b")})[0]["a"] == "a");
  CHECK(kernel_moves({one("a")}, {one("b")})[0]["b"] == "b");
  Json moves = kernel_moves({one("a"), one("b")}, {one("b"), one("c")});
  REQUIRE(moves.size() == 1);
  CHECK(moves[0]["a"] == "b");
  CHECK(kernel_moves({}, {one("b")}).empty());
}
