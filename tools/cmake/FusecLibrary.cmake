# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# fusec_library(NAME src... [LINK lib...] [DEPENDS target...])
#   A static library of this project: root-relative includes, the warnings that
#   all of our code compiles with, and (for code that uses MLIR) the shared
#   precompiled header.
# fusec_executable(NAME src... [LINK lib...] [DEPENDS target...])
#   The same for a program; it lands in build/bin.

function(fusec_compile_settings target)
  target_include_directories(${target} PUBLIC
    ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-unused-parameter
    $<$<BOOL:${FUSEC_WERROR}>:-Werror>)
endfunction()

function(fusec_library target)
  cmake_parse_arguments(arg "" "" "LINK;DEPENDS" ${ARGN})
  add_library(${target} STATIC ${arg_UNPARSED_ARGUMENTS})
  fusec_compile_settings(${target})
  target_link_libraries(${target} PUBLIC ${arg_LINK})
  if(arg_DEPENDS)
    add_dependencies(${target} ${arg_DEPENDS})
  endif()
  fusec_use_mlir(${target} "${arg_LINK}")
endfunction()

function(fusec_executable target)
  cmake_parse_arguments(arg "" "" "LINK;DEPENDS" ${ARGN})
  add_executable(${target} ${arg_UNPARSED_ARGUMENTS})
  fusec_compile_settings(${target})
  target_link_libraries(${target} PRIVATE ${arg_LINK})
  # The precompiled header is built as -fPIC; -fPIE would not match it.
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE -fPIC)
  if(arg_DEPENDS)
    add_dependencies(${target} ${arg_DEPENDS})
  endif()
  fusec_use_mlir(${target} "${arg_LINK}")
endfunction()

# Everything that is linked against MLIR shares one precompiled header. Not with
# REUSE_FROM: ccache hashes the absolute paths that this passes on, and would never
# find what another folder has compiled.
function(fusec_use_mlir target libs)
  if(TARGET fusec_pch AND NOT "${libs}" MATCHES "fusec_no_mlir")
    target_link_libraries(${target} PRIVATE fusec_mlir)
    set(header ${PROJECT_BINARY_DIR}/CMakeFiles/fusec_pch.dir/cmake_pch.hxx)
    set(compiled ${header}.gch)
    set(use_header -include ${header})
    if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
      set(compiled ${header}.pch)
      set(use_header -include-pch ${compiled})
    endif()
    # A dependency between the targets would not order their compilations.
    get_target_property(sources ${target} SOURCES)
    foreach(source IN LISTS sources)
      get_source_file_property(skip ${source} SKIP_PRECOMPILE_HEADERS)
      if(NOT skip AND source MATCHES "[.]cpp$")
        set_property(SOURCE ${source} APPEND PROPERTY
          COMPILE_OPTIONS -Winvalid-pch ${use_header})
        set_property(SOURCE ${source} APPEND PROPERTY OBJECT_DEPENDS ${compiled})
      endif()
    endforeach()
  endif()
endfunction()
