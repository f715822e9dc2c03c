#include "ptx/user/variables.h"

#include <fmt/format.h>

#include "ptx/user/demangle.h"

namespace warptime::ptx {

std::string element_text(std::string_view name, uint64_t offset, uint64_t bytes, uint32_t element) {
  const std::string own = short_name(name);
  if (element == 0 || offset % element != 0) return fmt::format("byte {} of {}", offset, own);
  if (offset == 0 && bytes != 0 && bytes <= element) return own;
  return fmt::format("{}[{}]", own, offset / element);
}

const Symbol* variable_at(const Module& module, const Kernel& kernel, Space space, uint64_t address) {
  const Symbol* out = nullptr;
  for (const Symbol& symbol : space == Space::Const ? module.symbols : kernel.symbols) {
    if (symbol.space != space || address < symbol.offset) continue;
    if (symbol.size != 0 && address - symbol.offset < symbol.size) return &symbol;
    if (symbol.size == 0 && symbol.external) out = &symbol;
  }
  return out;
}

std::string variable_text(const Module& module, const Kernel& kernel, Space space, uint64_t address, Type accessed) {
  const Symbol* symbol = variable_at(module, kernel, space, address);
  if (symbol == nullptr) return {};
  // nvcc declares arrays as bytes; the access says what they are of.
  const uint32_t declared = bytes(symbol->type), reached = accessed == Type::None ? 0 : bytes(accessed);
  return element_text(symbol->name, address - symbol->offset, symbol->size, declared > 1 ? declared : reached);
}

}  // namespace warptime::ptx
