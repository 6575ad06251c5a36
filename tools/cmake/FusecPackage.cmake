# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What `cmake --install` puts below its prefix, and the Debian package (`cpack`):
#   bin/fusec                      holds the runtime's sources, so it may lie anywhere
#   bin/fusec-opt                  one pass at a time
#   share/cmake/fusec              find_package(fusec): fusec_add_model
#   share/cmake/fusec_runtime      find_package(fusec_runtime): the runtime alone
#   share/fusec/runtime            its sources; each project builds them for its target
#   share/doc/fusec                the READMEs, the examples, the licence
#   share/man, and where shells look for completions, what fusec says of its options
# Nothing in it knows the prefix: the tree may be moved. It lies below share, where
# CMake also looks when it compiles for another processor.

# Debian keeps libMLIR outside of the loader's folders.
set_target_properties(fusec fusec-opt PROPERTIES INSTALL_RPATH ${LLVM_LIBRARY_DIR})
install(TARGETS fusec fusec-opt RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

include(CMakePackageConfigHelpers)
set(package ${PROJECT_SOURCE_DIR}/tools/cmake/package)
foreach(name fusec fusec_runtime)
  set(version ${PROJECT_BINARY_DIR}/package/${name}ConfigVersion.cmake)
  write_basic_package_version_file(${version}
    VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
  install(FILES ${version} ${package}/${name}Config.cmake
    DESTINATION share/cmake/${name})
endforeach()
install(FILES ${package}/FusecAddModel.cmake ${package}/FusecAddOp.cmake
  ${package}/FusecRules.cmake ${package}/CheckEmitted.cmake
  DESTINATION share/cmake/fusec)
install(DIRECTORY runtime/cmake runtime/cuda runtime/fast_run runtime/include runtime/src
  DESTINATION share/fusec/runtime PATTERN "*.md" EXCLUDE)
install(FILES runtime/CMakeLists.txt DESTINATION share/fusec/runtime)

# What the program says of its options, as tools/fusec/WriteHelp.cmake has written it.
set(help ${PROJECT_BINARY_DIR}/tools/fusec/help)
install(DIRECTORY ${help}/man1 DESTINATION share/man)
install(DIRECTORY ${help}/bash-completion ${help}/zsh ${help}/fish DESTINATION share)
# The documents in the folders that they have here, for they refer to each other.
file(GLOB_RECURSE documents RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
  codegen/*.md compiler/*.md compiler/*.svg dialects/*.md passes/*.md runtime/*.md
  test/*.md tools/*.md)
foreach(document README.md LICENSE ${documents})
  get_filename_component(folder ${document} DIRECTORY)
  install(FILES ${document} DESTINATION share/doc/fusec/${folder})
endforeach()
install(DIRECTORY examples DESTINATION share/doc/fusec)
install(FILES LICENSE DESTINATION share/doc/fusec RENAME copyright)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME fusec)
set(CPACK_PACKAGE_VENDOR fusec)
set(CPACK_PACKAGE_CONTACT "the authors of fusec <fusec@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "ahead-of-time fusion compiler for neural networks")
set(CPACK_PACKAGE_DESCRIPTION
  "fusec compiles ONNX models to C++ that a person can read, and that builds with
CMake and a C++17 compiler. The package holds the compiler, the sources of the
runtime, and fusec_add_model for CMake projects.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
# The libraries that the program loads, from their packages' own symbols files.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# llvm-22-dev has a link to libLLVM beside libMLIR, and dpkg-shlibdeps takes now the
# link's package, which tells nothing of libraries, and now the library's.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libllvm${LLVM_VERSION_MAJOR}")
# What it emits is built with these; to emit it they are not needed.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "g++, cmake (>= 3.20)")
include(CPack)
