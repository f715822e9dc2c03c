#include "debug/names/expression.h"

#include <fmt/format.h>

#include <vector>

#include "base/ascii.h"
#include "base/diagnostics.h"
#include "base/parse_number.h"
#include "base/precedence_parser.h"
#include "debug/names/c_operand.h"
#include "ptx/user/demangle.h"
#include "ptx/user/element_types.h"

namespace warptime::debug {

namespace {

using ptx::Space, ptx::Type;

class Parser : public TextExpressionParser<Parser, Operand, Notation::C> {
 public:
  Parser(std::string_view text, const LaneView& lane, bool evaluates)
      : TextExpressionParser(text, " \t"), lane_(lane), unevaluated_(evaluates ? 0 : 1) {}

  Operand whole() {
    Operand out;
    climb(kLoosest, &out);
    skip_blanks();
    if (at_ != text_.size()) fail(fmt::format("\"{}\" is not expected here", text_.substr(at_, 1)));
    return out;
  }

  // Mistakes are thrown, so each of these returns true.
  char take_sign() {
    for (char sign : {'!', '~', '-', '*', '&'})
      if (take(sign)) return sign;
    return '\0';
  }
  bool apply_sign(char sign, Operand* out) {
    if (sign == '*') {
      *out = c().pointed_to(*out, at_);
      return true;
    }
    if (sign == '&') {
      if (!out->address) fail("\"&\" takes memory: a variable that is not in a register, or an element");
      *out = {{Type::U64, *out->address}, out->address_space};
      return true;
    }
    const Value of = number_of(*out, at_);
    const auto bits = static_cast<uint64_t>(of.as_integer());
    if (sign == '!') *out = {{Type::Pred, !of.is_true()}};
    else if (sign == '~') *out = {Value::of(~of.as_integer())};
    else *out = {of.is_float() ? Value::of(-of.as_double()) : Value::of(static_cast<int64_t>(uint64_t{0} - bits))};
    return true;
  }
  /// What follows is not evaluated when the left side decides, as in C.
  bool begin_right(const Operator& found, size_t, const Operand& left) {
    if (decides(found.op, left)) ++unevaluated_;
    return true;
  }
  bool apply(const Operator& found, size_t where, Operand* left, const Operand& right) {
    if (decides(found.op, *left)) --unevaluated_;
    const bool moves = (found.op == Op::Add || found.op == Op::Sub) && left->space == Space::None;
    *left = {result(found, number_of(*left, where), number_of(right, where), where), moves ? right.space : left->space};
    return true;
  }
  bool too_deep() const { fail("the expression is nested too deeply"); }
  bool primary(Operand* out) {
    *out = operand();
    return true;
  }

 private:
  [[noreturn]] void fail(std::string message, std::string hint = {}) const { fail_at(at_, std::move(message), hint); }
  [[noreturn]] static void fail_at(size_t at, std::string message, std::string hint = {}) {
    throw ExpressionFailure{std::move(message), std::move(hint), at};
  }

  /// A structure, and what is of unknown type, is not one.
  const Value& number_of(const Operand& operand, size_t where) const {
    const CType::Kind kind =
        lane_.sm == nullptr ? CType::Kind::Scalar : lane_.names->c_names().types()[operand.c_type].kind;
    const bool is_number = operand.c_type == 0 || (kind != CType::Kind::Struct && kind != CType::Kind::Unknown);
    if (!is_number) fail_at(where, "a structure of C is not a number", "name a member of it");
    return operand.value;
  }

  static bool decides(Op op, const Operand& left) { return op == (left.value.is_true() ? Op::Or : Op::And); }

  Value result(const Operator& found, const Value& left, const Value& right, size_t where) const {
    const Op op = found.op;
    auto truth = [](bool is) { return Value{Type::Pred, is}; };
    if (op == Op::And) return truth(left.is_true() && right.is_true());
    if (op == Op::Or) return truth(left.is_true() || right.is_true());
    if (left.is_float() || right.is_float()) {
      const auto number = compute(op, left.as_double(), right.as_double());
      if (!number) fail_at(where, fmt::format("\"{}\" takes integers", found.text));
      return is_truth(op) ? truth(*number != 0) : Value::of(*number);
    }
    const auto a = static_cast<uint64_t>(left.as_integer()), b = static_cast<uint64_t>(right.as_integer());
    const auto bits = compute(op, a, b, true);
    if (!bits && unevaluated_ > 0) return {};
    if (!bits) fail_at(where, "division by zero");
    return is_truth(op) ? truth(*bits != 0) : Value::of(static_cast<int64_t>(*bits));
  }

  /// Up to a closing bracket.
  Operand inside(char bracket) {
    Operand out;
    nested(kLoosest, &out);
    if (!take(bracket)) fail(fmt::format("\"{}\" is missing", bracket));
    return out;
  }

  Operand operand() {
    skip_blanks();
    if (at_ == text_.size()) fail("a value is missing");
    if (take('(')) return inside(')');
    if (text_[at_] == '[') return memory(Space::None, Type::B32);
    char c = text_[at_];
    if (ascii::is_digit(c)) return number();
    if (c == '%' || c == '$' || c == '_' || c == '@' || ascii::is_letter(c)) return name();
    fail(fmt::format("a value does not begin with \"{}\"", c));
  }

  Operand number() {
    size_t begin = at_;
    auto is_part = [&](char c) { return ascii::is_letter_or_digit(c) || c == '.'; };
    while (at_ < text_.size() && (is_part(text_[at_]) || ((text_[at_] == '-' || text_[at_] == '+') && at_ > begin &&
                                                          (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E') &&
                                                          !text_.substr(begin).starts_with("0x"))))
      ++at_;
    std::string_view digits = text_.substr(begin, at_ - begin);
    uint64_t whole = 0;
    if (parse_number(digits, whole) == NumberError::Ok) return {{Type::S64, whole}};
    double real = 0;
    if (parse_number(digits, real) == NumberError::Ok) return {Value::of(real)};
    fail_at(begin, fmt::format("\"{}\" is not a number", digits));
  }

  Operand name() {
    size_t begin = at_++;
    auto is_part = [](char c) { return ascii::is_letter_or_digit(c) || c == '_' || c == '.' || c == '$' || c == '@'; };
    while (at_ < text_.size() && is_part(text_[at_])) ++at_;
    std::string_view word = text_.substr(begin, at_ - begin);
    if (lane_.sm != nullptr)
      if (auto value = built_in_value(lane_, word)) return {*value};
    if (const CVariable* variable = c().find(word)) {
      at_ = begin + variable->name.size();
      return c_parts(c().of(*variable, begin), begin);
    }
    skip_blanks();
    const bool is_indexed = at_ < text_.size() && text_[at_] == '[' && word[0] != '%';
    if (is_indexed && !is_element_of(word)) return typed_memory(word, begin);
    if (lane_.sm == nullptr) fail_at(begin, "no thread is in focus: no warp is resident");
    if (word[0] == '$') return own(word, begin);
    if (word[0] == '%') {
      if (auto special = special_value(lane_, word)) return {*special};
      if (auto reg = lane_.names->find_register(word, lane_.pc())) {
        if (unevaluated_ == 0 && !lane_.names->has_value(*reg, lane_.pc()))
          fail_at(begin, fmt::format("{} has no value here", word),
                  "its first instruction has not executed, or its row belongs to another register now");
        return {.value = register_value(lane_, *reg), .reg = *reg};
      }
      fail_at(begin, fmt::format("there is no register {}", word), near_register(word));
    }
    return is_indexed ? element(symbol(word, begin), word, begin) : symbol(word, begin);
  }

  /// Whether it is a variable, of which brackets select an element.
  bool is_element_of(std::string_view word) const {
    if (lane_.sm == nullptr || ptx::type_named(word)) return false;
    Space space = Space::None;
    return !space_named(word, space) && lane_.names->find_symbol(word) != nullptr;
  }

  /// tile[17]: in the type that the kernel's instructions read and write it with.
  Operand element(const Operand& variable, std::string_view word, size_t begin) {
    const Type type = ptx::element_type(lane_.names->kernel(), *lane_.names->find_symbol(word));
    if (ptx::bytes(type) == 0 || ptx::bytes(type) > 8) return typed_memory(word, begin);
    ++at_;  // [
    const Operand index = inside(']');
    const Addr at =
        static_cast<Addr>(variable.value.as_integer()) + static_cast<Addr>(index.value.as_integer()) * ptx::bytes(type);
    auto value = read_value(lane_, variable.space, at, type);
    if (!value && unevaluated_ == 0) fail_at(begin, fmt::format("{} has no such element that can be read", word));
    return {value.value_or(Value{type, 0}), Space::None, at, variable.space};
  }

  // ---- Variables of C (c_names.h)
  COperands c() const { return {lane_, unevaluated_ == 0}; }

  Operand member(const Operand& of) {
    skip_blanks();
    const size_t begin = at_;
    while (at_ < text_.size() && (ascii::is_letter_or_digit(text_[at_]) || text_[at_] == '_')) ++at_;
    return c().member(of, text_.substr(begin, at_ - begin), begin);
  }

  /// Elements and members: [i], .x and ->x.
  Operand c_parts(Operand of, size_t begin) {
    for (;;) {
      skip_blanks();
      const std::string_view rest = text_.substr(at_);
      if (rest.starts_with("[")) {
        ++at_;
        const Operand index = inside(']');
        of = c().pointed_to(of, begin, index.value.as_integer());
      } else if (rest.starts_with("->")) {
        at_ += 2;
        of = member(c().pointed_to(of, begin));
      } else if (rest.starts_with(".")) {
        ++at_;
        of = member(of);
      } else {
        return of;
      }
    }
  }

  /// $cycle and so on.
  Operand own(std::string_view word, size_t begin) const {
    const sim::Warp& warp = lane_.warp();
    if (word == "$cycle") return {{Type::U64, lane_.cycle}};
    if (word == "$sm") return {{Type::U32, lane_.sm->index()}};
    if (word == "$warp") return {{Type::U32, lane_.slot}};
    if (word == "$lane") return {{Type::U32, lane_.lane}};
    if (word == "$pc") return {{Type::U32, warp.stack.pc()}};
    if (word == "$active") return {{Type::B32, warp.stack.active()}};
    fail_at(begin, fmt::format("there is no {}", word), "$cycle, $sm, $warp, $lane, $pc or $active");
  }

  /// The address of a variable in its space, or of a buffer.
  Operand symbol(std::string_view word, size_t begin) const {
    const ptx::Symbol* found = lane_.names->find_symbol(word);
    const bool is_variable = found != nullptr && !found->passed && found->space != Space::Global;
    if (is_variable && found->space != Space::Param) return {{Type::U64, found->offset}, found->space};
    // A parameter often has the name of the buffer whose address it is.
    for (const auto& allocation : lane_.sm->launch().memory->allocations())
      if (allocation.name == (found != nullptr ? found->name : word))
        return {{Type::U64, allocation.begin}, Space::Global};
    if (is_variable) return {{Type::U64, found->offset}, found->space};
    std::vector<std::string_view> known;
    for (const auto& allocation : lane_.sm->launch().memory->allocations()) known.push_back(allocation.name);
    std::vector<std::string> shorts;
    for (const ptx::Symbol& other : lane_.names->kernel().symbols) shorts.push_back(ptx::short_name(other.name));
    known.insert(known.end(), shorts.begin(), shorts.end());
    for (const CVariable* variable : lane_.names->c_names().visible(lane_.line())) known.push_back(variable->name);
    fail_at(begin, fmt::format("there is no variable or buffer \"{}\"", word), did_you_mean(word, known));
  }

  std::string near_register(std::string_view word) const {
    std::vector<std::string_view> known;
    for (const ptx::Register& reg : lane_.names->kernel().registers) known.push_back(reg.name);
    return did_you_mean(word, known);
  }

  /// "f32 [", "shared.f32 [", "shared [".
  Operand typed_memory(std::string_view word, size_t begin) {
    size_t dot = word.find('.');
    std::string_view space_word = dot == std::string_view::npos ? std::string_view() : word.substr(0, dot);
    std::string_view type_word = dot == std::string_view::npos ? word : word.substr(dot + 1);
    Space space = Space::None;
    if (space_word.empty() && space_named(type_word, space)) return memory(space, Type::B32);
    if (!space_word.empty() && !space_named(space_word, space))
      fail_at(begin, fmt::format("\"{}\" is not a state space", space_word),
              did_you_mean(space_word, {"global", "shared", "local", "const", "param"}));
    auto type = ptx::type_named(type_word);
    if (!type || ptx::bytes(*type) == 0 || ptx::bytes(*type) > 8) {
      std::vector<std::string_view> names;
      for (const ptx::TypeInfo& info : ptx::kTypes) names.push_back(info.name);
      std::string hint = did_you_mean(type_word, names);
      fail_at(begin,
              space_word.empty() ? fmt::format("\"{}\" is neither a variable here nor a type of memory", type_word)
                                 : fmt::format("\"{}\" is not a type of memory", type_word),
              hint.empty() ? "memory has a type and an address: f32 [%rd1 + 4]" : hint);
    }
    return memory(space, *type);
  }

  static bool space_named(std::string_view word, Space& space) {
    if (word == "global") space = Space::Global;
    else if (word == "shared") space = Space::Shared;
    else if (word == "local") space = Space::Local;
    else if (word == "const") space = Space::Const;
    else if (word == "param") space = Space::Param;
    else return false;
    return true;
  }

  Operand memory(Space space, Type type) {
    size_t begin = at_;
    ++at_;  // [
    const Operand address = inside(']');
    if (lane_.sm == nullptr) fail_at(begin, "no thread is in focus: no warp is resident");
    if (space == Space::None) space = address.space;
    auto at = static_cast<Addr>(address.value.as_integer());
    auto value = read_value(lane_, space, at, type);
    if (!value && unevaluated_ == 0)
      fail_at(begin,
              fmt::format("{} memory at 0x{:x} cannot be read", space == Space::None ? "generic" : name_of(space), at),
              "`info memory` lists the buffers");
    return {value.value_or(Value{type, 0}), Space::None, at, space};
  }

  const LaneView& lane_;
  int unevaluated_;  // reasons why only the names count, not the values
};

ExpressionResult parsed(std::string_view text, const LaneView& lane, bool evaluates) {
  ExpressionResult out;
  try {
    Operand value = Parser(text, lane, evaluates).whole();
    out.value = value.value;
    out.space = value.address ? value.address_space : value.space;
    out.address = value.address;
    out.reg = value.reg;
    out.c_type = value.c_type;
  } catch (const ExpressionFailure& failure) {
    out.error = failure.message;
    out.hint = failure.hint;
    out.at = failure.at;
  }
  return out;
}

}  // namespace

ExpressionResult evaluate(std::string_view text, const LaneView& lane) { return parsed(text, lane, true); }

ExpressionResult check_names(std::string_view text, const LaneView& lane) { return parsed(text, lane, false); }

AddressMeant address_meant(const LaneView& lane, const ExpressionResult& result) {
  const bool is_pointer = lane.names->c_names().types()[result.c_type].kind == CType::Kind::Pointer;
  if (result.address && !is_pointer) return {result.space, *result.address};
  return {is_pointer ? ptx::Space::None : result.space, static_cast<Addr>(result.value.as_integer())};
}

std::string shown_text(const LaneView& lane, const ExpressionResult& result, char format) {
  if (result.c_type == 0) return format_value(result.value, format);
  return c_text(lane, result.c_type, {result.space, result.address.value_or(0), result.reg}, format);
}

}  // namespace warptime::debug
