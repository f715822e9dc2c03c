# The interpreter of the Python module and its tests: Debian's, for which its packages are, whatever else is in the PATH.
if(NOT Python_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python_EXECUTABLE /usr/bin/python3)
endif()
find_package(Python 3.9 REQUIRED COMPONENTS Interpreter Development.Module)
