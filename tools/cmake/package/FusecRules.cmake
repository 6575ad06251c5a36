# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Rules of users for fusec_add_model (see FusecAddModel.cmake).

# As of this version, whatever the project asks for.
cmake_policy(PUSH)
cmake_policy(VERSION 3.20)

# The libraries of RULES, as options of `fusec compile`, and what has to be there before.
# The compiler loads them, so they are for the machine that builds.
function(_fusec_read_rules name)
  set(options)
  set(depends)
  foreach(rules IN LISTS arg_RULES)
    if(TARGET ${rules})
      get_target_property(type ${rules} TYPE)
      if(NOT type MATCHES "^(MODULE|SHARED)_LIBRARY$")
        message(FATAL_ERROR "fusec_add_model(${name}): RULES ${rules} is a target, and no "
          "library that can be loaded: write add_library(${rules} MODULE ...)")
      endif()
      if(CMAKE_CROSSCOMPILING)
        message(FATAL_ERROR "fusec_add_model(${name}): RULES ${rules} is built for another "
          "machine than the compiler runs on: build it apart, and name the file")
      endif()
      list(APPEND options --rules "$<TARGET_FILE:${rules}>")
      list(APPEND depends ${rules} "$<TARGET_FILE:${rules}>")
      continue()
    endif()
    _fusec_find_file(file "${rules}")
    if(NOT EXISTS "${file}")
      message(FATAL_ERROR "fusec_add_model(${name}): RULES ${rules} is neither a target, "
        "which must stand before, nor a file")
    endif()
    list(APPEND options --rules "${file}")
    list(APPEND depends "${file}")
  endforeach()
  set(rule_options "${options}" PARENT_SCOPE)
  set(rule_depends "${depends}" PARENT_SCOPE)
endfunction()

cmake_policy(POP)
