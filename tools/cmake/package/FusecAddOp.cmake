# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# fusec_add_op(NAME [SOURCES file...]
#              [FOP file...]       text of operators (.fop)
#              [DOMAIN domain]     of the operators that say none (default: custom)
#              [FLAGS flag ...])   for the C++ compiler, here and in the models
#
#   Operators for OPS of fusec_add_model. Of C++17 sources `fusec op build` makes a library,
#   anew when one of them, or a header that they include in quotes, has changed; text is
#   taken as it is. Sources in CUDA (.cu), whose operators launch kernels of their own, need
#   nvcc, and models for GPUs have them. NAME is a C identifier.
#
#   Properties of the target NAME:
#     FUSEC_OP_LIBRARY  the library, for `fusec ... --ops`, where there are sources
#     FUSEC_OP_TEXTS    the files of text

# As of this version, whatever the project asks for.
cmake_policy(PUSH)
cmake_policy(VERSION 3.20)

function(fusec_add_op name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DOMAIN" "SOURCES;FOP;FLAGS")
  set(where "fusec_add_op(${name})")
  if(NOT name MATCHES "^[A-Za-z][A-Za-z0-9_]*$")
    message(FATAL_ERROR "${where}: the name is also that of files and functions; use a C "
      "identifier")
  endif()
  if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "${where}: '${arg_UNPARSED_ARGUMENTS}${arg_KEYWORDS_MISSING_VALUES}' "
      "is no keyword, nor a value of one, or has none; the keywords are SOURCES, FOP, DOMAIN, "
      "FLAGS, each with a value")
  endif()
  if(NOT arg_SOURCES AND NOT arg_FOP)
    message(FATAL_ERROR "${where}: name its sources, as in SOURCES ${name}.cpp or FOP "
      "${name}.fop")
  endif()
  set(texts)
  foreach(text IN LISTS arg_FOP)
    if(NOT text MATCHES "\\.fop$")
      message(FATAL_ERROR "${where}: FOP ${text} is no .fop file")
    endif()
    _fusec_find_file(file "${text}")
    list(APPEND texts "${file}")
  endforeach()
  if(NOT arg_SOURCES)
    add_custom_target(${name} DEPENDS ${texts})
    set_target_properties(${name} PROPERTIES FUSEC_OP_TEXTS "${texts}")
    return()
  endif()
  _fusec_find_program(fusec)
  set(sources)
  foreach(source IN LISTS arg_SOURCES)
    _fusec_find_file(file "${source}")
    list(APPEND sources "${file}")
  endforeach()
  set(options)
  if(arg_DOMAIN)
    list(APPEND options --domain ${arg_DOMAIN})
  endif()
  foreach(flag IN LISTS arg_FLAGS)
    list(APPEND options "--flag=${flag}")
  endforeach()
  set(library "${CMAKE_CURRENT_BINARY_DIR}/fusec/lib${name}.so")
  file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/fusec")
  add_custom_command(OUTPUT "${library}"
    COMMAND "${CMAKE_COMMAND}" -E env "CXX=${CMAKE_CXX_COMPILER}"
      "${fusec}" op build ${sources} -o "${library}" ${options} --depfile "${library}.d"
    DEPENDS ${sources} "${fusec}"
    DEPFILE "${library}.d"
    COMMENT "Building the operators of ${name} with fusec" VERBATIM)
  add_custom_target(${name} DEPENDS "${library}")
  set(cuda_sources ${sources})
  list(FILTER cuda_sources INCLUDE REGEX "\\.cu$")
  list(FILTER sources EXCLUDE REGEX "\\.cu$")
  list(LENGTH sources units)
  list(LENGTH cuda_sources cuda_units)
  set_target_properties(${name} PROPERTIES FUSEC_OP_TEXTS "${texts}" FUSEC_OP_LIBRARY "${library}"
    FUSEC_OP_UNITS "${units}" FUSEC_OP_CUDA_UNITS "${cuda_units}" FUSEC_OP_FLAGS "${arg_FLAGS}")
endfunction()

# The sources that the model's folder will have of a library: those of C++, and, for models
# for GPUs, those in CUDA, whose numbers follow.
function(_fusec_list_units sources cuda_sources op folder)
  get_target_property(units ${op} FUSEC_OP_UNITS)
  get_target_property(cuda_units ${op} FUSEC_OP_CUDA_UNITS)
  set(made)
  set(cuda_made)
  set(number 0)
  while(number LESS units)
    list(APPEND made "${folder}/ops/${op}_${number}.cpp")
    math(EXPR number "${number} + 1")
  endwhile()
  math(EXPR end "${units} + ${cuda_units}")
  while(number LESS end AND "${arg_TARGET}" MATCHES "cuda")
    list(APPEND cuda_made "${folder}/ops/${op}_${number}.cu")
    math(EXPR number "${number} + 1")
  endwhile()
  set(${sources} "${made}" PARENT_SCOPE)
  set(${cuda_sources} "${cuda_made}" PARENT_SCOPE)
endfunction()

# The libraries of OPS, as options of `fusec compile`, what has to be there before, and
# the sources that the model's folder will have of them.
function(_fusec_read_ops name folder)
  set(options)
  set(depends)
  set(sources)
  set(libraries ${arg_OPS})
  foreach(op IN LISTS arg_OPS)
    if(op MATCHES "\\.(onnx|fop)$") # what it has becomes a part of the model
      get_filename_component(file "${op}" ABSOLUTE)
      list(APPEND options --ops "${file}")
      list(APPEND depends "${file}")
      list(REMOVE_ITEM libraries "${op}")
      continue()
    endif()
    if(NOT TARGET ${op})
      message(FATAL_ERROR "fusec_add_model(${name}): OPS ${op} is no target of "
        "fusec_add_op, which makes one of sources, no .fop file with text of operators, and "
        "no .onnx file with functions")
    endif()
    get_target_property(texts ${op} FUSEC_OP_TEXTS)
    get_target_property(library ${op} FUSEC_OP_LIBRARY)
    if(texts)
      foreach(text IN LISTS texts)
        list(APPEND options --ops "${text}")
        list(APPEND depends "${text}")
      endforeach()
      if(NOT library)
        list(REMOVE_ITEM libraries "${op}")
        continue()
      endif()
    endif()
    if(NOT library)
      message(FATAL_ERROR "fusec_add_model(${name}): OPS ${op} is a target, and none of "
        "fusec_add_op")
    endif()
    list(APPEND options --ops "${library}")
    list(APPEND depends ${op} "${library}")
    _fusec_list_units(made cuda_made ${op} "${folder}")
    list(APPEND sources ${made} ${cuda_made})
  endforeach()
  set(op_libraries "${libraries}" PARENT_SCOPE)
  set(op_options "${options}" PARENT_SCOPE)
  set(op_depends "${depends}" PARENT_SCOPE)
  set(op_sources "${sources}" PARENT_SCOPE)
endfunction()

# Compiles them into the model.
function(_fusec_add_ops name folder)
  foreach(op IN LISTS op_libraries)
    get_target_property(flags ${op} FUSEC_OP_FLAGS)
    if(NOT flags)
      set(flags)
    endif()
    _fusec_list_units(sources cuda_sources ${op} "${folder}")
    fusec_add_operators(${name} ${sources} FLAGS ${flags})
    if(cuda_sources)
      set(least)
      foreach(target IN LISTS arg_TARGET)
        if(target MATCHES "^cuda-sm([0-9]+)$" AND (NOT least OR CMAKE_MATCH_1 LESS least))
          set(least ${CMAKE_MATCH_1})
        endif()
      endforeach()
      fusec_add_device_operators(${name} ${cuda_sources} ARCHITECTURE ${least} FLAGS ${flags})
    endif()
  endforeach()
endfunction()

cmake_policy(POP)
