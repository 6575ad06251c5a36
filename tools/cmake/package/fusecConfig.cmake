# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# find_package(fusec): fusec_add_model (see FusecAddModel.cmake), and the runtime.
#
# FUSEC_EXECUTABLE is the compiler: bin/fusec of the tree that holds this file, unless
# the project or -DFUSEC_EXECUTABLE names another. It runs on the machine that builds,
# whatever the target is.
get_filename_component(fusec_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
include("${fusec_prefix}/share/cmake/fusec_runtime/fusec_runtimeConfig.cmake")
if(DEFINED fusec_runtime_FOUND AND NOT fusec_runtime_FOUND)
  set(fusec_FOUND FALSE)
  set(fusec_NOT_FOUND_MESSAGE "${fusec_runtime_NOT_FOUND_MESSAGE}")
  return()
endif()

if(NOT FUSEC_EXECUTABLE)
  set(FUSEC_EXECUTABLE "${fusec_prefix}/bin/fusec")
endif()
if(NOT EXISTS "${FUSEC_EXECUTABLE}")
  set(fusec_FOUND FALSE)
  set(fusec_NOT_FOUND_MESSAGE
    "there is no ${FUSEC_EXECUTABLE}; name the compiler with -DFUSEC_EXECUTABLE=FILE")
  return()
endif()
include("${CMAKE_CURRENT_LIST_DIR}/FusecAddModel.cmake")
