// Initial values of variables (PTX ISA 9.0, 5.4.4): numbers and addresses of other variables, nested braces per
// dimension; what is left out is zero.
#include <bit>

#include "ptx/syntax/constant_expression.h"
#include "ptx/syntax/declaration.h"

namespace warptime::ptx {

namespace {

class InitialiserParser {
 public:
  InitialiserParser(FrontEnd& fe, std::vector<uint64_t>& dimensions, Symbol& symbol)
      : fe_(fe), tokens_(fe.tokens), dimensions_(dimensions), symbol_(symbol) {}

  bool parse() {
    if (!tokens_.now().is('{')) return element(0);
    uint64_t elements = 0;
    if (dimensions_.empty()) {  // a number in braces
      tokens_.take();
      return element(0) && tokens_.expect('}', "after the value");
    }
    if (!list(0, 0, &elements)) return false;
    if (dimensions_[0] == 0) {
      uint64_t row = stride(0);
      dimensions_[0] = std::max<uint64_t>(1, (elements + row - 1) / row);
    }
    return true;
  }

 private:
  /// Elements in one item of a dimension.
  uint64_t stride(size_t dimension) const {
    uint64_t count = 1;
    for (size_t d = dimension + 1; d < dimensions_.size(); ++d)
      if (__builtin_mul_overflow(count, dimensions_[d], &count)) return ~uint64_t{0};
    return count;
  }

  /// { item, item, ... } of a dimension, from element `base` on; *end: behind the last one. As in C, inner braces may
  /// be left out.
  bool list(size_t dimension, uint64_t base, uint64_t* end) {
    tokens_.take();
    uint64_t row = stride(dimension), at = base;
    bool open = dimensions_[dimension] == 0;
    uint64_t limit = 0;
    if (open || __builtin_mul_overflow(row, dimensions_[dimension], &limit) ||
        __builtin_add_overflow(limit, base, &limit))
      limit = uint64_t{1} << 40;
    while (!tokens_.now().is('}')) {
      if (tokens_.at_end()) return tokens_.expected("'}' after the initialiser");
      if (at >= limit)
        return tokens_.error(tokens_.span(), fmt::format("too many initialisers for \"{}\"", symbol_.name));
      if (tokens_.now().is('{')) {
        if (dimension + 1 >= dimensions_.size())
          return tokens_.error(tokens_.span(),
                               fmt::format("too many braces in the initialiser of \"{}\"", symbol_.name));
        at = base + (at - base + row - 1) / row * row;
        uint64_t inner_end = 0;
        if (!list(dimension + 1, at, &inner_end)) return false;
        at += row;
      } else {
        if (!element(at)) return false;
        ++at;
      }
      if (!tokens_.accept(',')) break;
    }
    *end = at;
    return tokens_.expect('}', "after the initialiser");
  }

  bool element(uint64_t index) {
    if (tokens_.now().kind == TokenKind::Identifier && tokens_.text() != "WARP_SZ") return address(index);
    uint32_t begin = tokens_.now().begin;
    Constant constant;
    if (!parse_constant(tokens_, &constant)) return false;
    SourceSpan where = tokens_.span(begin, tokens_.before().end());
    if (tokens_.now().is('(')) return masked_address(index, constant, where);
    Converted value = convert(constant, symbol_.type);
    if (!value.ok)
      return tokens_.error(where, fmt::format("\"{}\" {}", tokens_.text(begin, tokens_.before().end()), value.why));
    if (value.truncated)
      tokens_.warning(where, fmt::format("\"{}\" does not fit in .{} and is cut",
                                         tokens_.text(begin, tokens_.before().end()), name(symbol_.type)));
    return write(index, value.bits, where);
  }

  bool write(uint64_t index, uint64_t bits, SourceSpan where) {
    uint64_t size = bytes(symbol_.type), at = index * size;
    if (at + size > (uint64_t{256} << 20)) return tokens_.error(where, "this initialiser is larger than 256 MiB");
    if (symbol_.initial.size() < at + size) symbol_.initial.resize(at + size);
    for (uint64_t i = 0; i < size && i < 8; ++i) symbol_.initial[at + i] = static_cast<std::byte>(bits >> (8 * i));
    return true;
  }

  /// 0xFF00(address): one of its bytes (PTX ISA 9.0, 5.4.4).
  bool masked_address(uint64_t index, const Constant& mask, SourceSpan where) {
    uint64_t lowest = mask.is_integer() ? mask.bits & (~mask.bits + 1) : 0;
    if (lowest == 0 || mask.bits != lowest * 0xff || std::countr_zero(lowest) % 8 != 0)
      return tokens_.error(where, "the mask of an address is one byte: 0xFF, 0xFF00, 0xFF0000 and so on");
    tokens_.take();
    if (tokens_.now().kind != TokenKind::Identifier) return tokens_.expected("the name of a variable");
    return address(index, mask.bits) && tokens_.expect(')', "after the address");
  }

  /// name, name + constant, generic(name), generic(name) + constant.
  bool address(uint64_t index, uint64_t mask = ~uint64_t{0}) {
    Token token = tokens_.take();
    bool generic = tokens_.text(token) == "generic" && tokens_.now().is('(');
    if (generic) {
      tokens_.take();
      if (tokens_.now().kind != TokenKind::Identifier) return tokens_.expected("the name of a variable");
      token = tokens_.take();
      if (!tokens_.expect(')', "after generic(")) return false;
    }
    std::string_view text = tokens_.text(token);
    const Binding& binding = fe_.names.find(fe_.names.intern(text));
    if (binding.kind == Binding::Kind::None)
      return tokens_.error(tokens_.span(token), fmt::format("\"{}\" is not declared", text),
                           did_you_mean(text, fe_.names.visible()));
    bool is_function = binding.kind == Binding::Kind::DeviceFunction || binding.kind == Binding::Kind::Function;
    Space space = is_function                                   ? Space::Global
                  : binding.kind == Binding::Kind::ModuleSymbol ? fe_.module.symbols[binding.index].space
                                                                : Space::None;
    if (space != Space::Global && space != Space::Const)
      return tokens_.error(tokens_.span(token), fmt::format("\"{}\" has no address that an initialiser can hold", text),
                           "only .global and .const variables, device functions and kernels have one");
    uint32_t width = bits(symbol_.type);
    bool number = info(symbol_.type).kind != TypeKind::Float && (~mask != 0 || width == 32 || width == 64);
    if (!number)
      return tokens_.error(tokens_.span(token), fmt::format("an address does not fit in .{}", name(symbol_.type)));
    Constant addend = Constant::of(int64_t{0});
    if (tokens_.accept('+') || tokens_.now().is('-'))
      if (!parse_constant(tokens_, &addend)) return false;
    if (!addend.is_integer()) return tokens_.error(tokens_.span(tokens_.before()), "an offset must be an integer");
    uint32_t target = is_function ? fe_.addressed_function(binding, text) : binding.index;
    symbol_.relocations.push_back({index * bytes(symbol_.type), target, static_cast<int64_t>(addend.bits), generic,
                                   static_cast<uint8_t>(bytes(symbol_.type)), is_function, mask});
    return write(index, 0, tokens_.span(token));
  }

  FrontEnd& fe_;
  TokenStream& tokens_;
  std::vector<uint64_t>& dimensions_;
  Symbol& symbol_;
};

}  // namespace

bool parse_initialiser(FrontEnd& fe, std::vector<uint64_t>& dimensions, Symbol& symbol) {
  return InitialiserParser(fe, dimensions, symbol).parse();
}

}  // namespace warptime::ptx
