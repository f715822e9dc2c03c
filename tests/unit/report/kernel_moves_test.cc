// Rows and lines of CUDA of two runs side by side: how they are matched, costs on both sides, kernels by name.
#include "report/kernel_moves.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tools/run_program.h"

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

TEST_CASE("lines of CUDA are matched by their place, then by their text, and rows within them") {
  test::TempFolder folder;
  folder.write("k.cu", "one;\n  two;\nthree;\n\n  two;\nfour;\n");
  auto of_line = [&](sim::InstructionRow row, uint32_t line) {
    row.source_file = folder.path("k.cu");
    row.source_line = line;
    return row;
  };
  std::vector<KernelRows> a{
      kernel_of("k", {of_line(row_of(1, "add %r1, %r2;", 4, 1), 1), of_line(row_of(2, "mul %r3;", 16, 3), 3),
                      of_line(row_of(3, "mul %r3;", 8, 2), 2)})};
  std::vector<KernelRows> b{kernel_of(
      "k", {of_line(row_of(5, "@%p1 add %r7, %r8;", 4, 10), 1), of_line(row_of(6, "mul %r3;", 8, 20), 5),
            of_line(row_of(7, "sub %r9;", 4, 0), 5), of_line(row_of(8, "xor %r1;", 4, 40), 6), row_of(0, "", 0, 100)})};
  Json moves = kernel_moves(a, b)[0];
  const Json &lines = moves["lines"], &rows = moves["rows"];
  REQUIRE(lines.size() == 4);
  CHECK(lines[0]["source_a"] == "k.cu:1");
  CHECK(lines[0]["source_b"] == "k.cu:1");
  REQUIRE(lines[0]["rows"].size() == 1);  // the same operation on other registers
  CHECK(rows[lines[0]["rows"][0].get<size_t>()]["line_a"] == 1);
  CHECK(lines[1]["source_a"] == "k.cu:2");  // another place, the same text
  CHECK(lines[1]["source_b"] == "k.cu:5");
  CHECK(lines[1]["text"] == "two;");
  CHECK(lines[1]["a"]["stalls"][1] == 2);
  CHECK(lines[1]["b"]["stalls"][1] == 20);
  CHECK(lines[1]["b"]["issued"] == 12);
  CHECK(lines[1]["rows"].size() == 2);
  CHECK(lines[2]["source_a"].is_null());
  CHECK(lines[2]["source_b"] == "k.cu:6");
  CHECK(lines[3]["source_a"] == "k.cu:3");  // "mul %r3;" of another line is not its partner
  CHECK(lines[3]["source_b"].is_null());
  CHECK(lines[3]["a"]["stalls"][1] == 3);
  size_t in_lines = 0;
  for (const Json& line : lines) in_lines += line["rows"].size();
  CHECK(in_lines + 1 == rows.size());  // no instruction has no line
}

TEST_CASE("without lines of CUDA on one side, rows are matched over the kernel") {
  sim::InstructionRow with = row_of(1, "add;", 4, 1);
  with.source_file = "/nowhere/k.cu";
  with.source_line = 7;
  Json moves = kernel_moves({kernel_of("k", {row_of(3, "add;", 4, 2)})}, {kernel_of("k", {with})})[0];
  REQUIRE(moves["rows"].size() == 1);
  CHECK(moves["rows"][0]["line_a"] == 3);
  REQUIRE(moves["lines"].size() == 1);
  CHECK(moves["lines"][0]["text"] == "");  // the file is not there
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
