#include "ptx/syntax/names.h"

#include <cstring>

namespace warptime::ptx {

namespace {

constexpr NameId kNoName = ~NameId{0};

uint64_t hash_of(std::string_view text) {
  uint64_t hash = text.size() * 0x9e3779b97f4a7c15u;
  size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    uint64_t word;
    std::memcpy(&word, text.data() + i, 8);
    hash = (hash ^ word) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  uint64_t tail = 0;
  std::memcpy(&tail, text.data() + i, text.size() - i);
  hash = (hash ^ tail) * 0xff51afd7ed558ccdu;
  return hash ^ (hash >> 29);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

Names::Names() : table_(1024, 0), undo_(1) {}

void Names::grow() {
  std::vector<uint32_t> table(table_.size() * 2, 0);
  size_t mask = table.size() - 1;
  for (uint32_t entry : table_) {
    if (entry == 0) continue;
    size_t slot = hash_of(texts_[entry - 1]) & mask;
    while (table[slot] != 0) slot = (slot + 1) & mask;
    table[slot] = entry;
  }
  table_ = std::move(table);
}

NameId Names::find_text(std::string_view text) const {
  size_t mask = table_.size() - 1;
  for (size_t slot = hash_of(text) & mask; table_[slot] != 0; slot = (slot + 1) & mask)
    if (texts_[table_[slot] - 1] == text) return table_[slot] - 1;
  return kNoName;
}

bool Names::is_known(std::string_view text) const { return find_text(text) != kNoName; }

NameId Names::intern(std::string_view text) {
  size_t mask = table_.size() - 1;
  size_t slot = hash_of(text) & mask;
  for (; table_[slot] != 0; slot = (slot + 1) & mask)
    if (texts_[table_[slot] - 1] == text) return table_[slot] - 1;
  auto id = static_cast<NameId>(texts_.size());
  table_[slot] = id + 1;
  texts_.push_back(text);
  bindings_.emplace_back();
  ranges_.emplace_back();
  ended_.push_back(0);
  if (texts_.size() * 2 > table_.size()) grow();
  return id;
}

void Names::close_scope() {
  std::vector<Undo> undo = std::move(undo_.back());
  undo_.pop_back();
  for (size_t i = undo.size(); i-- > 0;) {
    if (undo[i].is_range) {
      ranges_[undo[i].id] = undo[i].range;
    } else {
      ended_[undo[i].id] = bindings_[undo[i].id].place + 1;
      bindings_[undo[i].id] = undo[i].binding;
    }
  }
}

void Names::bind(NameId id, const Binding& binding) {
  undo_[binding.depth].push_back({id, false, bindings_[id], {}});
  bindings_[id] = binding;
}

const RegisterRange* Names::range_with(std::string_view text, uint32_t* number) {
  size_t first = text.size();
  while (first > 0 && text.size() - first < 9 && is_digit(text[first - 1])) --first;
  for (size_t at = first == 0 ? 1 : first; at < text.size(); ++at) {
    if (text[at] == '0' && at + 1 < text.size()) continue;  // %r<10> has no %r007
    NameId prefix = find_text(text.substr(0, at));
    if (prefix == kNoName || ranges_[prefix].count == 0) continue;
    *number = 0;
    for (char c : text.substr(at)) *number = *number * 10 + static_cast<uint32_t>(c - '0');
    return &ranges_[prefix];
  }
  return nullptr;
}

Binding& Names::find(NameId id) {
  Binding& binding = bindings_[id];
  bool bound = binding.kind != Binding::Kind::None;
  if ((bound && binding.depth == depth()) || !is_digit(texts_[id].back())) return binding;
  uint32_t number = 0;
  const RegisterRange* range = range_with(texts_[id], &number);
  if (range == nullptr || number >= range->count || (bound && binding.depth >= range->depth)) return binding;
  bind(id, {Binding::Kind::Declared, range->depth, range->vector, range->type, 0, range->place});
  return bindings_[id];
}

bool Names::declare(NameId id, Binding binding, uint32_t* first) {
  const Binding& old = find(id);
  if (old.kind != Binding::Kind::None && old.depth == depth()) {
    *first = old.place;
    return false;
  }
  binding.depth = depth();
  bind(id, binding);
  return true;
}

bool Names::declare_range(NameId prefix, RegisterRange range, uint32_t* first) {
  RegisterRange& old = ranges_[prefix];
  if (old.count != 0 && old.depth == depth()) {
    *first = old.place;
    return false;
  }
  range.depth = depth();
  undo_.back().push_back({prefix, true, {}, old});
  old = range;
  return true;
}

const RegisterRange* Names::range_of(NameId id, NameId* prefix) {
  uint32_t number = 0;
  const RegisterRange* range = range_with(texts_[id], &number);
  if (range != nullptr) *prefix = static_cast<NameId>(range - ranges_.data());
  return range;
}

std::vector<std::string_view> Names::visible() const {
  std::vector<std::string_view> out;
  for (size_t id = 0; id < texts_.size(); ++id)
    if (bindings_[id].kind != Binding::Kind::None) out.push_back(texts_[id]);
  return out;
}

}  // namespace warptime::ptx
