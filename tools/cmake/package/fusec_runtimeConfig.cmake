# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# find_package(fusec_runtime): the targets fusec_runtime and fusec_abi and the
# functions of FusecKernels.cmake. The runtime is built in the project that asks,
# by its compiler and for its target.
if(CMAKE_VERSION VERSION_LESS 3.20)
  set(fusec_runtime_FOUND FALSE)
  set(fusec_runtime_NOT_FOUND_MESSAGE "fusec needs CMake 3.20 or newer")
  return()
endif()
get_property(fusec_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if(NOT "CXX" IN_LIST fusec_languages)
  set(fusec_runtime_FOUND FALSE)
  set(fusec_runtime_NOT_FOUND_MESSAGE
    "models are C++: write project(... LANGUAGES C CXX), also for a program in C")
  return()
endif()

get_filename_component(fusec_share "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
include("${fusec_share}/fusec/runtime/cmake/FusecOps.cmake")
include("${fusec_share}/fusec/runtime/cmake/FusecVendors.cmake")
if(NOT TARGET fusec_runtime)
  add_subdirectory("${fusec_share}/fusec/runtime" "${CMAKE_BINARY_DIR}/fusec_runtime"
    EXCLUDE_FROM_ALL)
endif()
# The project's runtime may be an emitted folder's, of a model for CPUs.
include("${fusec_share}/fusec/runtime/cmake/FusecCuda.cmake")
