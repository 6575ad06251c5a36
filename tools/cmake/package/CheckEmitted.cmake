# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Says so where fusec had to give the model in FOLDER another name than NAME, as it
# does with words of C++: the build would end with a file that is not there.
if(NOT EXISTS "${FOLDER}/${NAME}.h")
  file(READ "${FOLDER}/model.json" json)
  string(JSON identifier GET "${json}" name)
  message(FATAL_ERROR "fusec_add_model(${NAME}): this is no name for C++ and CMake; "
    "${identifier} is")
endif()
