#include "base/diagnostics.h"

#include <algorithm>

#include "base/printable.h"

namespace warptime {

namespace {

// Lines longer than this are clipped around the caret.
constexpr size_t kMaxLineShown = 120;
// More diagnostics than this are only counted: the file is something else than it should be.
constexpr size_t kMostShown = 100;

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::Error: return "error";
    case Severity::Warning: return "warning";
    case Severity::Note: return "note";
  }
  return "";
}

// Control and non-ASCII bytes become '?' so that a binary file cannot upset a terminal; a tab becomes a space.
std::string excerpt(std::string_view line) {
  std::string out(line);
  for (char& c : out)
    if (c == '\t') c = ' ';
    else if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) c = '?';
  return out;
}

}  // namespace

namespace {

/// A line with a caret below it.
std::string marked_line(uint32_t number, std::string_view text, uint32_t column, uint32_t marked) {
  std::string line = excerpt(text);
  size_t caret = std::min<size_t>(column - 1, line.size());
  size_t length = std::clamp<size_t>(marked, 1, std::max<size_t>(1, line.size() - caret));
  if (line.size() > kMaxLineShown) {
    size_t begin = caret > kMaxLineShown / 2 ? caret - kMaxLineShown / 2 : 0;
    std::string clipped = (begin > 0 ? "..." : "") + line.substr(begin, kMaxLineShown);
    if (begin + kMaxLineShown < line.size()) clipped += "...";
    caret = caret - begin + (begin > 0 ? 3 : 0);
    length = std::min(length, clipped.size() > caret ? clipped.size() - caret : 1);
    line = clipped;
  }
  return fmt::format("{:>6} | {}\n       | {}^{}\n", number, line, std::string(caret, ' '),
                     std::string(length - 1, '~'));
}

/// A line of the user without a column is marked where its text begins.
uint32_t column_of(const UserLine& user) {
  if (user.column != 0) return user.column;
  return static_cast<uint32_t>(std::min(user.text.find_first_not_of(" \t"), user.text.size())) + 1;
}

/// Everything under the message: the line of the user, the calls around it, and the code in one line.
std::string user_lines(const Diagnostic& diagnostic) {
  const UserLine& user = diagnostic.user;
  std::string out;
  if (!user.text.empty()) out += marked_line(user.line, user.text, column_of(user), 1);
  if (diagnostic.all_calls && !user.calls.empty())
    out += fmt::format("        calls: {}\n",
                       printable(fmt::format("{}", fmt::join(user.calls, "\n               ")), true));
  else if (!user.callers.empty())
    out += fmt::format("  called from: {}\n", printable(fmt::format("{}", fmt::join(user.callers, ", "))));
  const SourceText* source = diagnostic.where.source;
  if (source == nullptr || source->text().empty()) return out;
  Place place = source->place_of(diagnostic.where.begin);
  std::string line = excerpt(source->line(place.line));
  line.erase(0, std::min(line.find_first_not_of(' '), line.size()));
  if (line.size() > kMaxLineShown) line = line.substr(0, kMaxLineShown) + "...";
  std::string_view name = source->name();
  return out + fmt::format("          PTX: {}:{}:{}: {}\n", printable(name.substr(name.find_last_of("/\\") + 1)),
                           place.line, place.column, line);
}

}  // namespace

std::string short_place(const UserLine& line) {
  if (line.file.empty()) return {};
  return fmt::format("{}:{}", line.file.substr(line.file.find_last_of("/\\") + 1), line.line);
}

std::string format_diagnostic(const Diagnostic& diagnostic) {
  std::string out;
  const SourceText* source = diagnostic.where.source;
  const std::string message = printable(clip_names(diagnostic.message));
  if (const UserLine& user = diagnostic.user; !user.file.empty()) {
    std::string place = fmt::format("{}:{}", printable(user.file), user.line);
    if (user.column != 0) place += fmt::format(":{}", user.column);
    out += fmt::format("{}: {}: {}\n", place, severity_name(diagnostic.severity), message) + user_lines(diagnostic);
  } else if (source == nullptr) {
    out += fmt::format("{}: {}\n", severity_name(diagnostic.severity), message);
  } else if (source->text().empty() && diagnostic.where.length == 0) {
    out += fmt::format("{}: {}: {}\n", printable(source->name()), severity_name(diagnostic.severity), message);
  } else {
    Place place = source->place_of(diagnostic.where.begin);
    out += fmt::format("{}:{}:{}: {}: {}\n", printable(source->name()), place.line, place.column,
                       severity_name(diagnostic.severity), message);
    out += marked_line(place.line, source->line(place.line), place.column, diagnostic.where.length);
  }
  if (!diagnostic.hint.empty()) out += fmt::format("         hint: {}\n", printable(diagnostic.hint, true));
  return out;
}

void Diagnostics::add(Diagnostic diagnostic) {
  if (diagnostic.severity == Severity::Error) ++errors_;
  all_.push_back(std::move(diagnostic));
}

void Diagnostics::error(SourceSpan where, std::string message, std::string hint) {
  add({Severity::Error, where, std::move(message), std::move(hint)});
}
void Diagnostics::warning(SourceSpan where, std::string message, std::string hint) {
  add({Severity::Warning, where, std::move(message), std::move(hint)});
}
void Diagnostics::note(SourceSpan where, std::string message, std::string hint) {
  add({Severity::Note, where, std::move(message), std::move(hint)});
}

std::string Diagnostics::to_text() const {
  std::vector<const Diagnostic*> ordered;
  for (const Diagnostic& d : all_) ordered.push_back(&d);
  std::stable_sort(ordered.begin(), ordered.end(), [](const Diagnostic* a, const Diagnostic* b) {
    return a->where.source == b->where.source && a->where.begin < b->where.begin;
  });
  std::string out;
  size_t shown = std::min(ordered.size(), kMostShown);
  for (size_t i = 0; i < shown; ++i) out += format_diagnostic(*ordered[i]);
  if (shown < ordered.size()) out += fmt::format("... and {} more\n", ordered.size() - shown);
  if (errors_ > 1) out += fmt::format("{} errors\n", errors_);
  return out;
}

void Diagnostics::keep(std::shared_ptr<const SourceText> source) { sources_.push_back(std::move(source)); }

namespace {

// Letters inserted, left out, replaced, or two neighbours swapped: each counts one.
// Insertions, deletions, substitutions and swaps of two neighbours, each 1.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string_view>& candidates) {
  size_t limit = std::max<size_t>(1, std::min(word.size(), size_t{64}) / 3);
  std::optional<std::string> best;
  if (word.size() > 64) return best;
  for (std::string_view candidate : candidates) {
    size_t longer = std::max(candidate.size(), word.size()), shorter = std::min(candidate.size(), word.size());
    if (longer - shorter > limit) continue;
    size_t distance = edit_distance(word, candidate);
    if (distance <= limit && (!best || distance < limit)) {
      best = std::string(candidate);
      if (distance == 0) break;
      limit = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates) {
  auto found = nearest(word, candidates);
  return found ? fmt::format("did you mean \"{}\"?", *found) : std::string();
}

}  // namespace warptime
