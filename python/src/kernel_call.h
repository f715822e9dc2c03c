// A kernel of a PTX text, launched once on memory that the caller owns (NumPy arrays, say): device buffers get its
// bytes before the launch and write them back after it, without a copy in between.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/run/run_target.h"
#include "host/device/device.h"
#include "ptx/module.h"

namespace warptime::python {

/// Host memory as a device buffer.
struct ArrayData {
  std::string name;  // "args[2]"
  std::span<std::byte> bytes;
  bool writable = true;  // gets the buffer's bytes after the launch
};

/// A number without a type: it gets that of its parameter.
struct Number {
  std::variant<std::string, double> value;  // the digits of a whole number, or a floating-point number
};
struct TypedNumber {
  ptx::Type type = ptx::Type::None;
  uint64_t bits = 0;
};
struct ArrayIndex {
  size_t index = 0;  // in KernelCall::arrays
};
using CallArgument = std::variant<Number, TypedNumber, std::vector<std::byte>, ArrayIndex, host::Buffer>;

struct KernelCall {
  std::shared_ptr<const SourceText> module;
  std::string kernel;  // "": the module's only one
  host::Dim3 grid, block;
  uint32_t shared_bytes = 0, registers = 0;
  std::vector<CallArgument> arguments;
  std::vector<ArrayData> arrays;                                        // allocated in this order
  std::vector<std::pair<std::string, std::vector<std::byte>>> symbols;  // module-scope variables to fill
};

/// The call as a target, as `warptime run x.ptx` has one.
std::unique_ptr<cli::Target> target_of(KernelCall call);

/// The kernel of this name; "": the module's only one. Throws host::InputError, also if it cannot run.
const ptx::Kernel& find_kernel(const ptx::Module& module, const std::string& file, const std::string& name);
/// The arguments for a launch; numbers get the types of their parameters. Throws host::InputError.
std::vector<host::Argument> arguments_of(const ptx::Kernel& kernel, const std::vector<CallArgument>& given,
                                         const std::vector<host::Buffer>& arrays);

/// A kernel of a module, as warptime.kernels() describes it.
struct KernelDescription {
  std::string name;
  std::vector<std::pair<std::string, std::string>> parameters;  // name and type: "u32"; "b8[12]" of a struct
  uint32_t registers = 0, shared_bytes = 0, local_bytes = 0;
  std::string unsupported;  // diagnostics: why it cannot run; empty: it can
};
/// The kernels of every module in the file. Throws host::InputError with every diagnostic of a module.
std::vector<KernelDescription> kernels_of(const std::shared_ptr<const SourceText>& file);

}  // namespace warptime::python
