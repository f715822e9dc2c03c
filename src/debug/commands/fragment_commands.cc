// info fragments: the registers of a product of matrices as the matrices that they are.
#include <fmt/format.h>

#include <algorithm>

#include "debug/commands/console.h"
#include "sim/exec/matrix_fragments.h"
#include "sim/exec/matrix_numbers.h"

namespace warptime::debug {

using ptx::Type;

namespace {

struct Fragments {
  char name;
  Type type;
  const std::vector<sim::RowRef>& registers;
  uint32_t rows, columns;
};

bool is_one_of(Type type, std::initializer_list<Type> types) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

std::string element_text(Type type, uint64_t bits) {
  if (is_one_of(type, {Type::F32, Type::F64, Type::S32})) return format_value({type, bits});
  if (is_one_of(type, {Type::F16, Type::BF16, Type::TF32, Type::E4M3, Type::E5M2}))
    return fmt::format("{:g}", value_of(sim::matrix_number(type, static_cast<uint32_t>(bits)), type));
  const uint32_t width = ptx::bits(type);
  const bool is_negative = is_one_of(type, {Type::S8, Type::S4}) && (bits >> (width - 1) & 1) != 0;
  return fmt::format("{}",
                     is_negative ? static_cast<int64_t>(bits) - (int64_t{1} << width) : static_cast<int64_t>(bits));
}

ptx::MatrixPlace place_of(const sim::FragmentLayout& layout, char matrix, uint32_t per_register,
                          ptx::FragmentPlace at) {
  if (matrix == 'a') return layout.a(per_register, at);
  return matrix == 'b' ? layout.b(per_register, at) : layout.c(per_register, at);
}

/// One product of the instruction as a table. `shows_lanes`: where elements are in place of what they are.
std::string table(const sim::WarpValues& values, const sim::FragmentLayout& layout, uint32_t product,
                  const Fragments& of, bool shows_lanes) {
  std::vector<std::string> cells(size_t{of.rows} * of.columns);
  const uint32_t per_register = ptx::elements_per_register(of.type);
  for (ptx::FragmentPlace at; at.lane < sim::kWarpSize; ++at.lane) {
    if (layout.quads && ptx::quad_of(at.lane) != product) continue;
    for (at.reg = 0; at.reg < of.registers.size(); ++at.reg)
      for (at.element = 0; at.element < per_register; ++at.element) {
        const ptx::MatrixPlace place = place_of(layout, of.name, per_register, at);
        std::string& cell = cells[size_t{place.row} * of.columns + place.column];
        if (!cell.empty()) continue;  // wmma has some elements twice
        if (!shows_lanes) cell = element_text(of.type, element_bits(values, of.registers[at.reg], of.type, at));
        else if (per_register == 1) cell = fmt::format("{}:{}", at.lane, at.reg);
        else cell = fmt::format("{}:{}.{}", at.lane, at.reg, at.element);
      }
    at.reg = at.element = 0;
  }
  size_t width = 1;
  for (const std::string& cell : cells) width = std::max(width, cell.size());
  std::string out;
  for (uint32_t row = 0; row < of.rows; ++row) {
    out += fmt::format("{:>4} ", row);
    for (uint32_t column = 0; column < of.columns; ++column)
      out += fmt::format(" {:>{}}", cells[size_t{row} * of.columns + column], width);
    out += "\n";
  }
  return out;
}

}  // namespace

void Console::info_fragments(std::string_view arguments) {
  auto lane = thread();
  if (!lane) return;
  std::string wanted;
  bool shows_lanes = false;
  while (!trimmed(arguments).empty()) {
    std::string_view word = take_word(arguments);
    if (word == "lanes") shows_lanes = true;
    else if (word.size() == 1 && std::string_view("abcd").find(word) != std::string_view::npos) wanted += word;
    else return print_(fmt::format("\"{}\" is not a matrix of a product: a, b, c or d, and `lanes`\n", word));
  }
  const sim::Insn& insn = debugger_->names().compiled().insns[lane->pc()];
  const sim::MatrixOperation* operation = insn.payload == sim::Payload::Matrix ? insn.matrix().operation : nullptr;
  if (operation == nullptr || operation->b.empty())
    return print_(
        fmt::format("{} is not a product of matrices in registers (mma, wmma.mma)\n", place_text(lane->pc())));
  const auto& [m, n, k] = operation->shape;
  const sim::FragmentLayout layout = fragment_layout(*operation);
  const uint32_t stored = operation->is_sparse ? k / 2 : k;
  const Fragments all[] = {{'a', operation->a_type, operation->a, m, stored},
                           {'b', operation->b_type, operation->b, k, n},
                           {'c', operation->c_type, operation->c, m, n},
                           {'d', operation->d_type, operation->d, m, n}};
  std::string out;
  for (const Fragments& fragments : all) {
    if (wanted.empty() ? fragments.name == 'd' : wanted.find(fragments.name) == std::string::npos) continue;
    for (uint32_t product = 0; product < layout.products(); ++product) {
      out += fmt::format("{}: {} x {} of .{}{}{}\n", fragments.name, fragments.rows, fragments.columns,
                         ptx::name(fragments.type),
                         fragments.name == 'a' && operation->is_sparse ? ", the elements that are stored" : "",
                         layout.quads ? fmt::format(", product {} of 4", product + 1) : "");
      out += table(lane->warp().values, layout, product, fragments, shows_lanes);
    }
  }
  print_(out);
}

}  // namespace warptime::debug
