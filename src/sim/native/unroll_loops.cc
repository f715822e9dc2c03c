#include "sim/native/unroll_loops.h"

#include <algorithm>
#include <map>
#include <utility>

#include "ptx/analysis/control_flow.h"
#include "sim/native/counted_loops.h"
#include "sim/native/loop_rounds.h"
#include "sim/native/rewritten_code.h"

namespace warptime::sim {

using ptx::Instruction, ptx::Kernel, ptx::kNoIndex, ptx::Mod, ptx::ModSet, ptx::Operand, ptx::Type;

namespace {

constexpr uint32_t kMainRounds = 4;    // of the main loop; ptxas 13.0
constexpr uint32_t kRoundsBehind = 2;  // in a row behind it

/// What a loop becomes:
///
///       four rounds? no: behind
///   main: four rounds
///       four more? yes: main
///       one more? no: end
///   behind: two rounds? no: rest
///       two rounds
///       one more? no: end
///   rest: the loop
///   end:
class UnrolledLoop {
 public:
  UnrolledLoop(RewrittenCode& code, const CountedLoop& loop, uint32_t begin, uint32_t end)
      : code_(code), loop_(loop), begin_(begin), end_(end), back_(end - 1) {}

  bool is_possible() const {
    if (bound().kind != Operand::Kind::Immediate) return true;
    const auto limit = static_cast<int64_t>(limit_of(kMainRounds));
    return is_signed() ? before_bound(signed_value(limit), signed_value(static_cast<int64_t>(bound().bits)))
                       : before_bound(static_cast<uint64_t>(limit), bound().bits);
  }

  /// Where `rest` is.
  uint32_t run() {
    std::vector<uint32_t> to_behind, to_rest, to_end;
    const Limit main_limit = add_limit(kMainRounds);
    to_behind.push_back(leave_unless(add_test(main_limit, true)));
    const uint32_t main = code_.here();
    add(kMainRounds);
    branch(add_test(main_limit, false), false, main);
    to_end.push_back(leave_unless(go_on()));
    land(to_behind);
    to_rest.push_back(leave_unless(add_test(add_limit(kRoundsBehind), true)));
    add(kRoundsBehind);
    to_end.push_back(leave_unless(go_on()));
    land(to_rest);
    const uint32_t rest = code_.here();
    for (uint32_t i = begin_; i < back_; ++i) code_.keep(i);
    branch(test_predicate(), false, rest);
    land(to_end);
    return rest;
  }

 private:
  struct Limit {
    Operand value;                 // so many rounds are left where the counter is before it
    uint32_t is_exact = kNoIndex;  // predicate: it is before the bound, and not beyond the type's other end
  };

  const Instruction& test() const { return code_.before(loop_.test_at); }
  Operand bound() const { return code_.operands(loop_.test_at)[loop_.bound_operand()]; }
  bool equality() const { return test().mods.has(Mod::Ne); }
  /// ptxas takes numbers that are only compared for being different as signed ones.
  Type order_type() const {
    if (!equality()) return test().type;
    return bits(test().type) == 64 ? Type::S64 : Type::S32;
  }
  bool is_signed() const { return ptx::info(order_type()).kind == ptx::TypeKind::Signed; }
  int64_t signed_value(int64_t value) const {
    const uint32_t unused = 64 - bits(test().type);
    return static_cast<int64_t>(static_cast<uint64_t>(value) << unused) >> unused;
  }
  template <class T>
  bool before_bound(T value, T end) const {
    return loop_.step > 0 ? value < end : value > end;
  }
  /// A bound that is a constant, less all steps but the first one of so many rounds.
  uint64_t limit_of(uint32_t rounds) const {
    return cut(bound().bits - static_cast<uint64_t>(loop_.step) * (rounds - 1), test().type);
  }

  /// The bound less these steps. Where the difference passes an end of its type, it is on the other side of the bound.
  Limit add_limit(uint32_t rounds) {
    Limit out{bound(), kNoIndex};
    if (out.value.kind == Operand::Kind::Immediate) {
      out.value.bits = limit_of(rounds);
      return out;
    }
    std::vector<Operand> operands = code_.operands(loop_.step_at);
    operands[0].index = code_.new_register(loop_.counter);
    operands[1].index = out.value.index;
    operands[2].bits = cut(uint64_t{0} - operands[2].bits * (rounds - 1), code_.before(loop_.step_at).type);
    const Operand of = out.value;
    out.value.index = operands[0].index;
    code_.add(loop_.step_at, code_.before(loop_.step_at), operands);
    out.is_exact = compare(loop_.step > 0 ? Mod::Lt : Mod::Gt, out.value, of, kNoIndex);
    return out;
  }

  /// Whether the counter is before a limit. `is_first`: before that, whether the limit is one.
  uint32_t add_test(const Limit& limit, bool is_first) {
    Operand counter = code_.operands(loop_.test_at)[loop_.counter_operand];
    const ModSet& mods = test().mods;
    const bool or_equal = mods.has(Mod::Le) || mods.has(Mod::Ls) || mods.has(Mod::Ge) || mods.has(Mod::Hs);
    const Mod up = or_equal ? Mod::Le : Mod::Lt, down = or_equal ? Mod::Ge : Mod::Gt;
    return compare(loop_.step > 0 ? up : down, counter, limit.value, is_first ? limit.is_exact : kNoIndex);
  }

  /// A predicate: a comparison, and another predicate.
  uint32_t compare(Mod how, Operand a, Operand b, uint32_t also) {
    std::vector<Operand> operands = code_.operands(loop_.test_at);
    const uint32_t to = code_.new_register(operands[0].index);
    operands[0].index = to;
    a.type = b.type = order_type();
    operands[2] = a;
    operands[3] = b;
    Instruction in = test();
    in.type = order_type();
    in.mods = ModSet::of(how);
    if (also != kNoIndex) {
      Operand with = operands[0];
      with.destination = false;
      with.index = also;
      operands.push_back(with);
      in.mods = in.mods | ModSet::of(Mod::And);
    }
    in.form = form_of(in, also != kNoIndex);
    code_.add(loop_.test_at, in, operands);
    return to;
  }
  static const ptx::Form* form_of(const Instruction& in, bool combines) {
    const auto found = std::find_if(in.card->forms.begin(), in.card->forms.end(), [&](const ptx::Form& form) {
      return form.types.has(in.type) && form.slots.count == (combines ? 2 : 1);
    });
    return &*found;
  }

  /// The loop's own test, after which its predicate says what it says in the loop.
  uint32_t go_on() {
    code_.add(loop_.test_at, test(), code_.operands(loop_.test_at));
    return test_predicate();
  }
  uint32_t test_predicate() const { return code_.operands(loop_.test_at)[0].index; }

  void add(uint32_t rounds) { add_rounds(code_, loop_, begin_, end_, rounds); }

  void branch(uint32_t guard, bool negated, uint32_t target) {
    Instruction in = code_.before(back_);
    in.guard = guard;
    in.guard_negated = negated;
    std::vector<Operand> operands = code_.operands(back_);
    operands[0].index = target;
    operands[0].bits = 0;  // without a name in the text
    code_.add(back_, in, operands);
  }
  /// A branch whose target follows; the number of the instruction.
  uint32_t leave_unless(uint32_t guard) {
    branch(guard, true, kNoIndex);
    return code_.here() - 1;
  }
  void land(const std::vector<uint32_t>& branches) {
    Kernel& kernel = code_.kernel();
    for (uint32_t i : branches) kernel.operands[kernel.instructions[i].first_operand].index = code_.here();
  }

  RewrittenCode& code_;
  const CountedLoop& loop_;
  uint32_t begin_, end_, back_;
};

uint32_t keep_all(RewrittenCode& code, uint32_t begin, uint32_t end) {
  const uint32_t at = code.here();
  for (uint32_t i = begin; i < end; ++i) code.keep(i);
  return at;
}

}  // namespace

std::vector<uint32_t> unroll_loops(const ptx::Module& module, Kernel& kernel) {
  std::map<uint32_t, std::pair<CountedLoop, uint32_t>> loops;  // by first instruction: and the end
  for (const CountedLoop& loop : find_counted_loops(kernel))
    loops[kernel.blocks[loop.block].begin] = {loop, kernel.blocks[loop.block].end};
  const size_t operands_before = kernel.operands.size();  // labels among them are numbers of instructions before
  RewrittenCode code(kernel);
  std::vector<uint32_t> position;
  for (uint32_t i = 0; i < code.size_before();) {
    const auto found = loops.find(i);
    position.push_back(code.here());
    if (found == loops.end()) {
      code.keep(i++);
      continue;
    }
    const auto& [loop, end] = found->second;
    UnrolledLoop unrolled(code, loop, i, end);
    const uint32_t rest = unrolled.is_possible() ? unrolled.run() : keep_all(code, i, end);
    for (++i; i < end; ++i) position.push_back(rest + i - found->first);
  }
  position.push_back(code.here());
  for (size_t o = 0; o < operands_before; ++o)
    if (Operand& operand = kernel.operands[o]; operand.kind == Operand::Kind::Label)
      operand.index = position[operand.index];
  kernel.own_instructions = code.here();
  if (code.here() != code.size_before()) ptx::build_control_flow(ptx::find_function_facts(module), kernel);
  return code.take_sources();
}

}  // namespace warptime::sim
