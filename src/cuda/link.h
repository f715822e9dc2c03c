// Relocatable device code (nvcc -rdc=true) as one module: the PTX of several files, one after the other. What the
// linker of a device does beyond that is done here: a weak definition (of a template, of an inline function) stands
// once, and files, lines and strings of the debug information are numbered through. Left out: archives of which only
// some members are needed.
#pragma once

#include <span>
#include <string>

namespace warptime::cuda {

std::string link_ptx(std::span<const std::string> files);

}  // namespace warptime::cuda
