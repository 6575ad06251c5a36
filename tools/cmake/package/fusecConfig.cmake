# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# find_package(fusec): fusec_add_model (see FusecAddModel.cmake), fusec_add_op (see
# FusecAddOp.cmake), and the runtime.
#
get_filename_component(fusec_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
include("${fusec_prefix}/share/cmake/fusec_runtime/fusec_runtimeConfig.cmake")
if(DEFINED fusec_runtime_FOUND AND NOT fusec_runtime_FOUND)
  set(fusec_FOUND FALSE)
  set(fusec_NOT_FOUND_MESSAGE "${fusec_runtime_NOT_FOUND_MESSAGE}")
  return()
endif()

include("${CMAKE_CURRENT_LIST_DIR}/FusecAddModel.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/FusecAddOp.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/FusecRules.cmake")
_fusec_find_program(fusec_program)
if(NOT EXISTS "${fusec_program}")
  set(fusec_FOUND FALSE)
  set(fusec_NOT_FOUND_MESSAGE
    "there is no ${fusec_program}; name the compiler with -DFUSEC_EXECUTABLE=FILE")
endif()
