# cmake -DIN=FOLDER -DOUT=FILE.cc -P commit.cmake: the commit of the sources in FOLDER, for `warptime --version`; "" if
# they are not a clone of their own. The file is written only if that has changed.
set(commit "")
find_program(git git)
if(git)
  execute_process(COMMAND ${git} -C ${IN} rev-parse --show-toplevel OUTPUT_VARIABLE top ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  file(REAL_PATH "${IN}" own)
  if(top STREQUAL own)
    execute_process(COMMAND ${git} -C ${IN} rev-parse --short=12 HEAD OUTPUT_VARIABLE commit ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    execute_process(COMMAND ${git} -C ${IN} status --porcelain --untracked-files=no OUTPUT_VARIABLE changes ERROR_QUIET)
    if(changes)
      string(APPEND commit ", with changes")
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${OUT} @ONLY CONTENT [[// Made by cmake/commit.cmake.
#include "cli/commit.h"
namespace warptime::cli {
std::string_view commit() { return "@commit@"; }
}  // namespace warptime::cli
]])
