// The part of a kernel before its body.
#include <algorithm>
#include <array>
#include <utility>

#include "ptx/syntax/constant_expression.h"
#include "ptx/syntax/declaration.h"
#include "ptx/syntax/kernel_parser.h"

namespace warptime::ptx {

bool KernelParser::parse_header() {
  if (kernel_.is_entry) {
    if (tokens_.now().is('(') && !parse_parameter_list()) return false;
  } else {
    std::vector<ParameterText> arguments;
    if (!add_parameters(results_, kernel_.results)) return false;
    if (tokens_.now().is('(') && !parse_parameters(arguments, false)) return false;
    if (!add_parameters(arguments, kernel_.arguments)) return false;
  }
  if (!parse_tuning(kernel_.is_entry ? "a kernel" : "a function")) return false;
  if (tokens_.now().is(';') || tokens_.now().is('{')) return true;
  // A prototype ends with its list: CUDA 2.x writes no ';' behind it.
  if (!kernel_.is_entry && (tokens_.at_end() || begins_module_item())) return true;
  return tokens_.expected(fmt::format("'{{' before the body of the {}", kernel_.is_entry ? "kernel" : "function"));
}

bool KernelParser::parse_name() {
  if (!tokens_.at_new_name()) return tokens_.expected("the name of a kernel");
  Token token = tokens_.take();
  if (!tokens_.ends_name(token)) return false;
  std::string_view text = tokens_.text(token);  // names keep views of the source
  kernel_.name = text;
  kernel_.where = tokens_.span(token);
  Binding& binding = fe_.names.find(fe_.names.intern(text));
  uint32_t first = binding.place;
  if (binding.kind == Binding::Kind::Function) return true;  // a second body is an error where it begins
  Binding own{Binding::Kind::Function, 0, 1, Type::None, 0, token.begin};
  if (binding.kind != Binding::Kind::None || !fe_.names.declare(fe_.names.intern(text), own, &first))
    return fe_.redeclared(kernel_.where, kernel_.name, first);
  return true;
}

bool KernelParser::parse_parameter_list() {
  tokens_.take();
  has_parameter_list_ = true;
  if (tokens_.accept(')')) return true;
  do {
    if (!tokens_.accept_word(".param")) return tokens_.expected("\".param\"");
    if (!parse_entry_parameter()) return false;
  } while (tokens_.accept(','));
  return tokens_.expect(')', "after the parameters");
}

bool KernelParser::parse_entry_parameter() {
  DeclaredType type;
  Symbol symbol;
  if (!parse_declared_type(fe_, &type) || !parse_declarator(fe_, Space::Param, type, false, &symbol)) return false;
  if (symbol.variadic) return unknown_size(symbol, "give it a size");
  kernel_.parameters.push_back(static_cast<uint32_t>(kernel_.symbols.size()));
  kernel_.parameter_is_address.push_back(type.is_pointer);
  if (add_symbol(std::move(symbol))) return true;
  kernel_.parameters.pop_back();
  kernel_.parameter_is_address.pop_back();
  return false;
}

/// Whether a directive stands here that only stands outside of kernels and functions.
bool KernelParser::begins_module_item() const {
  static constexpr std::array kItems{
      std::string_view(".version"), std::string_view(".target"), std::string_view(".address_size"),
      std::string_view(".entry"),   std::string_view(".func"),   std::string_view(".visible"),
      std::string_view(".extern"),  std::string_view(".weak"),   std::string_view(".common"),
      std::string_view(".alias"),   std::string_view(".global"), std::string_view(".const"),
      std::string_view(".shared"),  std::string_view(".local"),  std::string_view(".reg"),
      std::string_view(".tex"),     std::string_view(".file"),   std::string_view(".section")};
  return tokens_.now().kind == TokenKind::Word &&
         std::find(kItems.begin(), kItems.end(), tokens_.text()) != kItems.end();
}

bool KernelParser::parse_numbers(std::string_view what, uint32_t* out, size_t most) {
  for (size_t i = 0; i < most; ++i) {
    uint64_t value = 0;
    if (!parse_integer(tokens_, what, 1, UINT32_MAX, &value)) return false;
    out[i] = static_cast<uint32_t>(value);
    if (i + 1 == most || !tokens_.accept(',')) {
      for (size_t rest = i + 1; rest < most; ++rest) out[rest] = 1;
      return true;
    }
  }
  return true;
}

bool KernelParser::parse_tuning(std::string_view whose) {
  static const std::vector<std::string_view> kKnown{
      ".maxntid",         ".reqntid",       ".maxnreg",      ".minnctapersm",         ".maxnctapersm",
      ".noreturn",        ".pragma",        ".abi_preserve", ".abi_preserve_control", ".reqnctapercluster",
      ".explicitcluster", ".maxclusterrank"};
  while (tokens_.now().kind == TokenKind::Word && (kernel_.is_entry || !begins_module_item())) {
    Token word = tokens_.take();
    std::string_view text = tokens_.text(word);
    uint32_t ignored = 0;
    bool ok = true;
    if (text == ".maxntid") {
      ok = parse_numbers(text, kernel_.max_threads, 3);
    } else if (text == ".reqntid") {
      ok = parse_numbers(text, kernel_.required_threads, 3);
    } else if (text == ".maxnreg") {
      ok = parse_numbers(text, &kernel_.max_registers, 1);
      kernel_.max_registers_where = tokens_.span(word);
    } else if (text == ".minnctapersm") {
      ok = parse_numbers(text, &kernel_.min_blocks, 1);
      kernel_.min_blocks_where = tokens_.span(word);
    } else if (text == ".maxnctapersm") {
      ok = parse_numbers(text, &ignored, 1);
    } else if (text == ".abi_preserve" || text == ".abi_preserve_control") {
      uint64_t count = 0;  // registers that a call leaves alone: here every function has its own
      ok = parse_integer(tokens_, text, 0, UINT32_MAX, &count);
    } else if (text == ".blocksareclusters") {
      tokens_.unsupported(tokens_.span(word), fmt::format("\"{}\" is not supported: a grid is counted in blocks", text),
                          "it came with PTX 9.0, for sm_90 and later");
    } else if (text == ".reqnctapercluster" || text == ".explicitcluster" || text == ".maxclusterrank") {
      if (fe_.module.target < 90 || fe_.module.version < 78)
        tokens_.unsupported(tokens_.span(word), fmt::format("\"{}\" needs .version 7.8 and .target sm_90", text));
      if (text == ".explicitcluster") kernel_.explicit_cluster = true;
      else if (text == ".maxclusterrank") ok = parse_numbers(text, &kernel_.max_cluster_blocks, 1);
      else ok = parse_numbers(text, kernel_.required_cluster, 3);
    } else if (text == ".pragma") {
      bool taken = false;
      ok = parse_debug_directive(fe_, word, &taken);
      keeps_loops_ |= std::exchange(fe_.saw_nounroll, false);
    } else if (text != ".noreturn") {
      return tokens_.error(tokens_.span(word), fmt::format("unknown directive \"{}\" of {}", text, whose),
                           did_you_mean(text, kKnown));
    }
    if (!ok) return false;
  }
  return true;
}

}  // namespace warptime::ptx
