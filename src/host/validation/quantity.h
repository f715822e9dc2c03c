// What is measured by the quantities of validation tables: the one table from a quantity to its kind. The kind decides
// how a row shows its distance from the published figure, and by which measures a summary has it (summary.h).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "host/validation/validation.h"

namespace warptime::host {

enum class QuantityKind : uint8_t {
  Timing,   // a rate, a time or cycles of device code or of the host's calls: relative error
  Speedup,  // against another program or processor: factor
  Share,    // in percent of a whole: difference in percentage points
  Count,    // of registers, threads, bytes: exact as printed, or by how many it differs
  Text,     // a name or a statement: the same or not
  Listed,   // its definition is not published, so that a distance means nothing: listed, in no mean
  Other,    // counters, and of a table of the user's own: relative error, each quantity by itself
};
inline constexpr std::array<std::string_view, 7> kQuantityKinds{"timing", "speedup", "share", "count",
                                                                "text",   "listed",  "other"};
inline std::string_view kind_name(QuantityKind kind) { return kQuantityKinds[static_cast<size_t>(kind)]; }

struct Quantity {
  std::string_view name;
  QuantityKind kind;
};

inline constexpr std::array kQuantities{
    Quantity{"GFLOP/s", QuantityKind::Timing},
    Quantity{"GB/s", QuantityKind::Timing},
    Quantity{"G evaluations/s", QuantityKind::Timing},
    Quantity{"G paths/s", QuantityKind::Timing},
    Quantity{"G options/s", QuantityKind::Timing},
    Quantity{"MPix/s", QuantityKind::Timing},
    Quantity{"Mhash/s", QuantityKind::Timing},
    Quantity{"accesses per cycle", QuantityKind::Timing},
    Quantity{"results per cycle", QuantityKind::Timing},
    Quantity{"% of peak", QuantityKind::Timing},  // a rate
    Quantity{"cycles", QuantityKind::Timing},
    Quantity{"ns", QuantityKind::Timing},
    Quantity{"ns per element", QuantityKind::Timing},
    Quantity{"us", QuantityKind::Timing},
    Quantity{"ms", QuantityKind::Timing},
    Quantity{"s", QuantityKind::Timing},
    Quantity{"kernel_speedup", QuantityKind::Speedup},
    Quantity{"application_speedup", QuantityKind::Speedup},
    Quantity{"scalar_speedup", QuantityKind::Speedup},
    Quantity{"times as fast", QuantityKind::Speedup},
    Quantity{"gpu_percent", QuantityKind::Share},
    Quantity{"transfer_percent", QuantityKind::Share},
    Quantity{"percent of the speed-up", QuantityKind::Share},
    Quantity{"active_threads", QuantityKind::Count},
    Quantity{"registers_estimated", QuantityKind::Count},
    Quantity{"shared_bytes_per_thread", QuantityKind::Count},
    Quantity{"transactions", QuantityKind::Count},
    Quantity{"warps", QuantityKind::Count},
    Quantity{"KB", QuantityKind::Count},
    Quantity{"bottleneck", QuantityKind::Text},
    Quantity{"memory_to_compute", QuantityKind::Listed},
    Quantity{"native instructions", QuantityKind::Other},
    Quantity{"MB read", QuantityKind::Other},
    Quantity{"hit rate of the L1", QuantityKind::Other},
    Quantity{"hit rate of the L2", QuantityKind::Other},
};

/// That of its quantity. A text that is published in place of a number ("true" for "> 99 %") makes the row a text.
QuantityKind kind_of(const ValidationRow& row);
inline QuantityKind kind_of(const ValidationOutcome& outcome) { return kind_of(*outcome.row); }

/// simulated - published of a number, in the quantity's unit; what could not be run counts as 0. nullopt for a text and
/// for a recalled figure.
std::optional<double> difference(const ValidationOutcome& outcome);
/// Whether the kind is compared by differences (shares, counts), and whether by being the same (counts, texts).
inline bool has_difference(QuantityKind kind) { return kind == QuantityKind::Share || kind == QuantityKind::Count; }
inline bool has_same(QuantityKind kind) { return kind == QuantityKind::Text || kind == QuantityKind::Count; }

/// Whether it is the published text; or a number that rounds to the published one, in the digits that are printed.
bool same_as_published(const ValidationOutcome& outcome);

}  // namespace warptime::host
