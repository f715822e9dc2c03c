// The modules of a file. A file of PTX is one module; the output of `cuobjdump -ptx` has text before the first, and may
// hold several: of several sources, or of one source for several targets.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostics.h"

namespace warptime::ptx {

inline constexpr size_t kMaxFileBytes = size_t{1} << 30;

struct ModuleInFile {
  uint32_t begin = 0, end = 0;  // bytes of the file
  uint32_t line = 0;            // of its .version
  std::string_view target;      // "sm_75"
  std::vector<std::string_view> kernels;
};

/// Every module of a file, in order. Of a text without `.version` and of plain PTX: one, from beginning to end.
std::vector<ModuleInFile> modules_in(const SourceText& file);

/// The text of one of them where it stands in the file: everything else is blank, so that lines and columns stay those
/// of the file. The file itself if there is nothing to blank out.
std::shared_ptr<const SourceText> text_of(std::shared_ptr<const SourceText> file, const ModuleInFile& module);

/// "kernel@sm_75" and "kernel@18": a kernel of the module for that target, or of the one whose .version is in that
/// line. Both parts may be empty.
struct KernelChoice {
  std::string kernel, module;
};
KernelChoice parse_kernel_choice(std::string_view text);

/// The text of the module that has all of these kernels. nullptr after an error at `where`: none has them, or several.
std::shared_ptr<const SourceText> choose_module(std::shared_ptr<const SourceText> file,
                                                const std::vector<KernelChoice>& wanted, SourceSpan where,
                                                Diagnostics& diagnostics);

}  // namespace warptime::ptx
