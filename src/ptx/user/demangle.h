// Names as their authors wrote them: nvcc and clang mangle those of C++ (Itanium C++ ABI, chapter 5), and only the
// mangled ones stand in PTX.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ptx/module.h"

namespace warptime::ptx {

/// "scale(const float*, float*, int)" of _Z5scalePKfPfi; a name that is not mangled as it is.
std::string demangled(std::string_view name);

/// Without result, namespaces and parameters: "scale", "foo<float>", and of a variable in a function its own name.
std::string short_name(std::string_view name);

/// Whether a user may mean this name of PTX: it is this, or its demangled name is, with or without namespaces, template
/// arguments and parameters. Blanks do not count.
bool is_named(std::string_view mangled, std::string_view name);

/// The kernels that a user may mean: the one with exactly this name; else those that is_named() finds.
std::vector<const Kernel*> kernels_named(const Module& module, std::string_view name);

/// `there is no kernel "scal"; did you mean "scale"?` or that several are meant, which are listed. Of kernels_named
/// with none or several: message and hint.
struct KernelNameError {
  std::string message, hint;
};
KernelNameError kernel_name_error(const Module& module, std::string_view name);

}  // namespace warptime::ptx
