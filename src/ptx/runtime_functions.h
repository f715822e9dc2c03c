// Functions that device code calls and no module defines: the driver supplies them ("System Calls" of NVIDIA's PTX
// Writer's Guide to Interoperability). The next one is one row here and one case in sim/state/runtime_calls.cc. A
// definition of the same name in the module takes precedence.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "ptx/module.h"

namespace warptime::ptx {

enum class RuntimeFunction : uint8_t { Printf, AssertFail, Malloc, Free };

struct RuntimeFunctionRow {
  RuntimeFunction function;
  std::string_view name;
  // One letter per value: w is 32 bits wide, a as wide as an address of the module.
  std::string_view results;
  std::string_view arguments;
  bool uses_heap;
  std::string_view what;
};

inline constexpr std::array kRuntimeFunctions{
    RuntimeFunctionRow{RuntimeFunction::Printf, "vprintf", "w", "aa", false, "formatted output: format, arguments"},
    RuntimeFunctionRow{RuntimeFunction::AssertFail, "__assertfail", "", "aawaa", false,
                       "a failed assertion: message, file, line, function, bytes per character"},
    RuntimeFunctionRow{RuntimeFunction::Malloc, "malloc", "a", "a", true, "memory of the device heap: bytes"},
    RuntimeFunctionRow{RuntimeFunction::Free, "free", "", "a", true, "memory back to the device heap: its address"}};

/// Bytes of a value by its letter.
constexpr uint32_t bytes_of(char width, uint8_t address_bytes) { return width == 'a' ? address_bytes : 4; }

/// The feature that a machine needs for any of them.
inline constexpr Feature kRuntimeFeature = Feature::DeviceRuntime;

/// nullptr: there is none of this name.
const RuntimeFunctionRow* find_runtime_function(std::string_view name);
/// The row of a function that the module only declares. nullptr: it is defined, or has another name or signature.
const RuntimeFunctionRow* runtime_function(const Module& module, const Kernel& function);
/// The declaration that a module with such addresses has, as PTX.
std::string declaration_text(const RuntimeFunctionRow& row, uint8_t address_bytes);

/// A call of a function that is only declared, and no function of the runtime.
Diagnostic undefined_function(const Module& module, const Kernel& function, SourceSpan call);

/// Why a kernel cannot run on any machine: what is not supported, and functions that are missing.
std::vector<Diagnostic> why_not_runnable(const Module& module, const Kernel& kernel);

}  // namespace warptime::ptx
