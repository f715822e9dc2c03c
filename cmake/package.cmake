# `./dev package`: two Debian packages by CPack, warptime (the command) and warptime-dev (the C++ libraries).
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME warptime)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The warptime developers <developers@warptime.invalid>")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/package)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)

# One package for each component. The Python module has a wheel instead.
set(CPACK_COMPONENTS_ALL program development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME warptime)
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION
    "cycle-level GPU architecture simulator
warptime runs PTX kernels functionally exactly and times them on a machine
that a YAML file describes, by default the GeForce 8800 GTX. It explains what
bounds a kernel, sweeps machines and parameters, and compares with published
figures.")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS libedit2)  # loaded by `warptime debug` on a terminal
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "gnuplot-nox, slurm-client")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME warptime-dev)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
    "C++ libraries of the GPU simulator warptime
Static libraries, headers and a CMake package: a program allocates memory on a
simulated device, launches PTX kernels there and reads their statistics.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "warptime (= ${PROJECT_VERSION}), libfmt-dev, libyaml-cpp-dev, nlohmann-json3-dev")
include(CPack)
