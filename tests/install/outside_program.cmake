# cmake -D BUILD=... -D WORK=... -P: install, then configure, build and run the program of outside/ with nothing but the
# installed files; the installed command must also find its machines and workloads.
function(step)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "status ${status} from: ${ARGV}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
set(prefix ${WORK}/prefix)
step(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
step(${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR}/outside -B ${WORK}/build -D CMAKE_BUILD_TYPE=Release
  -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_CXX_FLAGS=${FLAGS})
step(${CMAKE_COMMAND} --build ${WORK}/build)
# Its machine by file, and by name.
file(GLOB machines ${prefix}/share/warptime/configs/*.yaml)
list(FILTER machines EXCLUDE REGEX "/cpu-[^/]*$")
foreach(machine ${machines})
  step(${WORK}/build/outside ${machine})
endforeach()
step(${WORK}/build/outside geforce-8800-gtx)
step(${WORK}/build/streams geforce-8800-gtx)
step(${WORK}/build/streams tesla-c1060)
step(${prefix}/bin/warptime --version)
step(${prefix}/bin/warptime run vecadd --quiet)
