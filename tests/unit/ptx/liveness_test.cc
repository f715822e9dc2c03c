// Live intervals, the most registers live at once and the rows that registers share; all worked out by hand.
#include "ptx/analysis/liveness.h"

#include "load.h"

namespace warptime::ptx {
namespace {

struct Found {
  std::shared_ptr<const Module> module;
  const Kernel& kernel;
  Liveness liveness;
  explicit Found(const std::string& body)
      : module(load_body(body)), kernel(module->kernels[0]), liveness(find_liveness(kernel)) {}
  std::pair<uint32_t, uint32_t> interval(const std::string& name) const {
    const LiveInterval& i = liveness.intervals[register_named(kernel, name)];
    return {i.begin, i.end};
  }
  uint32_t row(const std::string& name) const { return kernel.rows.row_of[register_named(kernel, name)]; }
};
using Interval = std::pair<uint32_t, uint32_t>;

TEST_CASE("Liveness: straight code", "[ptx][liveness]") {
  Found f("mov.u32 %r1, 1;\nmov.u32 %r2, 2;\nadd.u32 %r3, %r1, %r2;\nst.global.u32 [%rd1], %r3;");
  CHECK(f.interval("%r1") == Interval{0, 2});
  CHECK(f.interval("%r2") == Interval{1, 2});
  CHECK(f.interval("%r3") == Interval{2, 3});
  CHECK(f.interval("%rd1") == Interval{0, 3});  // read before any write: live from the start
  // At the add: r1, r2 before it, r3 behind it, and the address (2 registers) all along.
  CHECK(f.liveness.most_registers == 4);
}

TEST_CASE("Liveness: a value carried around a loop lives in all of it", "[ptx][liveness]") {
  Found f(R"(mov.u32 %r1, 0;
mov.u32 %r2, 0;
again:
add.u32 %r2, %r2, %r1;
mov.u32 %r3, 5;
add.u32 %r1, %r1, %r3;
setp.lt.u32 %p1, %r1, 10;
@%p1 bra again;
st.global.u32 [%rd1], %r2;)");
  CHECK(f.interval("%r1") == Interval{0, 6});  // to the branch at the end of the loop
  CHECK(f.interval("%r2") == Interval{1, 7});
  CHECK(f.interval("%r3") == Interval{3, 4});
  CHECK(f.interval("%p1") == Interval{5, 6});
  CHECK(f.liveness.most_registers == 5);  // rd1 (2), r1, r2, r3
}

TEST_CASE("Liveness: a guarded write keeps the old value", "[ptx][liveness]") {
  Found f("mov.u32 %r1, 1;\nmov.u32 %r2, 2;\n@%p1 mov.u32 %r1, 3;\nst.global.u32 [%rd1], %r1;");
  CHECK(f.interval("%r1") == Interval{0, 3});
  // Without the first write the register is live from the start, where other threads may read what was there.
  Found g("mov.u32 %r2, 2;\n@%p1 mov.u32 %r1, 3;\nst.global.u32 [%rd1], %r1;");
  CHECK(g.interval("%r1") == Interval{0, 2});
}

TEST_CASE("Liveness: an unguarded write ends what was there", "[ptx][liveness]") {
  Found f(R"(@%p1 bra other;
mov.u32 %r1, 1;
st.global.u32 [%rd1], %r1;
bra done;
other:
mov.u32 %r1, 2;
mov.u32 %r2, %r1;
done:
mov.u32 %r3, 1;)");
  CHECK(f.liveness.most_registers == 3);  // rd1 and r1; in the other arm never more than r1 and r2
}

TEST_CASE("Liveness: widths, dead results, predicates", "[ptx][liveness]") {
  CHECK(Found("mov.u32 %r1, 1;").liveness.most_registers == 1);  // even if nothing reads it
  CHECK(Found("mov.u64 %rd1, 1;").liveness.most_registers == 2);
  CHECK(Found("mov.u16 %rs1, 1;").liveness.most_registers == 1);
  CHECK(Found("mov.pred %p1, 1;").liveness.most_registers == 0);
  CHECK(Found("ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];").liveness.most_registers == 4);
  CHECK(Found("ret;").liveness.most_registers == 0);
}

TEST_CASE("Rows: registers whose lives do not meet share one", "[ptx][rows]") {
  Found f("mov.u32 %r1, 1;\nst.global.u32 [%rd1], %r1;\nmov.u32 %r2, 2;\nst.global.u32 [%rd1], %r2;");
  CHECK(f.row("%r1") == f.row("%r2"));
  CHECK(f.kernel.rows.rows == 3);  // and two for the address
}

TEST_CASE("Rows: a result does not take the row of a source of its instruction", "[ptx][rows]") {
  Found f("mov.u32 %r1, 1;\nadd.u32 %r2, %r1, 1;\nadd.u32 %r3, %r2, 1;");
  CHECK(f.row("%r1") != f.row("%r2"));
  CHECK(f.row("%r2") != f.row("%r3"));
  CHECK(f.row("%r1") == f.row("%r3"));
}

TEST_CASE("Rows: those of registers that may be read before they are written are live at the start", "[ptx][rows]") {
  Found f("mov.u32 %r1, 1;\n@%p1 mov.u32 %r2, 3;\nadd.u32 %r3, %r1, %r2;\nst.global.u32 [%rd1], %r3;");
  std::vector<uint16_t> live = f.kernel.rows.live_at_start;
  auto is_live = [&](uint32_t row) { return std::find(live.begin(), live.end(), row) != live.end(); };
  CHECK(is_live(f.row("%r2")));
  CHECK((is_live(f.row("%rd1")) && is_live(f.row("%rd1") + 1)));
  CHECK_FALSE(is_live(f.row("%r3")));
}

TEST_CASE("Rows: both sides of a branch may use one row for different registers", "[ptx][rows]") {
  Found f(R"(@%p1 bra other;
mov.u32 %r1, 1;
st.global.u32 [%rd1], %r1;
bra done;
other:
mov.u32 %r2, 2;
st.global.u32 [%rd1], %r2;
done:
ret;)");
  CHECK(f.row("%r1") == f.row("%r2"));
}

TEST_CASE("Rows: registers with lanes of different width never share a row", "[ptx][rows]") {
  // One after the other, but lane 1 of %rd2 lies where lanes 2 and 3 of a 32-bit register would: threads that parted at
  // a branch would overwrite each other's values.
  Found f(
      "mov.u32 %r1, 1;\nst.global.u32 [%rd1], %r1;\nmov.u16 %rs1, 2;\nst.global.u16 [%rd1], %rs1;\n"
      "mov.u64 %rd2, 3;\nst.global.u64 [%rd1], %rd2;");
  CHECK(f.row("%r1") != f.row("%rs1"));
  CHECK(f.kernel.rows.rows == 1 + 1 + 4);
  uint32_t first = f.row("%rd1"), second = f.row("%rd2");
  CHECK(std::max(first, second) - std::min(first, second) >= 2);  // two rows each
}

TEST_CASE("Rows: what lives around a loop keeps its row", "[ptx][rows]") {
  Found f(R"(mov.u32 %r1, 0;
again:
mov.u32 %r2, 1;
st.global.u32 [%rd1], %r2;
mov.u32 %r3, 2;
add.u32 %r1, %r1, %r3;
setp.lt.u32 %p1, %r1, 9;
@%p1 bra again;)");
  CHECK(f.row("%r1") != f.row("%r2"));
  CHECK(f.row("%r1") != f.row("%r3"));
  CHECK(f.row("%r2") == f.row("%r3"));
}

TEST_CASE("Rows: predicates have numbers of their own", "[ptx][rows]") {
  Found f("setp.eq.u32 %p1, %r1, 0;\nsetp.eq.u32 %p2, %r1, 1;\n@%p1 bra a;\n@%p2 bra a;\na:\nsetp.eq.u32 %p3, %r1, 2;");
  CHECK(f.kernel.rows.predicates == 2);
  CHECK(f.row("%p1") != f.row("%p2"));
  CHECK(f.kernel.rows.rows == 1);
}

}  // namespace
}  // namespace warptime::ptx
