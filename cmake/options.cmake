find_program(WARPTIME_CCACHE ccache)
if(WARPTIME_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER AND NOT EMSCRIPTEN)  # there, by EM_COMPILER_WRAPPER
  # By the list of files that the compiler writes, not by running the preprocessor first: a quarter of a first build. The
  # sloppiness is what ccache requires for precompiled headers.
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_DEPEND=1 CCACHE_SLOPPINESS=pch_defines,time_macros ${WARPTIME_CCACHE})
endif()

# Flags that every target of this project shares, as one interface library.
add_library(warptime_options INTERFACE)
if(EMSCRIPTEN)
  # An old clang, which sees several files as one: the warnings are those of the native builds.
  target_compile_options(warptime_options INTERFACE -w)
else()
  target_compile_options(warptime_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Werror)
endif()
# The same binary gives the same bits on every host: no fused multiply-add that the source does not ask for.
target_compile_options(warptime_options INTERFACE -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False positives of g++ 12 in inlined library code.
  target_compile_options(warptime_options INTERFACE -Wno-maybe-uninitialized -Wno-restrict
    -fno-semantic-interposition)  # position-independent code, but calls within a file may be inlined, as clang does
endif()
if(WARPTIME_SANITIZE)
  target_compile_options(warptime_options INTERFACE -fsanitize=${WARPTIME_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  target_link_options(warptime_options INTERFACE -fsanitize=${WARPTIME_SANITIZE})
endif()

# Code that runs once a program, not once a cycle: half the time to compile, and nobody sees the difference.
add_library(warptime_compile_fast INTERFACE)
if(WARPTIME_SANITIZE)
  target_compile_options(warptime_compile_fast INTERFACE -O0)
else()
  target_compile_options(warptime_compile_fast INTERFACE $<$<CONFIG:Release>:-O1>)
endif()

# warptime_library(ROOM [libraries it may see...]): one room of src/ as one library.
function(warptime_library room)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${room}/*.cc)
  list(FILTER sources EXCLUDE REGEX "/main\\.cc$")
  list(FILTER sources EXCLUDE REGEX "\\.isa\\.cc$")  # compiled once for each instruction set, see src/sim/exec
  add_library(warptime_${room} STATIC ${sources})
  add_library(warptime::${room} ALIAS warptime_${room})
  set_target_properties(warptime_${room} PROPERTIES EXPORT_NAME ${room} POSITION_INDEPENDENT_CODE ${WARPTIME_PIC})
  target_compile_features(warptime_${room} PUBLIC cxx_std_20)
  target_include_directories(warptime_${room} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:include/warptime>)
  target_link_libraries(warptime_${room} PRIVATE $<BUILD_INTERFACE:warptime_options> PUBLIC fmt::fmt ${ARGN})
endfunction()

# warptime_part(ROOM PART file...): these files of a room with flags of their own, as the library warptime_ROOM_PART whose objects
# are the room's. The caller links what the files include.
function(warptime_part room part)
  get_target_property(sources warptime_${room} SOURCES)
  list(REMOVE_ITEM sources ${ARGN})
  set_property(TARGET warptime_${room} PROPERTY SOURCES ${sources})
  add_library(warptime_${room}_${part} OBJECT ${ARGN})
  set_target_properties(warptime_${room}_${part} PROPERTIES POSITION_INDEPENDENT_CODE ${WARPTIME_PIC})
  target_compile_features(warptime_${room}_${part} PUBLIC cxx_std_20)
  target_link_libraries(warptime_${room}_${part} PRIVATE warptime_options fmt::fmt)
  target_sources(warptime_${room} PRIVATE $<TARGET_OBJECTS:warptime_${room}_${part}>)
endfunction()
