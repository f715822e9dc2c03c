#include "debug/names/c_text.h"

#include <fmt/format.h>

#include <cstring>

namespace warptime::debug {

namespace {

constexpr uint32_t kMostNumbers = 32;  // of a text; further ones add nothing
constexpr uint32_t kMostParts = 256;   // structures and arrays included
constexpr uint32_t kMostDepth = 16;    // of structures in structures

class Writer {
 public:
  Writer(const LaneView& lane, char format) : lane_(lane), types_(lane.names->c_names().types()), format_(format) {}

  std::string text(uint32_t type, const CLocation& at, uint32_t depth = 0) {
    const CType& is = types_[type];
    if (depth > kMostDepth || ++parts_ > kMostParts) return "...";
    switch (is.kind) {
      case CType::Kind::Unknown:
        return is.bytes == 0 ? "(of unknown type)" : fmt::format("({} bytes of {})", is.bytes, types_.name_of(type));
      case CType::Kind::Scalar:
      case CType::Kind::Pointer: return number(type, at);
      case CType::Kind::Array: return array(is, at, depth);
      case CType::Kind::Struct: return structure(is, at, depth);
    }
    return {};
  }

 private:
  std::string number(uint32_t type, const CLocation& at) {
    const CType& is = types_[type];
    ++numbers_;
    const auto value = c_value(lane_, type, at);
    if (!value) return "(cannot be read)";
    if (format_ != 0) return format_value(*value, format_);
    if (is.kind == CType::Kind::Pointer) return pointer_text(lane_, value->bits);
    if (is.is_truth) return value->is_true() ? "true" : "false";
    return is.is_character ? fmt::format("{}", format_value(*value, 'c')) : format_value(*value);
  }

  std::string array(const CType& is, const CLocation& at, uint32_t depth) {
    std::string out = "{";
    const uint64_t step = types_[is.target].bytes;
    for (uint64_t i = 0; i < is.count; ++i) {
      out += i == 0 ? "" : ", ";
      if (numbers_ >= kMostNumbers || parts_ >= kMostParts) return out + "...}";
      out += text(is.target, {at.space, at.address + i * step}, depth + 1);
    }
    return is.count == 0 ? fmt::format("0x{:x}", at.address) : out + "}";
  }

  std::string structure(const CType& is, const CLocation& at, uint32_t depth) {
    std::string out;
    for (const CType::Member& member : is.members) {
      if (numbers_ >= kMostNumbers || parts_ >= kMostParts) return "{" + out + ", ...}";
      out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", member.name,
                         text(member.type, {at.space, at.address + member.offset}, depth + 1));
    }
    return "{" + out + "}";
  }

  const LaneView& lane_;
  const CTypes& types_;
  char format_;
  uint32_t numbers_ = 0, parts_ = 0;
};

}  // namespace

std::optional<CLocation> locate(const LaneView& lane, const CVariable& variable, std::string* why) {
  auto fail = [&](std::string sentence) {
    if (why != nullptr) *why = std::move(sentence);
    return std::nullopt;
  };
  const CPlace* place = CNames::place(variable, lane.line());
  if (place == nullptr) return fail("has no value here: the debug information names no place");
  if (!place->reg.empty()) {
    auto reg = lane.names->find_register(place->reg, lane.pc());
    if (reg && lane.names->has_value(*reg, lane.pc())) return CLocation{ptx::Space::None, 0, reg};
    return fail(fmt::format("has no value here: {} is not written yet, or not used any more", place->reg));
  }
  if (place->symbol.empty()) return CLocation{place->space, place->address};
  for (const auto& allocation : lane.sm->launch().memory->allocations())
    if (allocation.name == place->symbol) return CLocation{place->space, allocation.begin + place->address};
  return fail("is not in device memory");
}

std::optional<Value> c_value(const LaneView& lane, uint32_t type, const CLocation& at) {
  const CType& is = lane.names->c_names().types()[type];
  ptx::Type number = is.scalar;
  if (is.kind == CType::Kind::Pointer) number = is.bytes == 4 ? ptx::Type::U32 : ptx::Type::U64;
  if (number == ptx::Type::None) return std::nullopt;
  if (!at.reg) return read_value(lane, at.space, at.address, number);
  return Value{number, register_value(lane, *at.reg).bits};
}

std::string c_text(const LaneView& lane, uint32_t type, const CLocation& at, char format) {
  return Writer(lane, format).text(type, at);
}

std::string pointer_text(const LaneView& lane, uint64_t address) {
  for (const auto& allocation : lane.sm->launch().memory->allocations())
    if (address >= allocation.begin && address < allocation.begin + allocation.bytes)
      return address == allocation.begin
                 ? fmt::format("0x{:x} ({})", address, allocation.name)
                 : fmt::format("0x{:x} ({} + {})", address, allocation.name, address - allocation.begin);
  return fmt::format("0x{:x}", address);
}

}  // namespace warptime::debug
