// Files of array elements: raw bytes, little endian, or NumPy's .npy (versions 1 to 3, C order), whose header names the
// type and the shape. Left out: big-endian and Fortran-ordered files, structures, texts and objects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/isa/types.h"

namespace warptime::host {

struct ArrayFile {
  std::vector<std::byte> bytes;  // of the elements alone
  std::vector<uint64_t> shape;   // of a .npy file; empty: unknown
};

/// Whether a file of this name is read and written as .npy.
bool is_npy(std::string_view path);

/// The elements in a file's text; nullopt, with the reason, if a .npy file is broken or has elements of another type.
/// A `b` type takes integers and floating-point numbers of its size.
std::optional<ArrayFile> array_in(std::string_view path, std::string_view text, ptx::Type type, std::string& why);

/// The beginning of a .npy file; the elements follow.
std::string npy_header(ptx::Type type, const std::vector<uint64_t>& shape);

}  // namespace warptime::host
