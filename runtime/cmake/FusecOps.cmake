# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# fusec_add_operators(TARGET source... [FLAGS flag...])
#   Compiles sources of operators of users into TARGET, a model's library: as C++17,
#   with exceptions and with these flags, whatever the project's are. Their warnings
#   are their authors' business.
function(fusec_add_operators target)
  cmake_parse_arguments(arg "" "" "FLAGS" ${ARGN})
  foreach(source IN LISTS arg_UNPARSED_ARGUMENTS)
    get_filename_component(name "${source}" NAME_WE)
    set(object ${target}_op_${name})
    add_library(${object} OBJECT "${source}")
    fusec_own_flags(${object})
    target_compile_options(${object} PRIVATE -w -O2 ${arg_FLAGS})
    # The runtime of the project may be another model's, without these headers.
    target_include_directories(${object} PRIVATE
      "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../include")
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${object}>)
    set_property(TARGET ${target} APPEND PROPERTY FUSEC_KERNEL_LIBRARIES ${object})
  endforeach()
endfunction()
