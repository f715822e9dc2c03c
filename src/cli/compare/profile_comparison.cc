#include "cli/compare/profile_comparison.h"

#include <algorithm>
#include <map>
#include <set>

#include "cli/compare/kernel_names.h"
#include "cli/compare/profile_counters.h"

namespace warptime::cli {

namespace {

using ByName = std::map<std::string_view, const Profile::Counter*>;

ByName by_name(const Profile& profile, const Profile::Launch& launch) {
  ByName out;  // the first of those with one name: sections of a report share metrics
  for (const Profile::Counter& counter : launch.counters) out.try_emplace(profile.text(counter.name), &counter);
  return out;
}

std::string launches_text(size_t count) { return fmt::format("{} launch{}", count, count == 1 ? "" : "es"); }

class Comparer {
 public:
  Comparer(const StatisticsFile& run, const Profile& profile) : run_(run), profile_(profile) {}

  ProfileComparison compare() {
    pair_up();
    if (std::any_of(profile_.launches.front().counters.begin(), profile_.launches.front().counters.end(),
                    [this](const Profile::Counter& counter) { return is_partial(counter); }))
      out_.notes.push_back(
          "counters of one SM or one TPC are not those of the whole chip, which A has; nothing is scaled");
    for (ProfileComparison::Pair& pair : out_.pairs) compare_pair(pair);
    if (other_extents_ > 0)
      out_.notes.push_back(fmt::format(
          "{} of {} pairs have another grid or block in B, so another amount of work; the first is launch {} of A",
          other_extents_, out_.pairs.size(), first_other_));
    leftovers();
    if (profile_.copies > 0)
      out_.notes.push_back(fmt::format("copies and fills of B are left out ({})", profile_.copies));
    return std::move(out_);
  }

 private:
  bool is_partial(const Profile::Counter& counter) const {
    return counted_where(profile_.format, profile_.text(counter.name)) != "chip";
  }

  void pair_up() {
    std::vector<std::string_view> a, b;
    for (const auto& part : run_.launches) a.push_back(run_.name(part.kernel));
    for (const auto& launch : profile_.launches) b.push_back(profile_.text(launch.kernel));
    auto partners = pair_launches(a, b);
    std::vector<bool> taken(b.size());
    for (size_t i = 0; i < a.size(); ++i)
      if (partners[i]) {
        out_.pairs.push_back({i, *partners[i], {}});
        taken[*partners[i]] = true;
      }
    if (out_.pairs.empty())
      fail(profile_.where, fmt::format("{} and {} have no kernel in common", run_.file, profile_.file),
           a.empty() ? fmt::format("{} has no launch", run_.file)
                     : fmt::format("\"{}\" is a kernel of the first, \"{}\" one of the second",
                                   kernel_name(a.front()).base, kernel_name(b.front()).base));
    note_unpaired("A", a, [&](size_t i) { return !partners[i].has_value(); });
    note_unpaired("B", b, [&](size_t i) { return !taken[i]; });
  }

  /// A sentence for each kernel of a side whose launches do not all have a partner.
  template <class Unpaired>
  void note_unpaired(std::string_view side, const std::vector<std::string_view>& names, Unpaired&& unpaired) {
    std::map<std::string_view, std::pair<size_t, size_t>> counts;  // all, and those without a partner
    std::vector<std::string_view> order;
    for (size_t i = 0; i < names.size(); ++i) {
      auto [count, is_new] = counts.try_emplace(names[i]);
      if (is_new) order.push_back(names[i]);
      ++count->second.first;
      count->second.second += unpaired(i) ? 1 : 0;
    }
    for (std::string_view name : order) {
      auto [all, alone] = counts[name];
      if (alone == 0) continue;
      out_.notes.push_back(alone == all ? fmt::format("{} of {} in {} {} no partner", launches_text(all), name, side,
                                                      all == 1 ? "has" : "have")
                                        : fmt::format("{} of {} in {}: the last {} {} no partner", launches_text(all),
                                                      name, side, alone, alone == 1 ? "has" : "have"));
    }
  }

  void compare_pair(ProfileComparison::Pair& pair) {
    auto numbers = run_numbers(run_, run_.launches[pair.a]);
    ByName counters = by_name(profile_, profile_.launches[pair.b]);
    bool same_extents = true;
    for (const SameNumber& same : same_numbers()) {
      if (same.format != profile_.format) continue;
      auto found = numbers.find(same.statistic);
      std::optional<double> b = sum(same, counters);
      if (found == numbers.end() || !b) continue;
      for (const std::string& name : same.counters) used_.insert(name);
      compared_.insert(&same);
      bool is_extent = same.statistic.starts_with("grid.") || same.statistic.starts_with("block.");
      if (is_extent) same_extents &= found->second == *b;
      pair.rows.push_back({same.statistic, same.unit, same.name(), counted_where(same.format, same.counters.front()),
                           found->second, *b});
    }
    if (!same_extents && other_extents_++ == 0) first_other_ = pair.a;
  }

  std::optional<double> sum(const SameNumber& same, const ByName& counters) const {
    double total = 0;
    for (const std::string& name : same.counters) {
      auto found = counters.find(name);
      if (found == counters.end()) return std::nullopt;
      auto value = counter_value(profile_, *found->second, same.unit);
      if (!value) return std::nullopt;
      total += *value;
    }
    return total;
  }

  void leftovers() {
    std::set<std::string_view> seen;
    bool has_label = false;
    for (const ProfileComparison::Pair& pair : out_.pairs)
      for (const Profile::Counter& counter : profile_.launches[pair.b].counters) {
        std::string_view name = profile_.text(counter.name);
        if (used_.contains(name) || !seen.insert(name).second) continue;
        out_.only_b.emplace_back(name);
        has_label |= profile_.format == Profile::Format::NsightCompute && name.find("__") == std::string_view::npos;
      }
    if (has_label)
      out_.notes.push_back(
          "names of B without \"__\" are labels; `ncu --print-metric-name name` writes those of the metrics");
    auto numbers = run_numbers(run_, run_.launches[out_.pairs.front().a]);
    for (const SameNumber& same : same_numbers())
      if (same.format == profile_.format && !compared_.contains(&same) && numbers.contains(same.statistic))
        out_.only_a.push_back(fmt::format("{} ({})", same.statistic, same.name()));
  }

  const StatisticsFile& run_;
  const Profile& profile_;
  ProfileComparison out_;
  std::set<std::string, std::less<>> used_;
  std::set<const SameNumber*> compared_;
  size_t other_extents_ = 0, first_other_ = 0;
};

}  // namespace

ProfileComparison compare_profile(const StatisticsFile& run, const Profile& profile) {
  return Comparer(run, profile).compare();
}

}  // namespace warptime::cli
