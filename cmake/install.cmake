# `cmake --install`: the command with its machines, workloads, manual pages and completion scripts (component program), and
# a package for programs that link the host API (component development):
#
#   find_package(warptime REQUIRED)
#   target_link_libraries(my_program PRIVATE warptime::host)
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The command looks for its files in ../share/warptime (src/cli/home.cc).
set(warptime_data ${CMAKE_INSTALL_DATADIR}/warptime)
set(warptime_package ${CMAKE_INSTALL_LIBDIR}/cmake/warptime)

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME program)
install(TARGETS warptime RUNTIME)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/configs ${PROJECT_SOURCE_DIR}/workloads
  ${PROJECT_SOURCE_DIR}/validation DESTINATION ${warptime_data}
  PATTERN *.cc EXCLUDE PATTERN *.h EXCLUDE)
# The CUDA runtime of `warptime exec`, under all its names (src/cli/home.cc).
install(DIRECTORY ${PROJECT_BINARY_DIR}/cuda/ DESTINATION lib/warptime USE_SOURCE_PERMISSIONS)
install(FILES ${PROJECT_SOURCE_DIR}/CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})
# Under Debian's names.
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR}-dev RENAME copyright COMPONENT development)

# Manual pages and completion scripts, printed by the program that is installed; not where it cannot run.
if(NOT CMAKE_CROSSCOMPILING)
  set(pages ${PROJECT_BINARY_DIR}/share)
  add_custom_command(OUTPUT ${pages}/written DEPENDS warptime ${PROJECT_SOURCE_DIR}/CHANGELOG.md
    COMMAND ${CMAKE_COMMAND} -D PROGRAM=$<TARGET_FILE:warptime> -D FOLDER=${pages}
            -D CHANGELOG=${PROJECT_SOURCE_DIR}/CHANGELOG.md -P ${CMAKE_CURRENT_LIST_DIR}/shell_pages.cmake
    COMMENT "manual pages and completion scripts")
  add_custom_target(warptime_pages ALL DEPENDS ${pages}/written)
  install(FILES ${pages}/changelog.gz DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
  install(FILES ${pages}/changelog.gz DESTINATION ${CMAKE_INSTALL_DOCDIR}-dev COMPONENT development OPTIONAL)
  install(DIRECTORY ${pages}/man1/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${pages}/warptime.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME warptime)
  install(FILES ${pages}/_warptime DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
  install(FILES ${pages}/warptime.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)
install(TARGETS warptime_base warptime_ptx warptime_sim warptime_cpu warptime_host EXPORT warptime ARCHIVE)
foreach(room base ptx sim cpu host)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/${room} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/warptime
    FILES_MATCHING PATTERN *.h)
endforeach()
install(EXPORT warptime FILE warptimeTargets.cmake NAMESPACE warptime:: DESTINATION ${warptime_package})
write_basic_package_version_file(warptimeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/warptimeConfig.cmake.in warptimeConfig.cmake
  INSTALL_DESTINATION ${warptime_package} PATH_VARS warptime_data)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/warptimeConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/warptimeConfigVersion.cmake
  DESTINATION ${warptime_package})
