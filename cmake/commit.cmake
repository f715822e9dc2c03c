# cmake -DIN=FOLDER -DOUT=FILE.cc -P commit.cmake: what the sources in FOLDER are, as src/cli/commit.h says: the commit of
# a clone, and, if the sources have changes or there is no clone, a hash of them. The file is written only if that has
# changed.
set(commit "")
set(changes "no clone")
set(parts src workloads cmake CMakeLists.txt)
find_program(git git)
if(git)
  execute_process(COMMAND ${git} -C ${IN} rev-parse --show-toplevel OUTPUT_VARIABLE top ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  file(REAL_PATH "${IN}" own)
  if(top STREQUAL own)
    execute_process(COMMAND ${git} -C ${IN} rev-parse --short=12 HEAD OUTPUT_VARIABLE commit ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    # Of all that git has, and new files among the sources.
    execute_process(COMMAND ${git} -C ${IN} status --porcelain --untracked-files=no OUTPUT_VARIABLE changes ERROR_QUIET)
    execute_process(COMMAND ${git} -C ${IN} status --porcelain -- ${parts} OUTPUT_VARIABLE changes_of_sources ERROR_QUIET)
    string(APPEND changes "${changes_of_sources}")
  endif()
endif()
if(changes OR NOT commit)
  file(GLOB_RECURSE files LIST_DIRECTORIES false RELATIVE ${IN} ${IN}/src/*.cc ${IN}/src/*.h ${IN}/workloads/*.cc ${IN}/workloads/*.h
       ${IN}/cmake/* ${IN}/src/*.cmake ${IN}/src/CMakeLists.txt ${IN}/CMakeLists.txt)
  set(hashes "")
  foreach(file IN LISTS files)
    file(SHA256 ${IN}/${file} hash)
    string(APPEND hashes "${file} ${hash}\n")
  endforeach()
  string(SHA256 hash "${hashes}")
  string(SUBSTRING ${hash} 0 12 hash)
  if(commit)
    string(APPEND commit ", with changes ${hash}")
  else()
    set(commit "sources ${hash}")
  endif()
endif()
file(CONFIGURE OUTPUT ${OUT} @ONLY CONTENT [[// Made by cmake/commit.cmake.
#include "cli/commit.h"
namespace warptime::cli {
std::string_view commit() { return "@commit@"; }
}  // namespace warptime::cli
]])
