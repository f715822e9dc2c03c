#include "ptx/user/demangle.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "base/listed.h"

namespace warptime::ptx {

namespace {

// Longer names stay as they are, and those that repeat more of their parts: the text of a name doubles with every
// part that it repeats twice.
constexpr size_t kLongestName = 2000;
constexpr size_t kMostRepeats = 40;

constexpr std::string_view kAnonymous = "(anonymous namespace)::", kInternal = "_INTERNAL_", kOperator = "operator";

bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '$';
}

bool repeats_too_much(std::string_view name) {
  size_t repeats = 0;
  for (size_t i = 0; i + 1 < name.size(); ++i)
    repeats += (name[i] == 'S' || name[i] == 'T') && (name[i + 1] == '_' || is_word(name[i + 1]));
  return repeats > kMostRepeats;
}

/// What the C++ library says; empty: the name is not mangled.
std::string from_library(std::string_view name) {
  if (!name.starts_with("_Z") || name.size() > kLongestName || repeats_too_much(name)) return {};
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(std::string(name).c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text != nullptr ? std::string(text.get()) : std::string();
}

/// Namespaces that the compiler made for what one file has of its own.
void drop_file_scopes(std::string& text) {
  for (size_t at; (at = text.find(kAnonymous)) != std::string::npos;) text.erase(at, kAnonymous.size());
  for (size_t at = 0; (at = text.find(kInternal, at)) != std::string::npos;) {
    size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    if (text.compare(end, 2, "::") == 0 && (at == 0 || !is_word(text[at - 1]))) text.erase(at, end + 2 - at);
    else at = end;
  }
}

/// "const float*" as people write it, for "float const*".
void put_const_first(std::string& text) {
  constexpr std::string_view kConst = " const";
  for (size_t at = 0; (at = text.find(kConst, at)) != std::string::npos;) {
    const size_t end = at + kConst.size();
    const bool is_type =
        at != 0 && (is_word(text[at - 1]) || text[at - 1] == '>') && (end == text.size() || !is_word(text[end]));
    size_t begin = at, depth = 0;
    for (; is_type && begin != 0; --begin) {
      char c = text[begin - 1];
      if (c == '>') ++depth;
      else if (depth != 0) depth -= c == '<';
      else if (c == '<' || c == '(' || c == ',' || c == '*' || c == '&') break;
    }
    while (begin < at && text[begin] == ' ') ++begin;
    if (is_type && begin < at) {
      text.erase(at, kConst.size());
      text.insert(begin, "const ");
    }
    at = end;
  }
}

/// Where the bracket that opens at `open` closes; the end of the text if it does not.
size_t closing(std::string_view text, size_t open) {
  size_t depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i;
  }
  return text.size();
}

/// A demangled name in its parts: "ns::foo<float>", "(float*)", and of what is declared in a function its own name.
struct Parts {
  std::string_view name, parameters, inner;
};

Parts parts_of(std::string_view text) {
  size_t begin = 0, depth = 0, at = 0;
  for (; at < text.size(); ++at) {
    if (text.substr(at).starts_with(kOperator) && (at == 0 || !is_word(text[at - 1]))) {
      at += kOperator.size();
      if (text.substr(at, 2) == "()") at += 2;
      while (at < text.size() && text[at] != '(') ++at;
      break;
    }
    char c = text[at];
    if (c == '<') ++depth;
    if (c == '>' && depth != 0) --depth;
    if (depth != 0) continue;
    if (c == '(') break;
    if (c == ' ') begin = at + 1;  // what is before it is the type of the result
  }
  Parts out{text.substr(begin, at - begin), {}, {}};
  if (at == text.size()) return out;
  size_t close = closing(text, at);
  out.parameters = text.substr(at, close + 1 - at);
  std::string_view rest = text.substr(std::min(close + 1, text.size()));
  if (size_t scope = rest.find("::"); scope != std::string_view::npos) out.inner = rest.substr(scope + 2);
  return out;
}

/// Behind the last namespace.
std::string_view unqualified(std::string_view name) {
  size_t depth = 0;
  for (size_t at = name.size(); at-- > 0;) {
    if (name[at] == '>') ++depth;
    if (name[at] == '<' && depth != 0) --depth;
    if (depth == 0 && at != 0 && name[at] == ':' && name[at - 1] == ':') return name.substr(at + 1);
  }
  return name;
}

std::string_view without_arguments(std::string_view name) { return name.substr(0, name.find('<')); }

/// nvcc before CUDA 5 named variables of functions "__cuda_local_var_35411_32_non_const_tile".
std::string_view old_local_name(std::string_view name) {
  constexpr std::string_view kPrefix = "__cuda_local_var_";
  size_t at = name.find(kPrefix);
  if (at == std::string_view::npos) return {};
  at += kPrefix.size();
  while (at < name.size() && ((name[at] >= '0' && name[at] <= '9') || name[at] == '_')) ++at;
  for (std::string_view word : {std::string_view("non_const_"), std::string_view("const_")})
    if (name.substr(at).starts_with(word)) return name.substr(at + word.size());
  return {};
}

/// The demangled name with all that the library says; empty: it is not mangled.
std::string full_text(std::string_view name) {
  std::string text = from_library(name);
  // A variable of a body whose name another one has, too, is "kernel$name".
  if (text.empty())
    if (size_t scope = name.rfind("$_Z"); scope != std::string_view::npos) text = from_library(name.substr(scope + 1));
  drop_file_scopes(text);
  put_const_first(text);
  return text;
}

std::string without_blanks(std::string_view text) {
  std::string out;
  std::copy_if(text.begin(), text.end(), std::back_inserter(out), [](char c) { return c != ' '; });
  return out;
}

bool means(std::string_view mangled, const std::string& wanted) {
  const std::string text = full_text(mangled);
  if (text.empty()) return false;
  const Parts parts = parts_of(text);
  const std::string whole = std::string(parts.name) + std::string(parts.parameters);
  const std::string_view spellings[] = {whole, parts.name, without_arguments(parts.name), unqualified(parts.name),
                                        without_arguments(unqualified(parts.name))};
  return std::any_of(std::begin(spellings), std::end(spellings),
                     [&](std::string_view spelling) { return without_blanks(spelling) == wanted; });
}

}  // namespace

std::string demangled(std::string_view name) {
  const std::string text = full_text(name);
  if (text.empty()) return std::string(name);
  const Parts parts = parts_of(text);
  std::string out = std::string(parts.name) + std::string(parts.parameters);
  return parts.inner.empty() ? out : fmt::format("{}::{}", out, parts.inner);
}

std::string short_name(std::string_view name) {
  const std::string text = full_text(name);
  if (text.empty()) {
    std::string_view old = old_local_name(name);
    return std::string(old.empty() ? name : old);
  }
  Parts parts = parts_of(text);
  while (!parts.inner.empty()) parts = parts_of(parts.inner);
  return std::string(unqualified(parts.name));
}

bool is_named(std::string_view mangled, std::string_view name) {
  return mangled == name || means(mangled, without_blanks(name));
}

std::vector<const Kernel*> kernels_named(const Module& module, std::string_view name) {
  std::vector<const Kernel*> out;
  if (const Kernel* exact = module.find_kernel(name); exact != nullptr && exact->is_entry) return {exact};
  const std::string wanted = without_blanks(name);
  for (const Kernel& kernel : module.kernels)
    if (kernel.is_entry && means(kernel.name, wanted)) out.push_back(&kernel);
  return out;
}

KernelNameError kernel_name_error(const Module& module, std::string_view name) {
  std::vector<std::string> names, shorts;
  const std::vector<const Kernel*> meant = kernels_named(module, name);
  auto add = [&](const Kernel& kernel) {
    if (!kernel.is_entry) return;
    names.push_back(demangled(kernel.name));
    shorts.push_back(short_name(kernel.name));
    shorts.emplace_back(without_arguments(shorts.back()));
  };
  if (meant.empty())
    for (const Kernel& kernel : module.kernels) add(kernel);
  else
    for (const Kernel* kernel : meant) add(*kernel);
  const std::string list = listed({names.begin(), names.end()});
  const std::string& file = module.source->name();
  if (!meant.empty())
    return {fmt::format("\"{}\" has {} kernels \"{}\": which one?", file, meant.size(), name), "one of " + list};
  std::vector<std::string_view> candidates(names.begin(), names.end());
  candidates.insert(candidates.end(), shorts.begin(), shorts.end());
  for (const Kernel& kernel : module.kernels) candidates.push_back(kernel.name);
  std::string hint = did_you_mean(name, candidates);
  if (hint.empty()) hint = names.empty() ? "it has none" : "it has " + list;
  return {fmt::format("\"{}\" has no kernel \"{}\"", file, name), hint};
}

}  // namespace warptime::ptx
