# The libraries of warptime for WebAssembly: from Debian's source packages, which `./dev playground` unpacks into
# build-playground/sources, and from Debian's packages of headers, which are the same for every processor. Nothing in
# this file is compiled with our warnings.
enable_language(C)
# One instruction format for exceptions and vectors in all objects. libcxx.h: what the standard library of Emscripten 3.1.6 lacks.
add_compile_options(-fwasm-exceptions -msimd128 "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include ${PROJECT_SOURCE_DIR}/src/web/libcxx.h>")
add_link_options(-fwasm-exceptions)

set(sources ${PROJECT_BINARY_DIR}/sources)
# Not all of /usr/include, which is for this machine's C library.
set(headers ${PROJECT_BINARY_DIR}/headers)
file(MAKE_DIRECTORY ${headers})
foreach(folder boost nlohmann rapidjson cereal)
  if(NOT EXISTS /usr/include/${folder})
    message(FATAL_ERROR "/usr/include/${folder} is missing: `./dev playground` installs it")
  endif()
  file(CREATE_LINK /usr/include/${folder} ${headers}/${folder} SYMBOLIC)
endforeach()

# wasm_library(NAME TARGET pattern...): a static library of these sources.
function(wasm_library name target)
  file(GLOB files ${ARGN})
  if(NOT files)
    message(FATAL_ERROR "no sources of ${name} in ${sources}: `./dev playground` fetches them")
  endif()
  add_library(wasm_${name} STATIC ${files})
  add_library(${target} ALIAS wasm_${name})
  target_compile_options(wasm_${name} PRIVATE -O2 -w)
  target_include_directories(wasm_${name} SYSTEM PUBLIC ${headers})
  set_target_properties(wasm_${name} PROPERTIES UNITY_BUILD OFF)
endfunction()

wasm_library(fmt fmt::fmt ${sources}/fmtlib/src/format.cc)
target_include_directories(wasm_fmt SYSTEM PUBLIC ${sources}/fmtlib/include)
wasm_library(yaml yaml-cpp ${sources}/yaml-cpp/src/*.cpp)
target_include_directories(wasm_yaml SYSTEM PUBLIC ${sources}/yaml-cpp/include)
file(GLOB options ${sources}/boost1.74/libs/program_options/src/*.cpp)
list(FILTER options EXCLUDE REGEX "winmain")
wasm_library(program_options Boost::program_options ${options})
file(GLOB zlib ${sources}/zlib/*.c)
list(FILTER zlib EXCLUDE REGEX "/gz[a-z]+\\.c$")  # files
wasm_library(zlib ZLIB::ZLIB ${zlib})
target_include_directories(wasm_zlib SYSTEM PUBLIC ${sources}/zlib)
file(GLOB png ${sources}/libpng1.6/png*.c)
list(FILTER png EXCLUDE REGEX "/pngtest\\.c$")
wasm_library(png PNG::PNG ${png})
file(COPY_FILE ${sources}/libpng1.6/scripts/pnglibconf.h.prebuilt ${headers}/pnglibconf.h ONLY_IF_DIFFERENT)
target_include_directories(wasm_png SYSTEM PUBLIC ${sources}/libpng1.6)
target_link_libraries(wasm_png PUBLIC wasm_zlib)

foreach(name nlohmann_json::nlohmann_json cereal::cereal Threads::Threads)
  add_library(${name} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${name} SYSTEM INTERFACE ${headers})
endforeach()
