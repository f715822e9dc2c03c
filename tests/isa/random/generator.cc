#include "generator.h"

#include <fmt/format.h>

#include <algorithm>

#include "collective_statements.h"
#include "memory_statements.h"
#include "routine_frame.h"

namespace warptime::sim {

namespace {

/// Which threads are sure to execute a statement together.
enum class Together : uint8_t {
  Block,  // all that have not ended, of the block
  Mask,   // the lanes of Context::mask
  Lane,   // nobody knows
};

struct Context {
  Together together = Together::Lane;
  std::string mask;    // a register; of Block and Mask
  uint32_t depth = 0;  // of control statements around
  uint32_t loops = 0;
  std::vector<std::string> breaks;  // labels that a lane may leave to
  Context inside() const {
    Context out = *this;
    ++out.depth;
    return out;
  }
  /// Where lanes go their own ways.
  Context parted() const {
    Context out = inside();
    out.together = Together::Lane;
    return out;
  }
  Context masked(std::string by) const {
    Context out = inside();
    out.together = Together::Mask;
    out.mask = std::move(by);
    out.breaks.clear();  // who leaves would be missed
    return out;
  }
};

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(SplitMix64(seed).next()), ops_(random_) { program_.seed = seed; }

  Program run() {
    shape();
    uint32_t functions = chance(3) ? 0 : 1 + below(3);
    for (uint32_t i = 0; i < functions; ++i) function(i);
    kernel();
    program_.declarations = module_declarations(program_.seed, ops_.pick("8.2 sm_80|8.3 sm_86|8.2 sm_90|9.0 sm_90"));
    return std::move(program_);
  }

 private:
  using Body = std::vector<Statement>;

  uint32_t below(uint32_t limit) { return static_cast<uint32_t>(random_.below(limit)); }
  bool chance(uint32_t one_in) { return ops_.chance(one_in); }
  uint32_t number() { return ++names_; }

  void shape() {
    static constexpr uint32_t kBlocks[][3] = {{32, 1, 1}, {64, 1, 1}, {96, 1, 1}, {128, 1, 1}, {48, 1, 1},
                                              {33, 1, 1}, {8, 8, 1},  {16, 4, 2}, {20, 3, 1},  {7, 1, 1}};
    static constexpr uint32_t kGrids[][3] = {{1, 1, 1}, {1, 1, 1}, {2, 1, 1}, {3, 1, 1}, {2, 2, 1}};
    std::copy_n(kBlocks[below(std::size(kBlocks))], 3, program_.shape.block);
    std::copy_n(kGrids[below(std::size(kGrids))], 3, program_.shape.grid);
  }

  void kernel() {
    Context top;
    top.together = Together::Block;
    top.mask = "%live";
    exits_ = ended_ = false;
    names_ = 0;
    Routine routine;
    routine.body = body(top, 15 + below(45));
    routine.head = kernel_head(program_.shape, names_);
    routine.tail = kernel_tail();
    program_.routines.push_back(std::move(routine));
  }

  void function(uint32_t index) {
    Function f;
    f.name = fmt::format("f{}", index);
    f.by_register = chance(3);
    f.masked = chance(2);
    f.arrays = !f.by_register && chance(2);
    function_ = &f;
    Context top;
    if (f.masked) {
      top.together = Together::Mask;
      top.mask = "%live";
    }
    exits_ = false;
    names_ = 0;
    Routine routine;
    routine.body = body(top, 4 + below(8));
    function_ = nullptr;
    f.exits = exits_;
    routine.head = function_head(f, names_);
    routine.tail = function_tail(f);
    program_.routines.push_back(std::move(routine));
    functions_.push_back(f);
  }

  Body body(const Context& context, uint32_t count) {
    Body out;
    for (uint32_t i = 0; i < count; ++i) {
      bool before = exits_;
      exits_ = false;
      Statement s = statement(context);
      // Who has ended is no longer to be waited for by what reads the mask.
      if (exits_ && context.together != Together::Lane) s.lines.back() += refreshed(context.mask);
      exits_ |= before;
      out.push_back(std::move(s));
    }
    return out;
  }
  Body few(const Context& context) { return body(context, 1 + below(context.depth < 2 ? 5 : 3)); }

  static std::string refreshed(const std::string& mask) {
    return fmt::format("  setp.eq.u32 %q, 0, 0;\n  vote.sync.ballot.b32 {0}, %q, {0};\n", mask);
  }

  Statement statement(const Context& c) {
    uint32_t kind = below(100);
    if (kind < 49) return ops_.any();
    if (kind < 64) return memory_statement(ops_, random_);
    if (kind < 70) return atomic_statement(ops_, random_);
    bool deep = c.depth >= 4;
    if (kind < 76) return deep ? ops_.any() : branch(c);
    if (kind < 81) return deep || c.loops >= 2 ? ops_.any() : loop(c);
    if (kind < 83) return deep ? ops_.any() : table_branch(c);
    if (kind < 85) return call(c);
    if (kind < 87) return leave(c);
    if (kind < 92) return c.together == Together::Lane ? ops_.any() : warp_collective(ops_, random_, c.mask);
    if (c.together != Together::Block) return ops_.any();
    return block_statement(c);
  }

  /// if, or if and else.
  Statement branch(const Context& c) {
    uint32_t n = number();
    std::string p = ops_.reg('p');
    Statement s;
    bool other = chance(2);
    if (c.together != Together::Lane && chance(2)) {
      std::string head = fmt::format(
          "  vote.sync.ballot.b32 %m{0}, {1}, {2};\n  not.b32 %e{0}, %m{0};\n  and.b32 %e{0}, %e{0}, {2};\n", n, p,
          c.mask);
      s.lines = {head + fmt::format("  @!{1} bra ELSE_{0};\n", n, p), fmt::format("  bra END_{0};\nELSE_{0}:\n", n),
                 fmt::format("END_{}:\n", n)};
      s.bodies = {few(c.masked(fmt::format("%m{}", n))), other ? few(c.masked(fmt::format("%e{}", n))) : Body{}};
      return s;
    }
    s.sheds = true;
    s.lines = {fmt::format("  @{}{} bra ELSE_{};\n", chance(2) ? "!" : "", p, n)};
    s.bodies.push_back(few(c.parted()));
    if (other) {
      s.lines.push_back(fmt::format("  bra END_{0};\nELSE_{0}:\n", n));
      s.bodies.push_back(few(c.parted()));
      s.lines.push_back(fmt::format("END_{}:\n", n));
    } else {
      s.lines.push_back(fmt::format("ELSE_{}:\n", n));
    }
    return s;
  }

  /// At most seven times, as the data say.
  Statement loop(const Context& c) {
    uint32_t n = number();
    Statement s;
    std::string head = ops_.filled(fmt::format("  and.b32 %c{}, $r, $(7|3|3|3);\n", n));
    std::string end = fmt::format("  sub.u32 %c{0}, %c{0}, 1;\n  bra LOOP_{0};\nEND_{0}:\n", n);
    if (c.together != Together::Lane && chance(2)) {
      Context inside = c.masked(fmt::format("%m{}", n));
      ++inside.loops;
      s.lines = {head + fmt::format("  mov.b32 %m{0}, {1};\nLOOP_{0}:\n  setp.ne.u32 %q, %c{0}, 0;\n"
                                    "  vote.sync.ballot.b32 %m{0}, %q, %m{0};\n  @!%q bra END_{0};\n",
                                    n, c.mask),
                 end};
      s.bodies = {few(inside)};
      return s;
    }
    Context inside = c.parted();
    ++inside.loops;
    inside.breaks.push_back(fmt::format("END_{}", n));
    s.sheds = true;
    if (chance(3)) {  // do ... while
      inside.breaks.push_back(fmt::format("NEXT_{}", n));
      s.lines = {head + fmt::format("LOOP_{}:\n", n),
                 fmt::format("NEXT_{0}:\n  setp.ne.u32 %q, %c{0}, 0;\n  sub.u32 %c{0}, %c{0}, 1;\n"
                             "  @%q bra LOOP_{0};\nEND_{0}:\n",
                             n)};
    } else {
      s.lines = {head + fmt::format("LOOP_{0}:\n  setp.eq.u32 %q, %c{0}, 0;\n  @%q bra END_{0};\n", n), end};
    }
    s.bodies = {few(inside)};
    return s;
  }

  Statement table_branch(const Context& c) {
    uint32_t n = number();
    bool uniform = c.together == Together::Block && chance(2);
    Statement s;
    s.sheds = true;
    s.lines.push_back(
        fmt::format("  and.b32 %rt0, {1}, 3;\nTABLE_{0}: .branchtargets CASE_{0}_0, CASE_{0}_1, CASE_{0}_2, "
                    "END_{0};\n  brx.idx{2} %rt0, TABLE_{0};\nCASE_{0}_0:\n",
                    n, ops_.reg(uniform ? 'u' : 'r'), uniform ? ".uni" : ""));
    for (uint32_t i = 0; i < 3; ++i) {
      s.bodies.push_back(few(uniform ? c.inside() : c.parted()));
      std::string leave = chance(2) ? fmt::format("  bra END_{};\n", n) : "";  // else it falls through
      s.lines.push_back(leave + (i < 2 ? fmt::format("CASE_{}_{}:\n", n, i + 1) : fmt::format("END_{}:\n", n)));
    }
    return s;
  }

  Statement call(const Context& c) {
    std::vector<const Function*> fit;
    for (const Function& f : functions_)
      if (!f.masked || c.together != Together::Lane) fit.push_back(&f);
    if (fit.empty() || c.loops > 1) return ops_.any();
    const Function& f = *fit[below(static_cast<uint32_t>(fit.size()))];
    exits_ |= f.exits;
    ended_ |= f.exits;
    return call_text(ops_, f, c.mask);
  }

  /// Lanes leave a loop or the function, or end.
  Statement leave(const Context& c) {
    std::string p = ops_.reg('p');
    if (!c.breaks.empty() && !chance(4)) {
      // One in four lanes, or so.
      std::string test = ops_.filled("  and.b32 %rt0, $r, 3;\n  setp.eq.u32 %q, %rt0, 0;\n");
      return test + fmt::format("  @%q bra {};\n", c.breaks[below(static_cast<uint32_t>(c.breaks.size()))]);
    }
    if (function_ != nullptr && !function_->masked && !chance(4)) return early_return(ops_, *function_);
    if (!chance(2)) return ops_.any();
    exits_ = ended_ = true;
    std::string test = ops_.filled(fmt::format("  and.b32 %rt0, $r, 15;\n  setp.eq.u32 %q, %rt0, {};\n", below(16)));
    return test + "  @%q st.global.u32 [%rec+60], 77;\n  @%q exit;\n";
  }

  Statement block_statement(const Context& c) {
    uint32_t n = number();
    switch (below(c.depth >= 3 ? 6 : 9)) {
      case 0: return ops_.filled("  mov.b32 $r, $u;\n");
      case 1: return ops_.filled(fmt::format("  $(add.u32|mul.lo.u32|xor.b32|sub.u32) $u, $u, {:#x};\n", below(1000)));
      case 2:
      case 3:
      case 4:
      case 5: return block_collective(ops_, random_, {n, program_.shape.block_threads(), !ended_ && c.loops == 0});
      case 6: {  // a branch that the whole block takes, or not
        Statement s;
        s.sheds = true;
        s.lines = {ops_.filled(fmt::format(
                       "  and.b32 %rt0, $u, 1;\n  setp.eq.u32 %q, %rt0, 0;\n  @%q bra$(|.uni) END_{};\n", n)),
                   fmt::format("END_{}:\n", n)};
        s.bodies = {few(c.inside())};
        return s;
      }
      case 7: {
        Statement s;
        Context inside = c.inside();
        ++inside.loops;
        s.sheds = true;
        s.lines = {fmt::format("  and.b32 %c{0}, {1}, 1;\nLOOP_{0}:\n", n, ops_.reg('u')),
                   fmt::format("  setp.ne.u32 %q, %c{0}, 0;\n  sub.u32 %c{0}, %c{0}, 1;\n  @%q bra LOOP_{0};\n", n)};
        s.bodies = {few(inside)};
        return s;
      }
      default: {  // one barrier, met on two ways
        program_.barriers_in_branches = true;
        std::string b = fmt::format("  barrier.sync {};\n", below(3));
        Statement s;
        s.lines = {fmt::format("  @{} bra ELSE_{};\n", ops_.reg('p'), n), b,
                   fmt::format("  bra END_{0};\nELSE_{0}:\n", n), b, fmt::format("END_{}:\n", n)};
        for (int i = 0; i < 4; ++i) s.bodies.push_back(few(c.parted()));
        return s;
      }
    }
  }

  SplitMix64 random_;
  Operations ops_;
  Program program_;
  std::vector<Function> functions_;
  const Function* function_ = nullptr;  // that is being made
  uint32_t names_ = 0;
  bool exits_ = false;  // what was made since it was last cleared may end threads
  bool ended_ = false;  // so may something that came before
};

}  // namespace

Program random_program(uint64_t seed) { return Generator(seed).run(); }

}  // namespace warptime::sim
