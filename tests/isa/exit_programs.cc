#include "exit_programs.h"

#include <fmt/format.h>

#include <array>
#include <utility>
#include <vector>

#include "base/random.h"

namespace warptime::sim {

namespace {

constexpr uint32_t kMostExitThreads = 96;

struct Around {
  bool together = true;  // the whole block comes here, apart from threads that have ended
  uint32_t depth = 0;
  std::string leave_loop;  // a label; empty: no loop is around
};

class ExitWriter {
 public:
  ExitWriter(uint64_t seed, bool taken, bool with_exits)
      : random_(SplitMix64(seed).next()), taken_(taken), with_exits_(with_exits) {}

  uint32_t threads() const { return threads_; }

  std::string run() {
    static constexpr std::array<uint32_t, 5> kThreads{32, 48, 64, 70, kMostExitThreads};
    threads_ = kThreads[below(kThreads.size())];
    ends_by_exit_ = chance(5);
    function();
    kernel();
    return text_;
  }

 private:
  uint32_t below(size_t limit) { return static_cast<uint32_t>(random_.below(limit)); }
  bool chance(uint32_t one_in) { return below(one_in) == 0; }
  template <class... A>
  void line(fmt::format_string<A...> form, A&&... values) {
    text_ += "  " + fmt::format(form, std::forward<A>(values)...) + "\n";
  }
  void label(const std::string& name) { text_ += name + ":\n"; }
  std::string name(const char* what) { return fmt::format("{}{}", what, ++names_); }

  static constexpr const char* kRegisters =
      "  .reg .pred %p, %d;\n  .reg .b32 %h, %t, %u, %r<4>, %c<100>;\n  .reg .b64 %a, %o;\n";

  void function() {
    in_function_ = true;
    text_ +=
        ".version 6.4\n.target sm_70\n.address_size 64\n\n.func fail()\n{\n  trap;\n}\n\n"
        ".func spin()\n{\nAGAIN:\n  bra AGAIN;\n}\n\n"
        ".func (.reg .b32 %y) f(.reg .b32 %x, .reg .b32 %tid_x, .reg .b64 %out)\n{\n";
    text_ += kRegisters;
    line("mov.b32 %h, %x;");
    line("mov.b32 %t, %tid_x;");
    line("mov.b64 %o, %out;");
    Around c;
    c.together = false;
    body(c, 3 + below(4));
    end("mov.b32 %y, %h;", "ret");
    text_ += "}\n\n";
    in_function_ = false;
  }

  void kernel() {
    text_ += ".visible .entry k(.param .u64 out)\n{\n";
    text_ += kRegisters;
    line(".shared .align 4 .b32 s[{}];", kMostExitThreads);
    line("mov.u32 %t, %tid.x;");
    line("ld.param.u64 %o, [out];");
    line("mul.wide.u32 %a, %t, 4;");
    line("add.u64 %o, %o, %a;");
    line("mad.lo.u32 %h, %t, 0x9e3779b1, {};", below(1 << 20));
    line("mov.b32 %u, {};", below(1 << 20));
    body({}, 6 + below(8));
    end("st.global.u32 [%o], %h;", main_exit());
    text_ += "}\n";
  }

  /// The last block, behind those that only exits come to: of several exits of one kind the main one stands last.
  void end(const char* result, const char* leave) {
    line("bra TAIL;");
    text_ += std::exchange(behind_, "");
    label("TAIL");
    line("{}", result);
    if (chance(3)) line("{};", leave);
    else if (chance(2)) line("bra EXIT;");
    label("EXIT");
    line("{};", leave);
    text_ += std::exchange(after_end_, "");
    shares_ = false;
  }

  void body(const Around& c, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) statement(c);
  }
  void few(Around c, bool together) {
    c.together = together;
    ++c.depth;
    body(c, 1 + below(c.depth < 3 ? 4 : 2));
  }

  void statement(const Around& c) {
    bool deep = c.depth >= 4;
    switch (below(16)) {
      case 0:
      case 1: return deep ? operation() : branch(c);
      case 2: return deep ? operation() : loop(c);
      case 3: return deep ? operation() : table(c);
      case 4: return in_function_ || c.depth > 2 ? operation() : line("call (%h), f, (%h, %t, %o);");
      case 5:
      case 6: return c.together ? exchange() : operation();
      case 7:
        if (c.leave_loop.empty()) return operation();
        condition(false);
        return line("@%p bra {};", c.leave_loop);
      case 8: {
        condition(false);
        std::string next = name("NEXT");
        line("@%p bra {};", next);
        return label(next);
      }
      case 9:
      case 10:
      case 11: return leave();
      default: return operation();
    }
  }

  void operation() {
    switch (below(4)) {
      case 0: return line("mad.lo.u32 %h, %h, {}, %t;", 2 * below(1000) + 1);
      case 1: return line("xor.b32 %h, %h, {:#x};", below(1 << 30));
      case 2: line("shr.u32 %r0, %h, {};", 1 + below(15)); return line("xor.b32 %h, %h, %r0;");
      default: return line("add.u32 %h, %h, {};", below(1 << 30));
    }
  }

  /// %p, in half or a quarter of the lanes, or alike in all.
  void condition(bool uniform) {
    line("shr.u32 %r0, {}, {};", uniform ? "%u" : chance(3) ? "%t" : "%h", below(uniform ? 18 : 5));
    line("and.b32 %r0, %r0, {};", chance(2) ? 1 : 3);
    line("setp.eq.u32 %p, %r0, 0;");
  }
  bool uniform(const Around& c) { return c.together && chance(2); }

  void branch(const Around& c) {
    bool same = uniform(c), other = chance(2);
    std::string otherwise = name("ELSE"), out = name("END");
    condition(same);
    line("@{}%p bra {};", chance(2) ? "!" : "", otherwise);
    few(c, same);
    if (other) {
      line("bra {};", out);
      label(otherwise);
      few(c, same);
      label(out);
    } else {
      label(otherwise);
    }
  }

  void loop(Around c) {
    bool same = uniform(c), tests_last = chance(2);
    uint32_t counter = counters_++ % 100;
    std::string again = name("LOOP"), out = name("OUT");
    if (same) line("mov.b32 %c{}, {};", counter, 1 + below(3));
    else line("and.b32 %c{}, %h, {};", counter, chance(2) ? 3 : 7);
    label(again);
    auto test = [&](const char* how) { line("setp.{}.u32 %p, %c{}, 0;", how, counter); };
    if (!tests_last) {
      test("eq");
      line("@%p bra {};", out);
    }
    c.leave_loop = same ? "" : out;
    few(c, same);
    if (tests_last) {
      test("ne");
      line("sub.u32 %c{0}, %c{0}, 1;", counter);
      line("@%p bra {};", again);
    } else {
      line("sub.u32 %c{0}, %c{0}, 1;", counter);
      line("bra {};", again);
    }
    label(out);
  }

  void table(const Around& c) {
    bool same = uniform(c);
    std::string n = name("TABLE");
    line("shr.u32 %r0, {}, {};", same ? "%u" : "%h", below(12));
    line("and.b32 %r0, %r0, 3;");
    text_ += fmt::format("{0}: .branchtargets {0}_0, {0}_1, {0}_2, {0}_3;\n", n);
    line("brx.idx %r0, {};", n);
    for (int i = 0; i < 3; ++i) {
      label(fmt::format("{}_{}", n, i));
      few(c, same);
      if (chance(2)) line("bra {}_3;", n);
    }
    label(n + "_3");
  }

  /// A value goes to the thread's neighbour.
  void exchange() {
    line("shl.b32 %r0, %t, 2;");
    line("mov.u32 %r1, s;");
    line("add.u32 %r0, %r0, %r1;");
    line("st.shared.u32 [%r0], %h;");
    line("bar.sync 0;");
    line("add.u32 %r2, %t, 1;");
    line("setp.eq.u32 %p, %r2, {};", threads_);
    line("selp.b32 %r2, 0, %r2, %p;");
    line("shl.b32 %r2, %r2, 2;");
    line("add.u32 %r2, %r2, %r1;");
    line("ld.shared.u32 %r3, [%r2];");
    line("bar.sync 0;");
    line("xor.b32 %h, %h, %r3;");
  }

  const char* main_exit() const { return ends_by_exit_ && !in_function_ ? "exit" : "ret"; }

  /// What an exit may do before it ends the thread. `long_one`: in several blocks.
  void last_words(bool long_one) {
    line("xor.b32 %r0, %h, {};", 1 + below(100));
    if (long_one) {
      std::string skip = name("SKIP");
      line("setp.gt.u32 %p, %r0, 1000;");
      line("@%p bra {};", skip);
      line("add.u32 %r0, %r0, 7;");
      label(skip);
    }
    line("st.global.u32 [%o], %r0;");
    if (in_function_) line("mov.b32 %y, %r0;");
  }

  /// Code of lanes that leave. Returns whether its exit is of a lesser kind than the main one. `never`: no lane comes.
  bool way_out(bool never) {
    const uint32_t kind = below(never ? 7 : 3);
    const bool lesser = kind > 2 || (kind == 1 && main_exit() == std::string("ret"));
    if (chance(2)) last_words(lesser && chance(2));
    switch (kind) {
      case 0: line("bra EXIT;"); break;
      case 1: line("exit;"); break;
      case 2: line("{};", main_exit()); break;
      case 3: line("trap;"); break;
      case 4:
        line("call fail, ();");
        if (chance(2)) line("bra EXIT;");
        else line("trap;");
        break;
      case 5:
        line("call spin, ();");
        line("bra TAIL;");
        break;
      default: {
        std::string again = name("FOREVER");
        label(again);
        line("bra {};", again);
        break;
      }
    }
    return lesser;
  }

  /// %d: lanes that leave here. `never`: none.
  void leaving_lanes(bool never) {
    if (never) return line("setp.gt.u32 %d, %t, {};", kMostExitThreads + below(100));
    line("shr.u32 %r0, {}, {};", chance(2) ? "%t" : "%h", below(6));
    line("and.b32 %r0, %r0, {};", chance(2) ? 7 : 15);
    line("setp.eq.u32 %d, %r0, {};", below(8));
  }

  void leave() {
    bool never = !taken_ || chance(2);
    leaving_lanes(never);
    const std::string shown = text_;
    std::string instead = "  @%d mov.b32 %r3, 0;\n";
    switch (below(never ? 9 : 8)) {
      case 0: line("@%d {};", in_function_ ? "exit" : main_exit()); break;
      case 1: line("@%d exit;"); break;
      case 2: line("@%d bra EXIT;"); break;
      case 3:
      case 4: {  // around a block that leaves
        std::string skip = name("GO");
        line("@!%d bra {};", skip);
        way_out(never);
        label(skip);
        break;
      }
      case 5:
      case 6: {  // to a block behind the code
        std::string away = name("AWAY");
        line("@%d bra {};", away);
        std::string code = std::exchange(text_, "");
        label(away);
        std::string& place = way_out(never) && chance(2) ? after_end_ : behind_;
        place += std::exchange(text_, code);
        break;
      }
      case 7: {  // to a block that several come to
        line("@%d bra SHARED;");
        if (std::exchange(shares_, true)) break;
        std::string code = std::exchange(text_, "");
        label("SHARED");
        line("xor.b32 %r0, %h, 99;");
        line("st.global.u32 [%o], %r0;");
        if (in_function_) line("mov.b32 %y, %r0;");
        line("{};", main_exit());
        behind_ += std::exchange(text_, code);
        break;
      }
      default: line("@%d trap;"); break;
    }
    if (with_exits_) return;
    text_ = shown + instead;
    behind_.clear();
    after_end_.clear();
  }

  SplitMix64 random_;
  const bool taken_, with_exits_;
  bool ends_by_exit_ = false, in_function_ = false;
  bool shares_ = false;  // there is a label SHARED
  uint32_t threads_ = 0, names_ = 0, counters_ = 0;
  std::string text_, behind_, after_end_;  // the latter go behind the code, and behind its last exit
};

}  // namespace

ExitProgram exit_program(uint64_t seed, bool taken) {
  ExitWriter with(seed, taken, true), without(seed, taken, false);
  ExitProgram out;
  out.with_exits = with.run();
  out.without = without.run();
  out.threads = with.threads();
  return out;
}

}  // namespace warptime::sim
