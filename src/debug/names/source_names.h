// The parameters of a kernel and its shared arrays by their names in the CUDA source: PTX numbers the parameters, and
// declares shared arrays without their dimensions. The source is searched for the kernel's definition, also in the
// macros of the file; it is not compiled, so types of the user's own are not known.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "debug/names/c_names.h"

namespace warptime::debug {

/// Adds nothing if the source is not on this host, or has no such kernel with as many parameters.
void add_source_names(const KernelNames& names, CTypes& types, std::vector<CVariable>& variables);

/// A declaration of C, "const float* __restrict__ in" or "tile[16][17]", in parts.
struct Declaration {
  std::string type, name;
  std::vector<std::string> dimensions;  // texts between the brackets
};

/// What the definition of a kernel declares.
struct KernelDeclarations {
  std::vector<Declaration> parameters{};
  std::vector<Declaration> shared{};
  std::string text;  // the whole source, without comments
};

/// The definition of a kernel with this many parameters. `kernel`: its name without namespaces, template arguments and
/// parameters. Nothing in it if there is none.
KernelDeclarations find_kernel_declarations(std::string_view source, std::string_view kernel, size_t parameters);

/// The elements of each dimension, if their product is `elements`: numbers, constants that the source defines, and at
/// most one name of which nothing is known, whose value follows from the product. Empty: they cannot be found.
std::vector<uint64_t> find_dimensions(const std::vector<std::string>& dimensions, uint64_t elements,
                                      std::string_view source);

}  // namespace warptime::debug
