#include "sim/exec/handler_table.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>

#include "sim/exec/predicate_handlers.h"

namespace warptime::sim {

// One function for each host instruction set: see isa.cmake and handlers.isa.cc.
namespace baseline {
void add_handlers(HandlerTable& table);
}
#ifdef WARPTIME_HAS_X86_ISAS
namespace avx2 {
void add_handlers(HandlerTable& table);
}
namespace avx512 {
void add_handlers(HandlerTable& table);
}
#endif

namespace {

constexpr size_t kMostHandlers = 8192;  // a guess that avoids growing the table in every start

auto order(const HandlerKey& k) {
  return std::tuple(k.card, k.form, k.type, k.type2, k.mods.word0, k.mods.word1, k.mods.word2, k.mods.word3,
                    k.mods.word4);
}

HandlerTable build(void (*add_handlers)(HandlerTable&)) {
  HandlerTable table;
  table.reserve(kMostHandlers);
  add_handlers(table);
  add_predicate_handlers(table);
  table.finish();
  return table;
}

bool has_avx2() {
#ifdef WARPTIME_HAS_X86_ISAS
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
#else
  return false;
#endif
}

bool has_avx512() {
#ifdef WARPTIME_HAS_X86_ISAS
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

}  // namespace

void HandlerTable::add(const HandlerKey& key, Handler handler) { entries_.push_back({key, handler}); }

void HandlerTable::finish() {
  std::sort(entries_.begin(), entries_.end(),
            [](const Entry& a, const Entry& b) { return order(a.key) < order(b.key); });
}

Handler HandlerTable::find(const HandlerKey& key) const {
  auto at = std::lower_bound(entries_.begin(), entries_.end(), key,
                             [](const Entry& e, const HandlerKey& k) { return order(e.key) < order(k); });
  return at != entries_.end() && at->key == key ? at->handler : nullptr;
}

std::vector<std::string_view> available_isas() {
  std::vector<std::string_view> names{"baseline"};
  if (has_avx2()) names.push_back("avx2");
  if (has_avx512()) names.push_back("avx512");
  return names;
}

const HandlerTable* handler_table(std::string_view isa) {
  std::vector<std::string_view> available = available_isas();
  if (std::find(available.begin(), available.end(), isa) == available.end()) return nullptr;
#ifdef WARPTIME_HAS_X86_ISAS
  if (isa == "avx2") {
    static const HandlerTable table = build(avx2::add_handlers);
    return &table;
  }
  if (isa == "avx512") {
    static const HandlerTable table = build(avx512::add_handlers);
    return &table;
  }
#endif
  static const HandlerTable table = build(baseline::add_handlers);
  return &table;
}

const HandlerTable& handler_table() {
  static const HandlerTable* const chosen = [] {
    const char* wanted = std::getenv("WARPTIME_ISA");
    const HandlerTable* table = wanted != nullptr ? handler_table(wanted) : nullptr;
    return table != nullptr ? table : handler_table(available_isas().back());
  }();
  return *chosen;
}

}  // namespace warptime::sim
