#include "debug/names/dwarf_names.h"

#include <algorithm>
#include <map>
#include <utility>

#include "debug/names/dwarf.h"
#include "debug/names/kernel_names.h"

namespace warptime::debug {

namespace {

using ptx::Space, ptx::Type;

/// A base type by its encoding (DWARF 4, 7.8) and size.
CType scalar_type(const DwarfEntry& entry) {
  constexpr uint64_t kBoolean = 2, kFloat = 4, kSigned = 5, kSignedChar = 6, kUnsigned = 7, kUnsignedChar = 8;
  CType out{.kind = CType::Kind::Scalar, .name = entry.name, .bytes = entry.bytes};
  out.is_truth = entry.encoding == kBoolean;
  out.is_character = entry.encoding == kSignedChar || entry.encoding == kUnsignedChar;
  const bool is_signed = entry.encoding == kSigned || entry.encoding == kSignedChar;
  const bool is_float = entry.encoding == kFloat;
  if (!is_signed && !is_float && !out.is_truth && entry.encoding != kUnsigned && entry.encoding != kUnsignedChar)
    return {.name = entry.name, .bytes = entry.bytes};
  switch (entry.bytes) {
    case 1: out.scalar = is_signed ? Type::S8 : Type::U8; break;
    case 2: out.scalar = is_float ? Type::F16 : is_signed ? Type::S16 : Type::U16; break;
    case 4: out.scalar = is_float ? Type::F32 : is_signed ? Type::S32 : Type::U32; break;
    case 8: out.scalar = is_float ? Type::F64 : is_signed ? Type::S64 : Type::U64; break;
    default: return {.name = entry.name, .bytes = entry.bytes};
  }
  return out;
}

class Builder {
 public:
  Builder(const KernelNames& names, const DebugSections& sections, CTypes& types, std::vector<CVariable>& variables)
      : names_(names), sections_(sections), entries_(read_dwarf(sections)), types_(types), variables_(variables) {
    children_.resize(entries_.size());
    for (uint32_t i = 0; i < entries_.size(); ++i) {
      index_[entries_[i].offset] = i;
      if (entries_[i].parent != DwarfEntry::kNone) children_[entries_[i].parent].push_back(i);
    }
  }

  void build() {
    for (const DwarfEntry& entry : entries_)
      if (entry.tag == dwarf::kVariable || entry.tag == dwarf::kFormalParameter) add(entry);
  }

 private:
  const DwarfEntry* at(uint32_t offset) const {
    auto found = index_.find(offset);
    return found == index_.end() ? nullptr : &entries_[found->second];
  }

  uint32_t line_of(const std::string& label, uint32_t otherwise) const {
    auto found = sections_.lines.find(label);
    return found == sections_.lines.end() ? otherwise : found->second;
  }

  /// The innermost block or function around it that says which code it is.
  const DwarfEntry* scope_of(const DwarfEntry& entry) const {
    for (uint32_t i = entry.parent; i != DwarfEntry::kNone; i = entries_[i].parent) {
      const uint32_t tag = entries_[i].tag;
      if ((tag == dwarf::kLexicalBlock || tag == dwarf::kSubprogram || tag == dwarf::kInlinedSubroutine) &&
          !entries_[i].low.empty())
        return &entries_[i];
      if (tag == dwarf::kSubprogram) return &entries_[i];
    }
    return nullptr;
  }

  const DwarfEntry* function_of(const DwarfEntry& entry) const {
    for (uint32_t i = entry.parent; i != DwarfEntry::kNone; i = entries_[i].parent)
      if (entries_[i].tag == dwarf::kSubprogram) return entries_[i].low.empty() ? nullptr : &entries_[i];
    return nullptr;
  }

  void add(const DwarfEntry& entry) {
    const DwarfEntry* origin = entry.origin == 0 ? nullptr : at(entry.origin);
    CVariable variable{.name = entry.name.empty() && origin != nullptr ? origin->name : entry.name,
                       .declared = static_cast<uint32_t>(entry.line),
                       .is_parameter = entry.tag == dwarf::kFormalParameter};
    const DwarfEntry* scope = scope_of(entry);
    if (variable.name.empty() || entry.is_declaration || (scope != nullptr && scope->low.empty())) return;
    if (scope != nullptr) {
      variable.begin = line_of(scope->low, 0);
      variable.end = line_of(scope->high, ~0u);
    }
    variable.is_of_module = scope == nullptr;
    find_places(entry, variable);
    // Shared arrays exist all the time; nvcc lets the block of their function begin behind its first instructions.
    if (scope != nullptr && !variable.places.empty() && variable.places.front().space == Space::Shared)
      if (const DwarfEntry* function = function_of(entry); function != nullptr) {
        variable.begin = line_of(function->low, 0);
        variable.end = line_of(function->high, ~0u);
      }
    variable.type = type(entry.type == 0 && origin != nullptr ? origin->type : entry.type, 0);
    variables_.push_back(std::move(variable));
  }

  void find_places(const DwarfEntry& entry, CVariable& variable) const {
    if (entry.location_list == DwarfEntry::kNone) {
      variable.places.push_back(place(entry.location));
      return;
    }
    auto found = sections_.sections.find(".debug_loc");
    if (found == sections_.sections.end()) return;
    const DebugSection& list = found->second;
    const uint32_t address = names_.module().address_bytes;
    for (size_t at = entry.location_list; at + 2 * address + 2 <= list.bytes.size();) {
      auto begin = list.references.find(at), end = list.references.find(at + address);
      if (begin == list.references.end() || end == list.references.end()) return;
      at += 2 * address;
      const size_t length = static_cast<uint8_t>(list.bytes[at]) | size_t{static_cast<uint8_t>(list.bytes[at + 1])}
                                                                       << 8;
      at += 2;
      DebugSection expression{.bytes = list.bytes.substr(at, length)};
      for (auto it = list.references.lower_bound(at); it != list.references.end() && it->first < at + length; ++it)
        expression.references[it->first - at] = it->second;
      CPlace found_place = place(expression);
      found_place.begin = line_of(begin->second.label, 0);
      found_place.end = line_of(end->second.label, ~0u);
      variable.places.push_back(std::move(found_place));
      at += length;
    }
  }

  /// Operators of expressions: DWARF 4, 7.7.1. A register of PTX is a number whose bytes are the name, the last one
  /// first (PTX interoperability guide, section 5).
  CPlace place(const DebugSection& expression) const {
    constexpr uint8_t kAddress = 0x03, kPlusConstant = 0x23, kRegister = 0x90;
    const std::string& bytes = expression.bytes;
    CPlace out;
    for (size_t at = 0; at < bytes.size();) {
      const auto op = static_cast<uint8_t>(bytes[at++]);
      if (op == kRegister) {
        uint64_t name = leb128(bytes, at);
        for (; name != 0; name >>= 8) out.reg.insert(out.reg.begin(), static_cast<char>(name & 0xff));
      } else if (op == kAddress) {
        auto reference = expression.references.find(at);
        if (reference == expression.references.end()) return {};
        const ptx::Symbol* symbol = names_.find_symbol(reference->second.label);
        if (symbol == nullptr || symbol->passed) return {};
        out.space = symbol->space;
        out.address = (symbol->space == Space::Global ? 0 : symbol->offset) + reference->second.offset;
        if (symbol->space == Space::Global) out.symbol = symbol->name;
        at += names_.module().address_bytes;
      } else if (op == kPlusConstant) {
        out.address += leb128(bytes, at);
      } else {
        return {};
      }
    }
    return out;
  }

  uint32_t type(uint32_t offset, uint32_t depth) {
    constexpr uint32_t kMostDepth = 64;
    const DwarfEntry* entry = offset == 0 || depth > kMostDepth ? nullptr : at(offset);
    if (entry == nullptr) return 0;
    if (auto known = known_.find(offset); known != known_.end()) return known->second;
    const uint32_t address = names_.module().address_bytes;
    switch (entry->tag) {
      case dwarf::kTypedef:
      case dwarf::kConstType:
      case dwarf::kVolatileType:
      case dwarf::kRestrictType: return type(entry->type, depth + 1);
      case dwarf::kBaseType: return known_[offset] = types_.add(scalar_type(*entry));
      case dwarf::kPointerType:
      case dwarf::kReferenceType:
      case dwarf::kRvalueReferenceType: {
        const uint32_t own = known_[offset] = types_.add({});
        types_.set(own, {.kind = CType::Kind::Pointer, .bytes = address, .target = type(entry->type, depth + 1)});
        return own;
      }
      case dwarf::kEnumerationType:
        return known_[offset] = types_.add({.kind = CType::Kind::Scalar,
                                            .name = entry->name,
                                            .scalar = entry->bytes == 1   ? Type::U8
                                                      : entry->bytes == 2 ? Type::U16
                                                      : entry->bytes == 8 ? Type::U64
                                                                          : Type::S32,
                                            .bytes = entry->bytes});
      case dwarf::kArrayType: return known_[offset] = array(*entry, depth);
      case dwarf::kStructureType:
      case dwarf::kClassType:
      case dwarf::kUnionType: return structure(*entry, depth);
    }
    return 0;
  }

  uint32_t array(const DwarfEntry& entry, uint32_t depth) {
    uint32_t out = type(entry.type, depth + 1);
    const std::vector<uint32_t>& ranges = children_[static_cast<size_t>(&entry - entries_.data())];
    for (auto range = ranges.rbegin(); range != ranges.rend(); ++range)
      if (entries_[*range].tag == dwarf::kSubrangeType) out = types_.array_of(out, entries_[*range].count);
    return out;
  }

  uint32_t structure(const DwarfEntry& entry, uint32_t depth) {
    if (entry.name == "__half" || entry.name == "__nv_bfloat16")
      return known_[entry.offset] = types_.named(entry.name, 8);
    const uint32_t own = known_[entry.offset] = types_.add({});
    CType out{.kind = CType::Kind::Struct, .name = entry.name, .bytes = entry.bytes};
    for (uint32_t child : children_[static_cast<size_t>(&entry - entries_.data())]) {
      const DwarfEntry& member = entries_[child];
      if (member.is_declaration || (member.tag != dwarf::kMember && member.tag != dwarf::kInheritance)) continue;
      const uint32_t of = type(member.type, depth + 1);
      out.members.push_back({member.name.empty() ? types_[of].name : member.name, of, member.member_offset});
    }
    types_.set(own, std::move(out));
    return own;
  }

  const KernelNames& names_;
  const DebugSections& sections_;
  std::vector<DwarfEntry> entries_;
  std::vector<std::vector<uint32_t>> children_;
  std::map<uint32_t, uint32_t> index_;  // by offset
  std::map<uint32_t, uint32_t> known_;  // types by offset
  CTypes& types_;
  std::vector<CVariable>& variables_;
};

}  // namespace

bool add_dwarf_names(const KernelNames& names, CTypes& types, std::vector<CVariable>& variables) {
  const DebugSections sections = read_debug_sections(*names.module().source);
  if (sections.sections.find(".debug_info") == sections.sections.end()) return false;
  Builder(names, sections, types, variables).build();
  return true;
}

}  // namespace warptime::debug
