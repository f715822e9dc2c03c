#include "debug/names/source_names.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/ascii.h"
#include "base/expression.h"
#include "base/parse_number.h"
#include "debug/names/kernel_names.h"
#include "ptx/user/demangle.h"
#include "ptx/user/element_types.h"

namespace warptime::debug {

namespace {

bool is_name_part(char c) { return ascii::is_letter_or_digit(c) || c == '_'; }

std::string_view without_blanks(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
}

/// Comments and texts in quotes become blanks, and a line that ends with a backslash goes on.
std::string cleaned(std::string_view source) {
  std::string out(source);
  auto blank = [&](size_t from, size_t to) {
    for (size_t i = from; i < std::min(to, out.size()); ++i)
      if (out[i] != '\n') out[i] = ' ';
  };
  for (size_t at = 0; at < out.size(); ++at) {
    const std::string_view rest = std::string_view(out).substr(at);
    size_t end = at;
    if (rest.starts_with("//")) end = std::min(out.find('\n', at), out.size());
    else if (rest.starts_with("/*")) end = std::min(out.find("*/", at + 2), out.size() - 2) + 2;
    else if (rest.starts_with("\\\n")) out[at] = out[at + 1] = ' ';
    else if (rest.starts_with("\\\r\n")) out[at] = out[at + 1] = out[at + 2] = ' ';
    else if (out[at] == '"')
      for (end = at + 1; end < out.size() && out[end] != '"' && out[end] != '\n'; ++end)
        end += out[end] == '\\' ? 1 : 0;
    if (end == at) continue;
    blank(at, end + (out[at] == '"' ? 1 : 0));
    at = end - 1;
  }
  return out;
}

/// Behind the bracket that closes the one at `at`; npos: none does.
size_t behind_bracket(std::string_view text, size_t at) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == '(' || text[at] == '[' || text[at] == '{') ++depth;
    if (text[at] == ')' || text[at] == ']' || text[at] == '}')
      if (--depth == 0) return at + 1;
  }
  return std::string_view::npos;
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> out;
  int depth = 0;
  size_t begin = 0;
  for (size_t at = 0; at <= text.size(); ++at) {
    const char c = at < text.size() ? text[at] : ',';
    if (c == '(' || c == '[' || c == '{' || c == '<') ++depth;
    if (c == ')' || c == ']' || c == '}' || c == '>') --depth;
    if (at < text.size() && (c != ',' || depth > 0)) continue;
    out.push_back(without_blanks(text.substr(begin, at - begin)));
    begin = at + 1;
  }
  if (out.size() == 1 && (out.front().empty() || out.front() == "void")) out.clear();
  return out;
}

Declaration declaration(std::string_view text) {
  Declaration out;
  text = without_blanks(text.substr(0, std::min(text.find('='), text.size())));
  for (size_t at = text.find('['); at != std::string_view::npos; at = text.find('[', at)) {
    const size_t end = behind_bracket(text, at);
    if (end == std::string_view::npos) return out;
    out.dimensions.emplace_back(without_blanks(text.substr(at + 1, end - at - 2)));
    at = end;
  }
  text = without_blanks(text.substr(0, std::min(text.find('['), text.size())));
  size_t begin = text.size();
  while (begin > 0 && is_name_part(text[begin - 1])) --begin;
  out.name = std::string(text.substr(begin));
  out.type = std::string(without_blanks(text.substr(0, begin)));
  return out;
}

/// "scale", or in a macro "tiled_##TILE", whose parts may stand for others.
bool is_pattern_of(std::string_view pattern, std::string_view name) {
  const size_t joint = pattern.find("##");
  if (joint == std::string_view::npos) return without_blanks(pattern) == name;
  const std::string_view first = without_blanks(pattern.substr(0, joint)), rest = pattern.substr(joint + 2);
  if (!first.empty() && name.starts_with(first) && name.size() > first.size()) return true;
  for (size_t at = 1; at < name.size(); ++at)
    if (is_pattern_of(rest, name.substr(at))) return true;
  return false;
}

/// Behind `__global__`: where the list of parameters begins, and the name before it.
std::optional<std::pair<size_t, std::string_view>> parameter_list(std::string_view text, size_t at) {
  for (; at < text.size() && text[at] != ';' && text[at] != '{'; ++at) {
    if (text[at] != '(') continue;
    size_t end = at;
    while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == '\n')) --end;
    size_t begin = end;
    while (begin > 0 && (is_name_part(text[begin - 1]) || text[begin - 1] == '#')) --begin;
    const std::string_view name = text.substr(begin, end - begin);
    if (!name.starts_with("__")) return std::pair(at, name);
    at = behind_bracket(text, at);  // __launch_bounds__(256)
    if (at == std::string_view::npos) return std::nullopt;
    --at;
  }
  return std::nullopt;
}

void read_shared(std::string_view body, std::vector<Declaration>& out) {
  constexpr std::string_view kWord = "__shared__";
  for (size_t at = body.find(kWord); at != std::string_view::npos; at = body.find(kWord, at)) {
    at += kWord.size();
    std::string text(body.substr(at, std::min(body.find(';', at), body.size()) - at));
    for (std::string_view word : {"__align__", "alignas", "__attribute__"})
      if (size_t found = text.find(word); found != std::string::npos)
        if (size_t end = behind_bracket(text, found); end != std::string::npos) text.erase(found, end - found);
    std::string type;
    for (std::string_view part : split(text)) {
      Declaration one = declaration(part);
      if (type.empty()) type = one.type;
      else one.type = type + one.type;
      if (!one.name.empty()) out.push_back(std::move(one));
    }
  }
}

/// `#define NAME 16`, `constexpr int NAME = 16;`: a number that stands behind the name.
std::optional<double> constant(std::string_view source, std::string_view name) {
  for (size_t at = source.find(name); at != std::string_view::npos; at = source.find(name, at + 1)) {
    const bool is_whole = (at == 0 || !is_name_part(source[at - 1])) && at + name.size() < source.size() &&
                          !is_name_part(source[at + name.size()]);
    if (!is_whole) continue;
    const size_t line = source.rfind('\n', at) + 1;
    const bool is_macro = without_blanks(source.substr(line, at - line)) == "#define";
    std::string_view rest = source.substr(at + name.size());
    rest = rest.substr(std::min(rest.find_first_not_of(" \t"), rest.size()));
    if (!is_macro && (!rest.starts_with("=") || rest.starts_with("=="))) continue;
    if (!is_macro) rest = rest.substr(1);
    rest = without_blanks(rest.substr(0, std::min(rest.find_first_of("\n;,"), rest.size())));
    double number = 0;
    if (parse_number(rest, number) == NumberError::Ok) return number;
  }
  return std::nullopt;
}

std::vector<uint64_t> evaluated(const std::vector<std::string>& dimensions, uint64_t elements,
                                const ExpressionNames& names) {
  std::vector<uint64_t> out;
  uint64_t product = 1;
  for (const std::string& text : dimensions) {
    const Evaluated result = warptime::evaluate(text, names);
    const double* number = std::get_if<double>(&result.value);
    if (!result.error.empty() || number == nullptr || *number < 1 || *number > 1e9) return {};
    out.push_back(static_cast<uint64_t>(*number));
    product *= out.back();
    if (product > elements) return {};
  }
  return product == elements ? out : std::vector<uint64_t>{};
}

}  // namespace

std::vector<uint64_t> find_dimensions(const std::vector<std::string>& dimensions, uint64_t elements,
                                      std::string_view source) {
  constexpr int kMostTried = 1 << 14;
  std::set<std::string> unknown;
  std::map<std::string, double, std::less<>> known;
  for (const std::string& text : dimensions) {
    std::string error;
    size_t at = 0;
    for (const std::string& name : names_in(text, error, at))
      if (auto number = constant(source, name)) known[name] = *number;
      else unknown.insert(name);
    if (!error.empty()) return {};
  }
  auto names = [&](std::string_view name) -> std::optional<ExpressionValue> {
    auto found = known.find(name);
    return found == known.end() ? std::nullopt : std::optional<ExpressionValue>(found->second);
  };
  if (unknown.empty()) return evaluated(dimensions, elements, names);
  if (unknown.size() > 1) return {};
  for (int value = 1; value <= kMostTried; ++value) {
    known[*unknown.begin()] = value;
    if (auto out = evaluated(dimensions, elements, names); !out.empty()) return out;
  }
  return {};
}

KernelDeclarations find_kernel_declarations(std::string_view source, std::string_view kernel, size_t parameters) {
  constexpr std::string_view kWord = "__global__";
  KernelDeclarations out{.text = cleaned(source)};
  const std::string_view text = out.text;
  for (size_t at = text.find(kWord); at != std::string_view::npos; at = text.find(kWord, at + 1)) {
    const auto list = parameter_list(text, at + kWord.size());
    if (!list || !is_pattern_of(list->second, kernel)) continue;
    const size_t end = behind_bracket(text, list->first);
    if (end == std::string_view::npos) continue;
    const std::vector<std::string_view> parts = split(text.substr(list->first + 1, end - list->first - 2));
    if (parts.size() != parameters) continue;
    const size_t body = text.find_first_not_of(" \t\r\n", end);
    if (body == std::string_view::npos || text[body] != '{') continue;  // a declaration
    for (std::string_view part : parts) out.parameters.push_back(declaration(part));
    read_shared(text.substr(body, behind_bracket(text, body) - body), out.shared);
    break;
  }
  read_shared(text, out.shared);  // of functions that are inlined
  return out;
}

namespace {

/// Adds what one file declares of a kernel.
class FileNames {
 public:
  FileNames(const KernelNames& names, CTypes& types, std::vector<CVariable>& variables)
      : names_(names), kernel_(names.kernel()), types_(types), variables_(variables) {}

  void add_parameters(const KernelDeclarations& found) {
    if (found.parameters.empty() || has_parameters_) return;
    has_parameters_ = true;
    for (size_t i = 0; i < found.parameters.size(); ++i) {
      const Declaration& declared = found.parameters[i];
      const ptx::Symbol& symbol = kernel_.symbols[kernel_.parameters[i]];
      uint32_t type = types_.named(declared.type + (declared.dimensions.empty() ? "" : "*"), address_bytes());
      // A type of a template, or of the user: the one of PTX, if the parameter is one number.
      if (types_[type].bytes != symbol.size && ptx::bytes(symbol.type) == symbol.size && symbol.size > 1)
        type = types_.add(
            {.kind = CType::Kind::Scalar, .name = declared.type, .scalar = symbol.type, .bytes = symbol.size});
      if (type == 0) type = types_.add({.name = declared.type, .bytes = symbol.size});
      add(declared.name, type, symbol, names_.line_range());
    }
  }

  void add_shared(const KernelDeclarations& found) {
    for (const Declaration& declared : found.shared) {
      const ptx::Symbol* symbol = names_.find_symbol(declared.name);
      if (symbol == nullptr || symbol->space != ptx::Space::Shared || !added_.insert(declared.name).second) continue;
      uint32_t type = types_.named(declared.type, address_bytes());
      if (types_[type].bytes == 0) {
        const ptx::Type element = ptx::element_type(kernel_, *symbol);
        type = types_.add(
            {.kind = CType::Kind::Scalar, .name = declared.type, .scalar = element, .bytes = ptx::bytes(element)});
      }
      if (!declared.dimensions.empty()) {
        const uint64_t elements = symbol->size / types_[type].bytes;
        std::vector<uint64_t> dimensions = find_dimensions(declared.dimensions, elements, found.text);
        if (dimensions.empty()) dimensions = {elements};
        for (auto dimension = dimensions.rbegin(); dimension != dimensions.rend(); ++dimension)
          type = types_.array_of(type, *dimension);
      }
      add(declared.name, type, *symbol, {0, ~0u});
    }
  }

 private:
  uint64_t address_bytes() const { return names_.module().address_bytes; }
  void add(const std::string& name, uint32_t type, const ptx::Symbol& symbol, LineRange lines) {
    if (!name.empty())
      variables_.push_back({.name = name,
                            .type = type,
                            .begin = lines.begin,
                            .end = lines.end,
                            .is_parameter = symbol.space == ptx::Space::Param,
                            .places = {{.space = symbol.space, .address = symbol.offset}}});
  }

  const KernelNames& names_;
  const ptx::Kernel& kernel_;
  CTypes& types_;
  std::vector<CVariable>& variables_;
  std::set<std::string> added_;
  bool has_parameters_ = false;
};

}  // namespace

void add_source_names(const KernelNames& names, CTypes& types, std::vector<CVariable>& variables) {
  std::string name = ptx::short_name(names.kernel().name);
  name = name.substr(0, name.find('<'));
  FileNames to(names, types, variables);
  names.for_each_source([&](std::string_view text) {
    const KernelDeclarations found = find_kernel_declarations(text, name, names.kernel().parameters.size());
    to.add_parameters(found);
    to.add_shared(found);
  });
}

}  // namespace warptime::debug
