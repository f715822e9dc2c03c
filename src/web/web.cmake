# The program for browsers and Node: warptime.js, which loads warptime.wasm. `./dev playground` puts both into its site.
add_executable(warptime web/entry.cc web/system_calls.cc web/tasks_in_turn.cc)
# Its processes are tasks_in_turn.cc here.
get_target_property(cli_sources warptime_cli SOURCES)
list(FILTER cli_sources EXCLUDE REGEX "/sweep_children\\.cc$")
set_property(TARGET warptime_cli PROPERTY SOURCES ${cli_sources})
target_link_libraries(warptime PRIVATE warptime_options warptime::cli warptime_workloads)
set_target_properties(warptime PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
target_link_options(warptime PRIVATE
  --no-entry -sMODULARIZE -sEXPORT_NAME=createWarptime -sENVIRONMENT=web,worker,node -sEXIT_RUNTIME=0 -sWASM_BIGINT
  -sFORCE_FILESYSTEM -sEXPORTED_RUNTIME_METHODS=FS,ccall -sEXPORTED_FUNCTIONS=_warptime_command
  # 8 MiB of stack, as with_stack_room() gives; memory grows to what a page of 32 bits can have.
  -sTOTAL_STACK=8MB -sINITIAL_MEMORY=64MB -sALLOW_MEMORY_GROWTH -sMAXIMUM_MEMORY=4GB)
