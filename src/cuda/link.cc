#include "cuda/link.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "base/parse_number.h"

namespace warptime::cuda {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kNameCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$%";

bool begins(std::string_view text, std::string_view word) {
  return text.starts_with(word) &&
         (text.size() == word.size() || kNameCharacters.find(text[word.size()]) == std::string_view::npos);
}

/// Cuts the next statement of the module's level from the text: a line of a directive without an end of its own, or up
/// to a semicolon or the end of a body. Blanks and comments before it belong to it.
std::string_view next_statement(std::string_view& text) {
  const std::string_view all = text;
  size_t at = 0, depth = 0, first = std::string_view::npos;
  bool is_line = false, has_value = false;
  auto cut = [&](size_t end) {
    text.remove_prefix(end);
    return all.substr(0, end);
  };
  while (at < all.size()) {
    const std::string_view rest = all.substr(at);
    if (rest.starts_with("//")) {
      at += std::min(rest.find('\n'), rest.size());
      continue;
    }
    if (rest.starts_with("/*")) {
      at += std::min(rest.find("*/"), rest.size() - 2) + 2;
      continue;
    }
    const char c = all[at];
    if (first == std::string_view::npos && kBlanks.find(c) == std::string_view::npos) {
      first = at;
      for (std::string_view word : {".version", ".target", ".address_size", ".file"})
        is_line = is_line || begins(rest, word);
    }
    if (c == '"') at = std::min(all.find('"', at + 1), all.size() - 1);
    if (c == '=') has_value = true;
    if (c == '{') ++depth;
    if (c == '}' && depth > 0 && --depth == 0 && !has_value) return cut(at + 1);
    if ((c == ';' && depth == 0) || (c == '\n' && is_line)) return cut(at + 1);
    ++at;
  }
  return cut(all.size());
}

/// A statement without the blanks and comments before it.
std::string_view body_of(std::string_view statement) {
  while (true) {
    statement.remove_prefix(std::min(statement.find_first_not_of(kBlanks), statement.size()));
    if (statement.starts_with("//")) statement.remove_prefix(std::min(statement.find('\n'), statement.size()));
    else if (statement.starts_with("/*"))
      statement.remove_prefix(std::min(statement.find("*/"), statement.size() - 2) + 2);
    else return statement;
  }
}

struct Definition {
  std::string_view name = {};  // empty: the statement defines nothing
  bool weak = false, local = false;
};

Definition definition_in(std::string_view body) {
  Definition out{.weak = begins(body, ".weak"), .local = true};
  for (std::string_view linkage : {".weak", ".visible", ".extern", ".common"}) {
    if (!begins(body, linkage)) continue;
    if (linkage == ".extern") return {};
    out.local = false;
    body.remove_prefix(std::min(body.find_first_not_of(kBlanks, linkage.size()), body.size()));
  }
  for (std::string_view word : {".func", ".entry"}) {
    if (!begins(body, word)) continue;
    size_t at = body.find_first_not_of(kBlanks, word.size());
    if (at != std::string_view::npos && body[at] == '(') at = body.find_first_not_of(" \t\r\n)", body.find(')', at));
    if (at == std::string_view::npos || body.find('{') == std::string_view::npos) return {};
    out.name = body.substr(at, body.find_first_not_of(kNameCharacters, at) - at);
    return out;
  }
  for (std::string_view space : {".global", ".const", ".shared"}) {
    if (!begins(body, space)) continue;
    std::string_view head = body.substr(0, body.find_first_of("[=;"));
    head = head.substr(0, head.find_last_not_of(kBlanks) + 1);
    out.name = head.substr(head.find_last_not_of(kNameCharacters) + 1);
  }
  return out;
}

using Names = std::set<std::string, std::less<>>;

/// The text with a suffix at each of these names.
std::string renamed(std::string_view text, const Names& names, std::string_view suffix) {
  std::string out;
  while (!text.empty()) {
    const size_t name = std::min(text.find_first_of(kNameCharacters), text.size());
    const size_t end = std::min(text.find_first_not_of(kNameCharacters, name), text.size());
    out += text.substr(0, end);
    if (names.count(text.substr(name, end - name)) != 0) out += suffix;
    text.remove_prefix(end);
  }
  return out;
}

/// The text with `by` added to the number behind each of these words.
std::string renumbered(std::string_view text, std::string_view word, uint64_t by, uint64_t& most) {
  std::string out;
  for (size_t found = text.find(word); found != std::string_view::npos; found = text.find(word)) {
    const size_t begin = std::min(text.find_first_not_of(" \t", found + word.size()), text.size());
    const size_t end = std::min(text.find_first_not_of("0123456789", begin), text.size());
    uint64_t number = 0;
    out += text.substr(0, begin);
    if (parse_number(text.substr(begin, end - begin), number) == NumberError::Ok) {
      out += fmt::format("{}", number + by);
      most = std::max(most, number + by);
    } else {
      out += text.substr(begin, end - begin);
    }
    text.remove_prefix(end);
  }
  return out += text;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

}  // namespace

std::string link_ptx(std::span<const std::string> files) {
  std::string out;
  Names defined;
  uint64_t last_file = 0;
  for (size_t i = 0; i < files.size(); ++i) {
    const uint64_t by = last_file;
    std::string text = renumbered(files[i], ".file", by, last_file);
    text = renumbered(renumbered(text, ".loc", by, last_file), "inlined_at", by, last_file);
    if (i > 0) replace_all(text, "info_string", fmt::format("info_string_{}_", i));
    Names again;  // names of this file's own that others have, too
    for (std::string_view rest = text; !rest.empty();) {
      const Definition definition = definition_in(body_of(next_statement(rest)));
      if (definition.local && defined.count(definition.name) != 0) again.emplace(definition.name);
    }
    if (!again.empty()) text = renamed(text, again, fmt::format("$file{}", i));
    for (std::string_view rest = text; !rest.empty();) {
      const std::string_view statement = next_statement(rest), body = body_of(statement);
      const bool header = begins(body, ".version") || begins(body, ".target") || begins(body, ".address_size");
      if (i > 0 && header) continue;
      const Definition definition = definition_in(body);
      const bool is_new = definition.name.empty() || defined.emplace(definition.name).second;
      if (is_new || !definition.weak) out += statement;
    }
    out += '\n';
  }
  return out;
}

}  // namespace warptime::cuda
