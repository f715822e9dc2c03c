#include "debug/names/dwarf.h"

#include <map>
#include <utility>

namespace warptime::debug {

namespace {

constexpr uint64_t kMostEntries = 1 << 22;

struct Abbreviation {
  uint32_t tag = 0;
  bool has_children = false;
  std::vector<std::pair<uint32_t, uint32_t>> attributes;  // name, form
};

/// What an attribute holds, in whatever form.
struct Attribute {
  uint64_t number = 0;
  std::string text, label;
  DebugSection block;
  bool is_block = false, is_reference = false;
};

class EntryReader {
 public:
  explicit EntryReader(const DebugSections& sections)
      : info_(section(sections, ".debug_info")),
        abbreviations_(section(sections, ".debug_abbrev")),
        strings_(section(sections, ".debug_str")) {}

  std::vector<DwarfEntry> read() {
    while (at_ < info_.bytes.size() && unit()) {
    }
    return std::move(out_);
  }

 private:
  static const DebugSection& section(const DebugSections& sections, std::string_view name) {
    static const DebugSection none;
    auto found = sections.sections.find(name);
    return found == sections.sections.end() ? none : found->second;
  }

  uint64_t fixed(uint32_t bytes) {
    uint64_t value = 0;
    for (uint32_t i = 0; i < bytes && at_ < info_.bytes.size(); ++i)
      value |= uint64_t{static_cast<uint8_t>(info_.bytes[at_++])} << (8 * i);
    return value;
  }

  std::map<uint64_t, Abbreviation> abbreviations(uint64_t from) const {
    std::map<uint64_t, Abbreviation> out;
    const std::string& bytes = abbreviations_.bytes;
    for (size_t at = from; at < bytes.size();) {
      const uint64_t code = leb128(bytes, at);
      if (code == 0) break;
      Abbreviation& row = out[code];
      row.tag = static_cast<uint32_t>(leb128(bytes, at));
      row.has_children = at < bytes.size() && bytes[at++] != 0;
      while (at < bytes.size()) {
        const auto name = static_cast<uint32_t>(leb128(bytes, at)), form = static_cast<uint32_t>(leb128(bytes, at));
        if (name == 0 && form == 0) break;
        row.attributes.emplace_back(name, form);
      }
    }
    return out;
  }

  bool unit() {
    unit_ = at_;
    const uint64_t length = fixed(4);
    const size_t end = at_ + length;
    version_ = static_cast<uint32_t>(fixed(2));
    if (length == 0 || end > info_.bytes.size() || version_ < 2 || version_ > 5) return false;
    if (version_ == 5) fixed(2);  // kind of unit, bytes of an address
    const auto reference = info_.references.find(at_);
    const uint64_t table = fixed(4) + (reference == info_.references.end() ? 0 : reference->second.offset);
    address_bytes_ = version_ == 5 ? static_cast<uint8_t>(info_.bytes[at_ - 5]) : static_cast<uint32_t>(fixed(1));
    const auto known = abbreviations(table);
    uint32_t parent = DwarfEntry::kNone;
    while (at_ < end && out_.size() < kMostEntries) {
      const auto offset = static_cast<uint32_t>(at_);
      const uint64_t code = leb128(info_.bytes, at_);
      if (code == 0) {
        if (parent == DwarfEntry::kNone) continue;
        parent = out_[parent].parent;
        continue;
      }
      const auto row = known.find(code);
      if (row == known.end()) return false;
      DwarfEntry entry{.offset = offset, .tag = row->second.tag, .parent = parent};
      for (const auto& [name, form] : row->second.attributes) {
        Attribute value;
        if (!attribute(form, value)) return false;
        take(entry, name, std::move(value));
      }
      out_.push_back(std::move(entry));
      if (row->second.has_children) parent = static_cast<uint32_t>(out_.size() - 1);
    }
    at_ = end;
    return true;
  }

  std::string text() {
    std::string out;
    while (at_ < info_.bytes.size() && info_.bytes[at_] != '\0') out += info_.bytes[at_++];
    ++at_;
    return out;
  }

  void address(uint32_t bytes, Attribute& value) {
    if (auto found = info_.references.find(at_); found != info_.references.end()) {
      value.label = found->second.label;
      value.number = found->second.offset;
      at_ += bytes;
    } else {
      value.number = fixed(bytes);
    }
  }

  void block(uint64_t length, Attribute& value) {
    value.is_block = true;
    const size_t end = std::min<size_t>(at_ + length, info_.bytes.size());
    for (auto it = info_.references.lower_bound(at_); it != info_.references.end() && it->first < end; ++it)
      value.block.references[it->first - at_] = it->second;
    value.block.bytes = info_.bytes.substr(at_, end - at_);
    at_ = end;
  }

  /// Forms: DWARF 4, 7.5.4.
  bool attribute(uint32_t form, Attribute& value) {
    if (at_ > info_.bytes.size()) return false;
    switch (form) {
      case 0x01: address(address_bytes_, value); return true;                  // addr
      case 0x0a: block(fixed(1), value); return true;                          // block1
      case 0x03: block(fixed(2), value); return true;                          // block2
      case 0x04: block(fixed(4), value); return true;                          // block4
      case 0x09:                                                               // block
      case 0x18: block(leb128(info_.bytes, at_), value); return true;          // exprloc
      case 0x0b:                                                               // data1
      case 0x0c: value.number = fixed(1); return true;                         // flag
      case 0x05: value.number = fixed(2); return true;                         // data2
      case 0x06:                                                               // data4
      case 0x17: address(4, value); return true;                               // sec_offset
      case 0x07: address(8, value); return true;                               // data8
      case 0x0d:                                                               // sdata
      case 0x0f: value.number = leb128(info_.bytes, at_); return true;         // udata
      case 0x08: value.text = text(); return true;                             // string
      case 0x0e: string_at(value); return true;                                // strp
      case 0x10: refer(fixed(4), value); return true;                          // ref_addr
      case 0x11: refer(unit_ + fixed(1), value); return true;                  // ref1
      case 0x12: refer(unit_ + fixed(2), value); return true;                  // ref2
      case 0x13: refer(unit_ + fixed(4), value); return true;                  // ref4
      case 0x14: refer(unit_ + fixed(8), value); return true;                  // ref8
      case 0x15: refer(unit_ + leb128(info_.bytes, at_), value); return true;  // ref_udata
      case 0x19: value.number = 1; return true;                                // flag_present
      default: return false;
    }
  }

  static void refer(uint64_t offset, Attribute& value) {
    value.number = offset;
    value.is_reference = true;
  }

  void string_at(Attribute& value) {
    Attribute place;
    address(4, place);
    size_t at = place.number;
    if (auto label = strings_.labels.find(place.label); label != strings_.labels.end()) at += label->second;
    if (at < strings_.bytes.size()) value.text = strings_.bytes.c_str() + at;
  }

  /// Attributes: DWARF 4, 7.5.3.
  static void take(DwarfEntry& entry, uint32_t name, Attribute value) {
    switch (name) {
      case 0x02:  // location
        if (value.is_block) entry.location = std::move(value.block);
        else entry.location_list = static_cast<uint32_t>(value.number);
        break;
      case 0x03: entry.name = std::move(value.text); break;
      case 0x0b: entry.bytes = value.number; break;
      case 0x11: entry.low = std::move(value.label); break;
      case 0x12: entry.high = std::move(value.label); break;
      case 0x2f: entry.count = value.number + 1; break;  // upper_bound
      case 0x31: entry.origin = static_cast<uint32_t>(value.number); break;
      case 0x37: entry.count = value.number; break;
      case 0x38: {  // data_member_location: a number, or DW_OP_plus_uconst N
        size_t at = 1;
        entry.member_offset = value.is_block ? leb128(value.block.bytes, at) : value.number;
        break;
      }
      case 0x3b: entry.line = value.number; break;
      case 0x3c: entry.is_declaration = true; break;
      case 0x3e: entry.encoding = value.number; break;
      case 0x49: entry.type = static_cast<uint32_t>(value.number); break;
      default: break;
    }
  }

  const DebugSection &info_, &abbreviations_, &strings_;
  size_t at_ = 0, unit_ = 0;
  uint32_t version_ = 0, address_bytes_ = 8;
  std::vector<DwarfEntry> out_;
};

}  // namespace

uint64_t leb128(const std::string& bytes, size_t& at) {
  uint64_t value = 0;
  for (uint32_t shift = 0; at < bytes.size();) {
    const auto byte = static_cast<uint8_t>(bytes[at++]);
    if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
    shift += 7;
    if ((byte & 0x80) == 0) break;
  }
  return value;
}

std::vector<DwarfEntry> read_dwarf(const DebugSections& sections) { return EntryReader(sections).read(); }

}  // namespace warptime::debug
