# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# fusec_library(NAME src... [LINK lib...] [DEPENDS target...] [PCH header-target])
#   A static library of this project: root-relative includes, the warnings that
#   all of our code compiles with, and (for code that uses MLIR) a precompiled
#   header: the one named, or else fusec_pch.
# fusec_executable(NAME src... [LINK lib...] [DEPENDS target...] [PCH header-target])
#   The same for a program; it lands in build/bin.
# fusec_precompiled_header(NAME header... [EXTENDS header-target] [MADE_OF file...]
#                          [DEPENDS target...])
#   A precompiled header: what nearly every MLIR translation unit reads, and these.
#   Whoever names headers of this project lists the files that they are made of,
#   relative to its root, so that ccache can tell one version from the next.

# FUSEC_UNITY_BUILD: several sources of a target are compiled as one, which spares most of
#   the time that their headers take: a third of a build from nothing. A change of one source
#   then compiles its neighbours too, so it is off unless asked for. (Not CMake's own
#   UNITY_BUILD: that leaves out sources with options of their own.)
option(FUSEC_UNITY_BUILD "Compile several sources as one" OFF)

# fusec_joined_sources(RESULT target source...)
function(fusec_joined_sources result target)
  set(sources)
  # In turn, for neighbours in the alphabet are often alike, and the long ones too.
  list(LENGTH ARGN count)
  math(EXPR batches "(${count} + 7) / 8")
  set(count 0)
  foreach(source IN LISTS ARGN)
    get_source_file_property(skip ${source} SKIP_PRECOMPILE_HEADERS)
    if(skip OR NOT FUSEC_UNITY_BUILD OR IS_ABSOLUTE ${source} OR NOT source MATCHES "[.]cpp$")
      list(APPEND sources ${source})
      continue()
    endif()
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${source})
    math(EXPR number "${count} % ${batches}")
    string(APPEND text_${number} "#include \"${path}\"\n")
    math(EXPR count "${count} + 1")
  endforeach()
  if(count GREATER 0)
    math(EXPR last "${batches} - 1")
    foreach(i RANGE ${last})
      set(joined ${CMAKE_CURRENT_BINARY_DIR}/${target}_${i}.cpp)
      file(CONFIGURE OUTPUT ${joined} CONTENT "${text_${i}}")
      list(APPEND sources ${joined})
    endforeach()
  endif()
  set(${result} ${sources} PARENT_SCOPE)
endfunction()

function(fusec_compile_settings target)
  target_include_directories(${target} PUBLIC
    ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  # g++ warns of what moves of LLVM's unique_function leave as it is.
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-unused-parameter
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
    $<$<BOOL:${FUSEC_WERROR}>:-Werror>)
endfunction()

function(fusec_library target)
  cmake_parse_arguments(arg "" "PCH" "LINK;DEPENDS" ${ARGN})
  fusec_joined_sources(sources ${target} ${arg_UNPARSED_ARGUMENTS})
  add_library(${target} STATIC ${sources})
  fusec_compile_settings(${target})
  target_link_libraries(${target} PUBLIC ${arg_LINK})
  if(arg_DEPENDS)
    add_dependencies(${target} ${arg_DEPENDS})
  endif()
  fusec_use_mlir(${target} "${arg_LINK}" "${arg_PCH}")
endfunction()

function(fusec_executable target)
  cmake_parse_arguments(arg "" "PCH" "LINK;DEPENDS" ${ARGN})
  fusec_joined_sources(sources ${target} ${arg_UNPARSED_ARGUMENTS})
  add_executable(${target} ${sources})
  fusec_compile_settings(${target})
  target_link_libraries(${target} PRIVATE ${arg_LINK})
  # The precompiled header is built as -fPIC; -fPIE would not match it.
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE -fPIC)
  if(arg_DEPENDS)
    add_dependencies(${target} ${arg_DEPENDS})
  endif()
  fusec_use_mlir(${target} "${arg_LINK}" "${arg_PCH}")
endfunction()

# Everything that is linked against MLIR uses a shared precompiled header. Not with
# REUSE_FROM: ccache hashes the absolute paths that this passes on, and would never
# find what another folder has compiled.
function(fusec_use_mlir target libs pch)
  if(TARGET fusec_pch AND NOT "${libs}" MATCHES "fusec_no_mlir")
    target_link_libraries(${target} PRIVATE fusec_mlir)
    if(NOT pch)
      set(pch fusec_pch)
    endif()
    get_target_property(header ${pch} FUSEC_HEADER)
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
        set_property(SOURCE ${source} APPEND PROPERTY
          OBJECT_DEPENDS ${compiled} ${compiled}.sum)
      endif()
    endforeach()
  endif()
endfunction()

function(fusec_precompiled_header name)
  cmake_parse_arguments(arg "" "EXTENDS" "MADE_OF;DEPENDS" ${ARGN})
  set(headers ${FUSEC_MLIR_HEADERS})
  set(made_of)
  if(arg_EXTENDS)
    get_target_property(headers ${arg_EXTENDS} FUSEC_HEADERS)
    get_target_property(made_of ${arg_EXTENDS} FUSEC_MADE_OF)
  endif()
  list(APPEND headers ${arg_UNPARSED_ARGUMENTS})
  list(APPEND made_of ${arg_MADE_OF})

  set(source ${PROJECT_BINARY_DIR}/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "")
  add_library(${name} OBJECT ${source})
  fusec_compile_settings(${name})
  target_link_libraries(${name} PUBLIC fusec_mlir)
  target_precompile_headers(${name} PRIVATE ${headers})
  if(arg_DEPENDS OR arg_EXTENDS)
    add_dependencies(${name} ${arg_DEPENDS} ${arg_EXTENDS})
  endif()
  set(header ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${name}.dir/cmake_pch.hxx)
  set_target_properties(${name} PROPERTIES FUSEC_HEADER ${header}
    FUSEC_HEADERS "${headers}" FUSEC_MADE_OF "${made_of}")

  # The compiled header holds absolute paths, so that no two build folders have the
  # same. What it was made from tells ccache whether it is the same.
  string(SHA256 versions
    "${headers} ${LLVM_PACKAGE_VERSION} ${fmt_VERSION} ${Protobuf_VERSION}")
  set(suffix gch)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    set(suffix pch)
  endif()
  set(sum ${header}.${suffix}.sum)
  set(hashes)
  if(made_of)
    set(hashes COMMAND ${CMAKE_COMMAND} -E sha256sum ${made_of} >> ${sum})
  endif()
  list(TRANSFORM made_of PREPEND ${PROJECT_SOURCE_DIR}/)
  add_custom_command(OUTPUT ${sum}
    COMMAND ${CMAKE_COMMAND} -E echo ${versions} > ${sum} ${hashes}
    DEPENDS ${made_of} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM)
  target_sources(${name} PRIVATE ${sum})
endfunction()
