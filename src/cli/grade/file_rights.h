// Landlock (landlock(7), Linux 5.13): a process gives up the right to use files, for good and for its children.
#pragma once

#include "cli/grade/confined.h"

namespace warptime::cli {

/// From now on, this process may read and execute what is below `read`, and do everything below `write`; it has no
/// network where the host's kernel can refuse that (6.7). False: the host's kernel has no Landlock.
bool restrict_files(const FileRights& rights);

}  // namespace warptime::cli
