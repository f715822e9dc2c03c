#include "cli/compare/kernel_names.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <utility>

namespace warptime::cli {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// A number and as many letters: "5scale". Empty: there is none, and `at` stays.
std::string_view source_name(std::string_view text, size_t& at) {
  size_t end = at, length = 0;
  while (end < text.size() && is_digit(text[end]) && length < text.size())
    length = length * 10 + static_cast<size_t>(text[end++] - '0');
  if (end == at || length == 0 || length > text.size() - end) return {};
  at = end + length;
  return text.substr(end, length);
}

/// The name of a builtin type; the codes of the Itanium C++ ABI, "Builtin types".
std::string_view builtin_type(char code) {
  switch (code) {
    case 'b': return "bool";
    case 'c': return "char";
    case 'a': return "signedchar";
    case 'h': return "unsignedchar";
    case 's': return "short";
    case 't': return "unsignedshort";
    case 'i': return "int";
    case 'j': return "unsignedint";
    case 'l': return "long";
    case 'm': return "unsignedlong";
    case 'x': return "longlong";
    case 'y': return "unsignedlonglong";
    case 'f': return "float";
    case 'd': return "double";
    default: return {};
  }
}

/// What follows the I of a template; empty where an argument is more than a builtin type, a name or a number.
std::string template_arguments(std::string_view text, size_t at) {
  std::string out;
  while (at < text.size() && text[at] != 'E') {
    if (!out.empty()) out += ',';
    if (std::string_view name = source_name(text, at); !name.empty()) {
      out += name;
    } else if (text[at] == 'L' && at + 2 < text.size() && !builtin_type(text[at + 1]).empty()) {
      size_t end = text.find('E', at);
      if (end == std::string_view::npos) return {};
      std::string value(text.substr(at + 2, end - at - 2));
      if (!value.empty() && value[0] == 'n') value[0] = '-';
      out += value;
      at = end + 1;
    } else if (!builtin_type(text[at]).empty()) {
      out += builtin_type(text[at++]);
    } else {
      return {};
    }
  }
  return at < text.size() ? out : std::string();
}

/// _Z5scaleIfEvPT_S0_i, _ZN6scaled5scaleIfEEvPT_S1_i.
std::optional<KernelName> mangled(std::string_view text) {
  if (text.starts_with("__globfunc_")) text.remove_prefix(11);  // of CUDA 1.0
  if (text.starts_with("_Z")) text.remove_prefix(2);
  else if (text.starts_with("Z") && text.size() > 1 && (is_digit(text[1]) || text[1] == 'N')) text.remove_prefix(1);
  else return std::nullopt;
  size_t at = 0;
  bool nested = text.starts_with("N");
  if (nested) ++at;
  if (text.substr(at).starts_with("L")) ++at;  // of internal linkage
  std::string_view base;
  for (std::string_view name; !(name = source_name(text, at)).empty(); base = name)
    if (!nested) {
      base = name;
      break;
    }
  if (base.empty()) return std::nullopt;
  std::string arguments = at < text.size() && text[at] == 'I' ? template_arguments(text, at + 1) : std::string();
  return KernelName{std::string(base), std::move(arguments)};
}

/// Blanks and casts such as "(int)" left out.
std::string without_casts(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ') continue;
    size_t close = text[i] == '(' ? text.find(')', i) : std::string_view::npos;
    if (close != std::string_view::npos) i = close;
    else out += text[i];
  }
  return out;
}

/// void scaled::scale<float>(T1 *, T1, int), or without what stands around the name.
KernelName demangled(std::string_view text) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  size_t depth = 0, end = 0;
  for (; end < text.size(); ++end) {
    if (text[end] == '<') ++depth;
    if (text[end] == '>' && depth > 0) --depth;
    if (text[end] != '(' || depth > 0) continue;
    if (!text.substr(end).starts_with(kAnonymous)) break;
    end += kAnonymous.size() - 1;
  }
  text = text.substr(0, end);
  while (text.ends_with(' ')) text.remove_suffix(1);
  std::string arguments;
  if (text.ends_with('>')) {
    size_t begin = text.size(), level = 0;
    do {
      --begin;
      if (text[begin] == '>') ++level;
      if (text[begin] == '<') --level;
    } while (begin > 0 && level > 0);
    arguments = without_casts(text.substr(begin + 1, text.size() - begin - 2));
    text = text.substr(0, begin);
  }
  size_t before = text.find_last_of(" :*&>");
  if (before != std::string_view::npos) text.remove_prefix(before + 1);
  return {std::string(text), std::move(arguments)};
}

}  // namespace

KernelName kernel_name(std::string_view name) {
  if (auto found = mangled(name)) return *found;
  return demangled(name);
}

std::vector<std::optional<size_t>> pair_launches(const std::vector<std::string_view>& a,
                                                 const std::vector<std::string_view>& b) {
  // The three keys of a name, the best first. Without template arguments the second says no more than the third.
  auto keys = [](std::string_view name) {
    KernelName parts = kernel_name(name);
    std::string full = parts.arguments.empty() ? std::string() : parts.base + "<" + parts.arguments;
    return std::array<std::string, 3>{std::string(name), std::move(full), std::move(parts.base)};
  };
  std::array<std::map<std::string, std::deque<size_t>>, 3> waiting;
  for (size_t i = 0; i < b.size(); ++i) {
    auto of = keys(b[i]);
    for (size_t k = 0; k < of.size(); ++k)
      if (!of[k].empty()) waiting[k][of[k]].push_back(i);
  }
  std::vector<bool> taken(b.size());
  std::vector<std::optional<size_t>> out(a.size());
  for (size_t k = 0; k < waiting.size(); ++k)
    for (size_t i = 0; i < a.size(); ++i) {
      if (out[i]) continue;
      std::string key = std::move(keys(a[i])[k]);
      auto found = key.empty() ? waiting[k].end() : waiting[k].find(key);
      if (found == waiting[k].end()) continue;
      std::deque<size_t>& launches = found->second;
      while (!launches.empty() && taken[launches.front()]) launches.pop_front();
      if (launches.empty()) continue;
      out[i] = launches.front();
      taken[launches.front()] = true;
    }
  return out;
}

}  // namespace warptime::cli
