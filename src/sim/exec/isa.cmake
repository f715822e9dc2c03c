# Lane code (*.isa.cc) is compiled once for each host instruction set; handler_table.cc chooses at run time. Everything
# that these files instantiate lies in a namespace named after the set. -O2 in every build type: unoptimised, an inline
# function of the standard library could be emitted for a newer processor and picked by the linker for all.
file(GLOB warptime_isa_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.isa.cc)

if(NOT WARPTIME_SANITIZE)
  # Its loops over lanes become vector code only so.
  set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/texture_sampling.isa.cc PROPERTIES COMPILE_OPTIONS -O3)
endif()

function(warptime_isa name)
  add_library(warptime_isa_${name} OBJECT ${warptime_isa_sources})
  target_include_directories(warptime_isa_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(warptime_isa_${name} PRIVATE warptime_options fmt::fmt)
  target_compile_definitions(warptime_isa_${name} PRIVATE WARPTIME_ISA=${name})
  target_compile_options(warptime_isa_${name} PRIVATE ${ARGN})
  if(NOT WARPTIME_SANITIZE)
    target_compile_options(warptime_isa_${name} PRIVATE -O2)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Vectors wider than the baseline's registers are never passed between translation units.
    target_compile_options(warptime_isa_${name} PRIVATE -Wno-psabi)
  endif()
  set_target_properties(warptime_isa_${name} PROPERTIES POSITION_INDEPENDENT_CODE ${WARPTIME_PIC} UNITY_BUILD OFF)
  target_sources(warptime_sim PRIVATE $<TARGET_OBJECTS:warptime_isa_${name}>)
endfunction()

warptime_isa(baseline)
# Under sanitizers the same source thrice would say the same thrice, for a quarter of the whole build.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND NOT WARPTIME_SANITIZE)
  warptime_isa(avx2 -march=x86-64-v3)
  warptime_isa(avx512 -march=x86-64-v4 -mprefer-vector-width=512)
  target_compile_definitions(warptime_sim PRIVATE WARPTIME_HAS_X86_ISAS)
endif()
