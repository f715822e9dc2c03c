// The names of a kernel for a debugger: lines of PTX and of CUDA, registers, variables. A register shares its row with
// others whose live ranges it does not meet (ptx::RegisterRows), so it has its value only between its first and its
// last use.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "debug/names/c_names.h"
#include "ptx/analysis/liveness.h"
#include "ptx/user/cuda_sources.h"
#include "sim/decode/compiled_kernel.h"

namespace warptime::debug {

/// A line of the PTX text (file 0) or of a file that it names (.loc).
struct Line {
  uint32_t file = 0;  // index in ptx::Module::files
  uint32_t number = 0;
  bool operator==(const Line&) const = default;
};

/// Lines of the PTX text: [begin, end).
struct LineRange {
  uint32_t begin = 0, end = 0;
};

class KernelNames {
 public:
  explicit KernelNames(const sim::CompiledKernel& kernel);

  const sim::CompiledKernel& compiled() const { return *compiled_; }
  const ptx::Kernel& kernel() const { return *compiled_->kernel; }
  const ptx::Module& module() const { return *compiled_->module; }

  // ---- Lines
  Line ptx_line(uint32_t pc) const;
  /// number 0: no .loc
  Line cuda_line(uint32_t pc) const;
  /// Whether its CUDA source is on this host, so that stepping goes by its lines.
  bool has_cuda_source();
  /// The line of stepping.
  Line line_of(uint32_t pc) { return has_cuda_source() && cuda_line(pc).number != 0 ? cuda_line(pc) : ptx_line(pc); }
  /// Where the statements of this line begin, in the order of the code. If it has none: those of the next line that
  /// has, whose number is then in `line`.
  std::vector<uint32_t> places(Line& line) const;
  /// The file with this name, or the end of a path; 0 is the PTX text, which is also called by its own name.
  std::optional<uint32_t> find_file(std::string_view name) const;
  std::string file_name(uint32_t file) const;  // without its folders
  /// Where the file is on this host, or else its name.
  std::string path_of(uint32_t file) const;
  /// Empty if the file or the line is not there.
  std::string_view text_of(Line line);
  uint32_t line_count(uint32_t file);
  /// "tiled_16", or the device function's name, without namespaces and parameters.
  std::string function_of(uint32_t pc) const;
  /// The kernel's, demangled.
  std::string kernel_name() const;
  /// All places of an instruction that was inlined, the innermost first; empty: it was not.
  std::vector<std::string> calls(uint32_t pc) const;
  std::string instruction_text(uint32_t pc) const;

  // ---- Registers
  /// The register of this name ("%r1") that the code around `pc` uses.
  std::optional<uint32_t> find_register(std::string_view name, uint32_t pc) const;
  /// The type of its values: as it is declared, but of a .b32 or .b64 register that instructions use as a float, and
  /// none as an integer, that float's.
  ptx::Type shown_type(uint32_t reg) const { return shown_types_[reg]; }
  /// Where its values are; of a predicate `bits` is its number.
  sim::RowRef row_of(uint32_t reg) const { return rows_[reg]; }
  /// Whether it has its value before the instruction at `pc` executes.
  bool has_value(uint32_t reg, uint32_t pc) const;
  /// The slot of the scoreboard.
  uint32_t scoreboard_slot(uint32_t reg) const;
  /// Whether the instruction writes it.
  bool writes(uint32_t pc, uint32_t reg) const;
  /// Registers that have a value at `pc`, by name.
  std::vector<uint32_t> registers_at(uint32_t pc) const;

  /// A variable of the kernel or of the module, by the name in the PTX or its own ("tile" for _ZZ5scalePKfE4tile).
  const ptx::Symbol* find_symbol(std::string_view name) const;

  // ---- Variables of C
  /// Read when they are asked for the first time.
  const CNames& c_names() const;
  /// The lines of the kernel's own code, without the functions that it calls.
  LineRange line_range() const;
  /// Calls f(text) for each file of the user's that the code comes from, as far as it is on this host. If the PTX names
  /// no file, for the .cu file of its own name.
  void for_each_source(const std::function<void(std::string_view text)>& f) const;

 private:
  void find_first_uses();
  void find_types();
  bool in_same_function(uint32_t a, uint32_t b) const;

  const sim::CompiledKernel* compiled_;
  mutable ptx::CudaSources sources_;  // reads files when they are asked for
  std::vector<sim::RowRef> rows_;     // by register
  std::vector<ptx::Type> shown_types_;
  std::vector<bool> known_;  // by register: it has its value all the time
  std::vector<ptx::LiveInterval> uses_;
  std::vector<uint32_t> home_;    // by register: an instruction of the function that it belongs to
  std::vector<bool> read_first_;  // by register: it has a value before its first use
  std::optional<bool> has_cuda_;
  mutable std::unique_ptr<CNames> c_names_;
};

}  // namespace warptime::debug
