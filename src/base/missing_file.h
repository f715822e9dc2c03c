// The diagnostic for a file that cannot be read: the system's reason, and the most similar name in that folder.
#pragma once

#include <string>

#include "base/diagnostics.h"

namespace warptime {

/// Why a file that is there cannot be read as text, or must not be (RunFiles); empty: it can. The file is noted.
std::string why_not_readable(const std::string& path);

/// `did you mean "dir/saxpy.ptx"?` or `there is no folder "dir"`; "" when nothing is near.
std::string near_file_hint(const std::string& path);

/// The error at the place that named the file. `otherwise`: the hint when no file is near.
Diagnostic cannot_read(const std::string& path, const std::string& why, SourceSpan where, std::string otherwise = {});

}  // namespace warptime
