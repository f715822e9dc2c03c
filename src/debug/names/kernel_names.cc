#include "debug/names/kernel_names.h"

#include <algorithm>
#include <filesystem>

#include "ptx/analysis/register_uses.h"
#include "ptx/user/demangle.h"
#include "ptx/user/user_lines.h"

namespace warptime::debug {

using ptx::kNoIndex;

namespace {

std::string_view base_name(std::string_view path) { return path.substr(path.find_last_of("/\\") + 1); }

/// The intervals from a register's first mention to its last, as the rows were assigned by (of loops the whole loop).
std::vector<ptx::LiveInterval> intervals_of(const ptx::Kernel& kernel) {
  std::vector<ptx::LiveInterval> out = ptx::find_liveness(kernel).intervals;
  out.resize(kernel.registers.size());
  for (uint32_t pc = kernel.own_instructions; pc < kernel.instructions.size(); ++pc)
    ptx::for_each_register(kernel, kernel.instructions[pc], [&](uint32_t reg, bool) { out[reg].cover(pc); });
  return out;
}

}  // namespace

KernelNames::KernelNames(const sim::CompiledKernel& kernel)
    : compiled_(&kernel), sources_(*kernel.module->source), uses_(intervals_of(*kernel.kernel)) {
  const ptx::Kernel& k = *kernel.kernel;
  known_.resize(k.registers.size());
  find_first_uses();
  find_types();
  for (uint32_t reg = 0; reg < k.registers.size(); ++reg) {
    uint32_t row = k.rows.row_of[reg];
    rows_.push_back(k.registers[reg].type == ptx::Type::Pred ? sim::RowRef{row} : sim::RowRef{row * sim::kRowBytes});
  }
  for (const sim::KnownRegister& known : kernel.known) {
    rows_[known.reg] = known.row;
    known_[known.reg] = true;
  }
}

void KernelNames::find_first_uses() {
  const ptx::Kernel& k = kernel();
  read_first_.resize(k.registers.size());
  for (const ptx::LiveInterval& use : uses_) home_.push_back(use.begin);
  for (uint32_t pc = 0; pc < k.instructions.size(); ++pc)
    ptx::for_each_register(k, k.instructions[pc], [&](uint32_t reg, bool written) {
      if (uses_[reg].begin == pc && !written) read_first_[reg] = true;
    });
  // Calls write the arguments.
  for (const ptx::LinkedFunction& function : k.functions)
    for (const ptx::Parameter& argument : function.arguments) {
      if (!argument.is_register) continue;
      home_[argument.index] = function.first_instruction;
      uses_[argument.index].cover(function.first_instruction);
      read_first_[argument.index] = true;
    }
}

void KernelNames::find_types() {
  const ptx::Kernel& k = kernel();
  for (const ptx::Register& reg : k.registers) shown_types_.push_back(reg.type);
  std::vector<bool> is_integer(k.registers.size(), false);
  for (const ptx::Operand& operand : k.operands) {
    if (operand.kind == ptx::Operand::Kind::Memory && operand.base == ptx::Operand::Base::Register)
      is_integer[operand.index] = true;
    if (operand.kind != ptx::Operand::Kind::Register || operand.type == ptx::Type::None) continue;
    const ptx::Type declared = k.registers[operand.index].type;
    if (ptx::info(declared).kind != ptx::TypeKind::Bits || ptx::bytes(declared) != ptx::bytes(operand.type)) continue;
    const ptx::TypeKind kind = ptx::info(operand.type).kind;
    if (kind == ptx::TypeKind::Float) shown_types_[operand.index] = operand.type;
    if (kind == ptx::TypeKind::Signed || kind == ptx::TypeKind::Unsigned) is_integer[operand.index] = true;
  }
  for (size_t reg = 0; reg < is_integer.size(); ++reg)
    if (is_integer[reg]) shown_types_[reg] = k.registers[reg].type;
}

Line KernelNames::ptx_line(uint32_t pc) const {
  if (kernel().instructions.empty()) return {};
  return {0, kernel().instructions[std::min<size_t>(pc, kernel().instructions.size() - 1)].line};
}

Line KernelNames::cuda_line(uint32_t pc) const {
  if (pc >= kernel().instructions.size()) return {};
  const ptx::Instruction& i = kernel().instructions[pc];
  return {i.source_file, i.source_line};
}

bool KernelNames::has_cuda_source() {
  if (!has_cuda_) {
    has_cuda_ = false;
    for (uint32_t pc = 0; pc < kernel().instructions.size() && !*has_cuda_; ++pc)
      if (Line line = cuda_line(pc); line.number != 0) {
        has_cuda_ = line_count(line.file) != 0;
        break;
      }
  }
  return *has_cuda_;
}

std::vector<uint32_t> KernelNames::places(Line& line) const {
  auto at = [&](uint32_t pc) { return line.file == 0 ? ptx_line(pc) : cuda_line(pc); };
  uint32_t nearest = kNoIndex;
  for (uint32_t pc = 0; pc < kernel().instructions.size(); ++pc)
    if (Line l = at(pc); l.file == line.file && l.number >= line.number && l.number != 0)
      nearest = std::min(nearest, l.number);
  std::vector<uint32_t> out;
  if (nearest == kNoIndex) return out;
  line.number = nearest;
  for (uint32_t pc = 0; pc < kernel().instructions.size(); ++pc)
    if (at(pc) == line && (pc == 0 || at(pc - 1) != line)) out.push_back(pc);
  return out;
}

std::optional<uint32_t> KernelNames::find_file(std::string_view name) const {
  // Either may be given with fewer of its folders.
  auto ends_with = [](std::string_view path, std::string_view end) {
    return path.ends_with(end) && path.size() > end.size() && path[path.size() - end.size() - 1] == '/';
  };
  auto is_named = [&](std::string_view path) {
    return !name.empty() && !path.empty() && (path == name || ends_with(path, name) || ends_with(name, path));
  };
  if (is_named(module().source->name())) return 0;
  for (uint32_t file = 1; file < module().files.size(); ++file)
    if (is_named(module().files[file])) return file;
  // By another path to the same file: the source may have been found elsewhere than where it was compiled.
  std::error_code none;
  const std::filesystem::path path = name;
  for (uint32_t file = 0; file < std::max<size_t>(1, module().files.size()); ++file)
    if (std::filesystem::equivalent(path_of(file), path, none) && !none) return file;
  return std::nullopt;
}

std::string KernelNames::file_name(uint32_t file) const {
  return std::string(base_name(file == 0 ? module().source->name() : module().files[file]));
}

std::string KernelNames::path_of(uint32_t file) const {
  if (file == 0) return module().source->name();
  auto text = sources_.file(module().files[file]);
  return text == nullptr ? module().files[file] : text->name();
}

std::string_view KernelNames::text_of(Line line) {
  if (line.file != 0) return sources_.line(module().files[line.file], line.number);
  return line.number == 0 || line.number > module().source->line_count() ? std::string_view()
                                                                         : module().source->line(line.number);
}

uint32_t KernelNames::line_count(uint32_t file) {
  if (file == 0) return module().source->line_count();
  auto text = sources_.file(module().files[file]);
  return text == nullptr ? 0 : text->line_count();
}

std::string KernelNames::function_of(uint32_t pc) const {
  const ptx::LinkedFunction* function = pc < kernel().instructions.size() ? kernel().function_of(pc) : nullptr;
  return ptx::short_name(function == nullptr ? kernel().name : module().functions[function->function].name);
}

std::string KernelNames::instruction_text(uint32_t pc) const {
  if (pc >= kernel().instructions.size()) return "exit;";
  return ptx::to_text(module(), kernel(), kernel().instructions[pc]);
}

bool KernelNames::in_same_function(uint32_t a, uint32_t b) const {
  auto last = static_cast<uint32_t>(kernel().instructions.size()) - 1;
  return kernel().function_of(std::min(a, last)) == kernel().function_of(std::min(b, last));
}

std::optional<uint32_t> KernelNames::find_register(std::string_view name, uint32_t pc) const {
  std::optional<uint32_t> first, mentioned;
  for (uint32_t reg = 0; reg < kernel().registers.size(); ++reg) {
    if (kernel().registers[reg].name != name) continue;
    if (!first) first = reg;
    if (uses_[reg].begin == kNoIndex) continue;
    if (in_same_function(home_[reg], pc)) return reg;
    if (!mentioned) mentioned = reg;
  }
  return mentioned ? mentioned : first;
}

bool KernelNames::has_value(uint32_t reg, uint32_t pc) const {
  const ptx::LiveInterval& own = uses_[reg];
  if (own.begin == kNoIndex || pc < own.begin) return false;
  if (pc == own.begin) return read_first_[reg];
  if (known_[reg] || pc <= own.end) return true;
  // Its last use is over; until another register takes the row, the value is still there.
  const bool predicate = kernel().registers[reg].type == ptx::Type::Pred;
  for (uint32_t other = 0; other < kernel().registers.size(); ++other)
    if (other != reg && uses_[other].begin != kNoIndex && uses_[other].begin >= own.end && uses_[other].begin < pc &&
        (kernel().registers[other].type == ptx::Type::Pred) == predicate &&
        kernel().rows.row_of[other] == kernel().rows.row_of[reg])
      return false;
  return true;
}

uint32_t KernelNames::scoreboard_slot(uint32_t reg) const {
  uint32_t row = kernel().rows.row_of[reg];
  return kernel().registers[reg].type == ptx::Type::Pred ? compiled_->rows + row : row;
}

bool KernelNames::writes(uint32_t pc, uint32_t reg) const {
  bool found = false;
  if (pc < kernel().instructions.size())
    ptx::for_each_register(kernel(), kernel().instructions[pc],
                           [&](uint32_t of, bool written) { found |= written && of == reg; });
  return found;
}

std::vector<uint32_t> KernelNames::registers_at(uint32_t pc) const {
  std::vector<uint32_t> out;
  for (uint32_t reg = 0; reg < kernel().registers.size(); ++reg)
    if (has_value(reg, pc) && in_same_function(home_[reg], pc)) out.push_back(reg);
  return out;
}

std::vector<std::string> KernelNames::calls(uint32_t pc) const {
  if (pc >= kernel().instructions.size()) return {};
  return ptx::UserLines(module()).of(kernel().instructions[pc].location).calls;
}

std::string KernelNames::kernel_name() const { return ptx::demangled(kernel().name); }

const CNames& KernelNames::c_names() const {
  if (c_names_ == nullptr) c_names_ = std::make_unique<CNames>(*this);
  return *c_names_;
}

LineRange KernelNames::line_range() const {
  LineRange out{~0u, 0};
  for (uint32_t pc = 0; pc < kernel().own_instructions; ++pc) {
    out.begin = std::min(out.begin, kernel().instructions[pc].line);
    out.end = std::max(out.end, kernel().instructions[pc].line + 1);
  }
  return out.end == 0 ? LineRange{} : out;
}

void KernelNames::for_each_source(const std::function<void(std::string_view text)>& f) const {
  std::vector<std::string> files;
  for (const std::string& file : module().files)
    if (!file.empty() && !ptx::is_toolkit_file(file)) files.push_back(file);
  if (files.empty()) {
    const std::string_view own = base_name(module().source->name());
    files.push_back(std::string(own.substr(0, own.rfind('.'))) + ".cu");
  }
  for (const std::string& file : files)
    if (auto text = sources_.file(file); text != nullptr) f(text->text());
}

const ptx::Symbol* KernelNames::find_symbol(std::string_view name) const {
  for (const auto* symbols : {&kernel().symbols, &module().symbols})
    for (const ptx::Symbol& symbol : *symbols)
      if (symbol.name == name) return &symbol;
  for (const auto* symbols : {&kernel().symbols, &module().symbols})
    for (const ptx::Symbol& symbol : *symbols)
      if (ptx::short_name(symbol.name) == name) return &symbol;
  return nullptr;
}

}  // namespace warptime::debug
