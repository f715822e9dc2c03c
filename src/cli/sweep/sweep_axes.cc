#include "cli/sweep/sweep_axes.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "base/random.h"
#include "cli/sweep/sweep_ranges.h"
#include "sim/model/renamed_keys.h"

namespace warptime::cli {

namespace {

using Points = std::vector<std::vector<uint32_t>>;

/// Where a part of an option's text is on the command line.
SourceSpan part_of(const ArgumentText& given, size_t begin, size_t length) {
  SourceSpan where = given.where;
  if (where.length < given.text.size()) return where;
  where.begin += static_cast<uint32_t>((where.length - given.text.size()) / 2 + begin);  // within its quotes
  where.length = static_cast<uint32_t>(std::max<size_t>(length, 1));
  return where;
}

/// `again`: a value may be given twice, as the axes are in step.
std::vector<std::string> values_of(const ArgumentText& given, size_t begin, bool random, bool again) {
  const std::string name = given.text.substr(0, begin - 1);
  std::vector<std::string> values;
  std::set<std::string> known;
  for (const std::string& text : split_values(given.text.substr(begin))) {
    std::vector<std::string> some = expand_range(text, part_of(given, begin, text.size()), random);
    for (const std::string& value : some)
      if (!again && !known.insert(value).second)
        fail(part_of(given, begin, text.size()), fmt::format("{}={} is swept twice", name, value),
             "every combination is run once; with --zip a value may be given again");
    begin += text.size() + 1;
    values.insert(values.end(), some.begin(), some.end());
    if (values.size() > kMostPoints) fail(given.where, fmt::format("a sweep has at most {} points", kMostPoints));
  }
  return values;
}

SweepAxis read_axis(SweepAxis::Kind kind, const ArgumentText& given, bool random, bool again) {
  SweepAxis axis{kind, "", {}, given};
  size_t equals = given.text.find('=');
  if (equals == std::string::npos || equals == 0)
    fail(given.where,
         fmt::format("--{} of a sweep is {}=V1,V2,...", axis.option(), kind == SweepAxis::Kind::Set ? "PATH" : "NAME"));
  axis.name = given.text.substr(0, equals);
  axis.values = values_of(given, equals + 1, random, again);
  return axis;
}

Points every_combination(const std::vector<SweepAxis>& axes) {
  size_t points = 1;
  for (const SweepAxis& axis : axes) {
    points *= axis.values.size();
    if (points > kMostPoints) fail(axis.given.where, fmt::format("a sweep has at most {} points", kMostPoints));
  }
  Points out(points, std::vector<uint32_t>(axes.size()));
  for (size_t point = 0; point < points; ++point)
    for (size_t i = axes.size(), rest = point; i-- > 0; rest /= axes[i].values.size())
      out[point][i] = static_cast<uint32_t>(rest % axes[i].values.size());
  return out;
}

/// One value each, in step; an axis of one value keeps it.
Points in_step(const std::vector<SweepAxis>& axes) {
  const SweepAxis* longest = &axes.front();
  for (const SweepAxis& axis : axes)
    if (axis.values.size() > longest->values.size()) longest = &axis;
  for (const SweepAxis& axis : axes)
    if (axis.values.size() != 1 && axis.values.size() != longest->values.size())
      fail(axis.given.where, fmt::format("--zip needs as many values on each axis: {} has {}, {} has {}", longest->name,
                                         longest->values.size(), axis.name, axis.values.size()));
  Points out(longest->values.size(), std::vector<uint32_t>(axes.size()));
  for (size_t point = 0; point < out.size(); ++point)
    for (size_t i = 0; i < axes.size(); ++i)
      out[point][i] = axes[i].values.size() == 1 ? 0 : static_cast<uint32_t>(point);
  return out;
}

}  // namespace

std::string SweepAxis::option() const {
  switch (kind) {
    case Kind::Machine: return "machine";
    case Kind::Set: return "set";
    case Kind::Param: return "param";
  }
  return {};
}

std::vector<std::string> split_values(const std::string& text) {
  std::vector<std::string> values(1);
  int depth = 0;
  for (char c : text) {
    if (c == '[') ++depth;
    if (c == ']') --depth;
    if (c == ',' && depth <= 0) values.emplace_back();
    else values.back() += c;
  }
  return values;
}

std::vector<SweepAxis> read_axes(const Arguments& arguments) {
  std::vector<SweepAxis> axes;
  bool random = arguments.has("random");
  if (auto machines = arguments.value("machine")) {
    SweepAxis axis{SweepAxis::Kind::Machine, "machine", split_values(machines->text), *machines};
    for (size_t i = 0; i < axis.values.size(); ++i)
      if (std::find(axis.values.begin(), axis.values.begin() + static_cast<ptrdiff_t>(i), axis.values[i]) !=
          axis.values.begin() + static_cast<ptrdiff_t>(i))
        fail(machines->where, fmt::format("machine \"{}\" is swept twice", axis.values[i]));
    if (axis.values.size() > 1) axes.push_back(std::move(axis));
  }
  for (auto kind : {SweepAxis::Kind::Set, SweepAxis::Kind::Param}) {
    for (const ArgumentText& given : arguments.all(kind == SweepAxis::Kind::Set ? "set" : "param")) {
      SweepAxis axis = read_axis(kind, given, random, arguments.has("zip"));
      for (const SweepAxis& other : axes)
        if (sim::current_path(other.name) == sim::current_path(axis.name))
          fail(given.where, fmt::format("{} is swept twice", axis.name),
               fmt::format("give all its values at once: {}={},{}", axis.name,
                           other.given.text.substr(other.given.text.find('=') + 1),
                           given.text.substr(given.text.find('=') + 1)));
      axes.push_back(std::move(axis));
    }
  }
  if (axes.empty())
    fail(arguments.whole(), "nothing to sweep over",
         "--set PATH=V1,V2,..., --param NAME=V1,V2,... or --machine NAME1,NAME2");
  return axes;
}

Points combine_axes(const Arguments& arguments, const std::vector<SweepAxis>& axes) {
  auto points = arguments.number("random", 1, kMostPoints);
  if (arguments.has("seed") && !points) fail(arguments.value("seed")->where, "--seed goes with --random N");
  if (!points) return arguments.has("zip") ? in_step(axes) : every_combination(axes);
  if (arguments.has("zip")) fail(arguments.all("zip").front().where, "--zip and --random exclude each other");
  std::vector<size_t> sizes;
  for (const SweepAxis& axis : axes) sizes.push_back(axis.values.size());
  return latin_hypercube(sizes, *points, arguments.number("seed", 0, ~uint64_t{0}).value_or(1));
}

Points latin_hypercube(const std::vector<size_t>& sizes, size_t points, uint64_t seed) {
  static_assert(kMostPoints < (1u << 20));  // the product below has 60 bits
  Points out(points, std::vector<uint32_t>(sizes.size()));
  SplitMix64 random(seed);
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    std::vector<uint64_t> strata(points);
    std::iota(strata.begin(), strata.end(), 0);
    for (size_t i = points; i > 1; --i) std::swap(strata[i - 1], strata[random.below(i)]);
    for (size_t point = 0; point < points; ++point) {
      uint64_t place = (strata[point] << 20) | (random.next() >> 44);  // within its stratum
      out[point][axis] = static_cast<uint32_t>(sizes[axis] * place / (static_cast<uint64_t>(points) << 20));
    }
  }
  return out;
}

}  // namespace warptime::cli
