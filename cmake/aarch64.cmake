# Cross compilation for aarch64, to see that the libraries compile there: nothing is linked, so of the libraries they use
# the headers, which are the same for every processor, and the CMake packages of the machine that compiles are enough.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

execute_process(COMMAND gcc -print-multiarch OUTPUT_VARIABLE host_libraries OUTPUT_STRIP_TRAILING_WHITESPACE)
list(APPEND CMAKE_PREFIX_PATH /usr/lib/${host_libraries}/cmake)
list(APPEND CMAKE_LIBRARY_PATH /usr/lib/${host_libraries})
