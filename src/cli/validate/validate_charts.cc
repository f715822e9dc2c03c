// The two charts of a validation page, as SVG: simulated against published figures, and the error of each row.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/validate/validate_report.h"

namespace warptime::cli {

namespace {

using Outcomes = std::vector<const host::ValidationOutcome*>;

constexpr std::string_view kColours[] = {"#8a8a8a", "#d98a00", "#1f6fb4", "#9a62b3", "#4f9d69", "#c05a5a"};  // by role

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '<') out += "&lt;";
    else if (c == '&') out += "&amp;";
    else out += c;
  }
  return out;
}

std::string svg(int width, int height, const std::string& body) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" "
      "fill=\"#ffffff\"/>\n{2}</svg>\n",
      width, height, body);
}

std::string line(double x1, double y1, double x2, double y2, std::string_view style) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1, x2, y2, style);
}

std::string text(double x, double y, std::string_view anchor, std::string_view words, std::string_view style = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" {}>{}</text>\n", x, y, anchor, style,
                     escaped(words));
}

/// The roles and their colours, from (x, y) down.
std::string legend(double x, double y) {
  std::string out;
  for (size_t role = 0; role < host::kRoles.size(); ++role, y += 16) {
    out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"/>\n", x, y - 4, kColours[role]);
    out += text(x + 10, y, "start", host::kRoles[role]);
  }
  return out;
}

double published_of(const host::ValidationOutcome& outcome) { return std::get<double>(outcome.row->published); }
double simulated_of(const host::ValidationOutcome& outcome) { return std::get<double>(*outcome.simulated); }

/// Rows with a positive number on both sides.
Outcomes numbers(const ValidationReport& report) {
  Outcomes out;
  for (const host::ValidationOutcome* outcome : outcomes_of(report))
    if (outcome->simulated && (outcome->error() || outcome->factor()) && published_of(*outcome) > 0 &&
        simulated_of(*outcome) > 0)
      out.push_back(outcome);
  return out;
}

}  // namespace

std::string validation_scatter(const ValidationReport& report) {
  constexpr double kSize = 520, kLeft = 60, kTop = 20;
  Outcomes outcomes = numbers(report);
  double low = 1, high = 10;
  for (const host::ValidationOutcome* o : outcomes) {
    low = std::min({low, published_of(*o), simulated_of(*o)});
    high = std::max({high, published_of(*o), simulated_of(*o)});
  }
  int first = static_cast<int>(std::floor(std::log10(low))), last = static_cast<int>(std::ceil(std::log10(high)));
  auto place = [&](double value) { return (std::log10(value) - first) / (last - first) * kSize; };
  std::string body;
  for (int decade = first; decade <= last; ++decade) {
    double at = place(std::pow(10, decade));
    std::string label = fmt::format("{:g}", std::pow(10, decade));
    body += line(kLeft + at, kTop, kLeft + at, kTop + kSize, "stroke=\"#e3e3e3\"");
    body += line(kLeft, kTop + kSize - at, kLeft + kSize, kTop + kSize - at, "stroke=\"#e3e3e3\"");
    body += text(kLeft + at, kTop + kSize + 16, "middle", label);
    body += text(kLeft - 6, kTop + kSize - at + 4, "end", label);
  }
  // Equal, and 10 % to each side.
  for (double factor : {1.0, 1.1, 1 / 1.1}) {
    double shift = std::log10(factor) / (last - first) * kSize;
    double begin = std::max(0.0, -shift), end = std::min(kSize, kSize - shift);
    body += line(kLeft + begin, kTop + kSize - begin - shift, kLeft + end, kTop + kSize - end - shift,
                 factor == 1 ? "stroke=\"#606060\"" : "stroke=\"#b0b0b0\" stroke-dasharray=\"4 4\"");
  }
  for (const host::ValidationOutcome* o : outcomes)
    body += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\" fill-opacity=\"0.75\"><title>{}: {} {}, published "
        "{}</title></circle>\n",
        kLeft + place(published_of(*o)), kTop + kSize - place(simulated_of(*o)), kColours[static_cast<size_t>(o->role)],
        escaped(o->row->name), value_text(*o->simulated), escaped(o->row->quantity), value_text(o->row->published));
  body += text(kLeft + kSize / 2, kTop + kSize + 36, "middle", "published (dashed: 10 % off)");
  body += text(16, kTop + kSize / 2, "middle", "simulated",
               fmt::format("transform=\"rotate(-90 16 {:.1f})\"", kTop + kSize / 2));
  return svg(620, 590, body + legend(kLeft + 16, kTop + 22));
}

std::string validation_bars(const ValidationReport& report) {
  constexpr double kLetter = 7, kErrors = 78, kHalf = 200, kRow = 18, kTop = 30, kMost = 0.5;  // errors beyond are cut
  Outcomes outcomes;
  size_t letters = 0;
  for (const host::ValidationOutcome* o : outcomes_of(report)) {
    if (o->role == host::Role::Input || !o->error()) continue;
    outcomes.push_back(o);
    letters = std::max(letters, o->row->name.size());
  }
  double names = kLetter * static_cast<double>(letters) + 8, left = names + kErrors, middle = left + kHalf;
  double height = kTop + kRow * static_cast<double>(outcomes.size()) + 20;
  std::string body;
  for (int percent : {-50, -25, -10, 0, 10, 25, 50}) {
    double x = middle + percent / 100.0 / kMost * kHalf;
    body += line(x, kTop - 6, x, height - 14, percent == 0 ? "stroke=\"#606060\"" : "stroke=\"#e3e3e3\"");
    body += text(x, kTop - 12, "middle", fmt::format("{:+} %", percent));
  }
  double y = kTop;
  for (const host::ValidationOutcome* o : outcomes) {
    double length = std::clamp(*o->error(), -kMost, kMost) / kMost * kHalf;
    body += text(names, y + 13, "end", o->row->name);
    body += text(left - 4, y + 13, "end", error_text(*o));
    body +=
        fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"12\" fill=\"{}\"/>\n",
                    std::min(middle, middle + length), y + 3, std::abs(length), kColours[static_cast<size_t>(o->role)]);
    y += kRow;
  }
  return svg(static_cast<int>(left + 2 * kHalf + 120), static_cast<int>(std::max(height, 110.0)),
             body + legend(left + 2 * kHalf + 24, kTop + 12));
}

}  // namespace warptime::cli
