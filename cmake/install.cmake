# `cmake --install`: the command with its machines and workloads, and a package for programs that link the host API:
#
#   find_package(warptime REQUIRED)
#   target_link_libraries(my_program PRIVATE warptime::host)
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The command looks for its files in ../share/warptime (src/cli/home.cc).
set(warptime_data ${CMAKE_INSTALL_DATADIR}/warptime)
set(warptime_package ${CMAKE_INSTALL_LIBDIR}/cmake/warptime)

install(TARGETS warptime RUNTIME)
install(TARGETS warptime_base warptime_ptx warptime_sim warptime_cpu warptime_host EXPORT warptime ARCHIVE)
foreach(room base ptx sim cpu host)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/${room} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/warptime
    FILES_MATCHING PATTERN *.h)
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/configs ${PROJECT_SOURCE_DIR}/workloads
  ${PROJECT_SOURCE_DIR}/validation DESTINATION ${warptime_data}
  PATTERN *.cc EXCLUDE PATTERN *.h EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(EXPORT warptime FILE warptimeTargets.cmake NAMESPACE warptime:: DESTINATION ${warptime_package})
write_basic_package_version_file(warptimeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/warptimeConfig.cmake.in warptimeConfig.cmake
  INSTALL_DESTINATION ${warptime_package} PATH_VARS warptime_data)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/warptimeConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/warptimeConfigVersion.cmake
  DESTINATION ${warptime_package})
