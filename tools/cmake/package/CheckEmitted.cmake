# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Says so where fusec had to give the model in FOLDER another name than NAME, as it
# does with words of C++: the build would end with a file that is not there.
if(NOT EXISTS "${FOLDER}/${NAME}.h")
  file(READ "${FOLDER}/model.json" json)
  string(JSON identifier GET "${json}" name)
  message(FATAL_ERROR "fusec_add_model(${NAME}): this is no name for C++ and CMake; "
    "${identifier} is")
endif()
# Of a library whose operators no node names there are no sources.
foreach(source IN LISTS OPS)
  if(NOT EXISTS "${source}")
    get_filename_component(op "${source}" NAME_WE)
    string(REGEX REPLACE "_[0-9]+$" "" op "${op}")
    message(FATAL_ERROR "fusec_add_model(${NAME}): the model calls no operator of OPS "
      "${op}; leave it out")
  endif()
endforeach()
