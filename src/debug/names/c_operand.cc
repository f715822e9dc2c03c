#include "debug/names/c_operand.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/diagnostics.h"

namespace warptime::debug {

using ptx::Space, ptx::Type;

namespace {

constexpr const char* kMemoryHint = "memory has a type and an address: f32 [%rd1 + 4]";

[[noreturn]] void fail_at(size_t at, std::string message, std::string hint = {}) {
  throw ExpressionFailure{std::move(message), std::move(hint), at};
}

}  // namespace

std::string_view name_of(Space space) {
  switch (space) {
    case Space::Const: return "constant";
    case Space::Local: return "local";
    case Space::Param: return "parameter";
    case Space::Shared: return "shared";
    case Space::None:
    case Space::Reg:
    case Space::Global:
    case Space::Sreg:
    case Space::Tex:
    case Space::Generic: break;
  }
  return "global";
}

const CVariable* COperands::find(std::string_view word) const {
  if (lane_.sm == nullptr || word[0] == '%' || word[0] == '$') return nullptr;
  return lane_.names->c_names().find(word.substr(0, word.find('.')), lane_.line());
}

Operand COperands::at(uint32_t type, const CLocation& place, size_t begin) const {
  Operand out{.address_space = place.space, .reg = place.reg, .c_type = type};
  if (!place.reg) out.address = place.address;
  const CType& is = types()[type];
  if (is.kind == CType::Kind::Array) {
    out.value = {Type::U64, place.address};
    out.space = place.space;
  }
  if (is.kind != CType::Kind::Scalar && is.kind != CType::Kind::Pointer) return out;
  const auto value = c_value(lane_, type, place);
  if (!value && evaluates_)
    fail_at(begin,
            fmt::format("{} memory at 0x{:x} cannot be read",
                        place.space == Space::None ? "generic" : name_of(place.space), place.address),
            "`info memory` lists the buffers");
  out.value = value.value_or(Value{});
  return out;
}

Operand COperands::of(const CVariable& variable, size_t begin) const {
  std::string why;
  const auto place = locate(lane_, variable, &why);
  if (place) return at(variable.type, *place, begin);
  if (evaluates_) fail_at(begin, fmt::format("{} {}", variable.name, why));
  return {.c_type = variable.type};
}

Operand COperands::pointed_to(const Operand& of, size_t begin, int64_t index) const {
  const CType& is = types()[of.c_type];
  if (is.kind != CType::Kind::Pointer && is.kind != CType::Kind::Array)
    fail_at(begin, "this is not a pointer or an array of C", kMemoryHint);
  const CType& element = types()[is.target];
  if (element.bytes == 0) fail_at(begin, "the type of what it points to is not known", kMemoryHint);
  const Addr address = static_cast<Addr>(of.value.as_integer()) + static_cast<uint64_t>(index) * element.bytes;
  return at(is.target, {is.kind == CType::Kind::Array ? of.address_space : Space::None, address}, begin);
}

Operand COperands::member(const Operand& of, std::string_view name, size_t begin) const {
  const CType& is = types()[of.c_type];
  if (is.kind != CType::Kind::Struct) fail_at(begin, "only a structure of C has members");
  std::vector<std::string_view> known;
  for (const CType::Member& each : is.members) {
    if (each.name == name) return at(each.type, {of.address_space, of.address.value_or(0) + each.offset}, begin);
    known.push_back(each.name);
  }
  fail_at(begin, fmt::format("{} has no member \"{}\"", is.name, name), did_you_mean(name, known));
}

}  // namespace warptime::debug
