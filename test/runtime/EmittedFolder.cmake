# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds the demo folder with a copy of the runtime in it, away from this project,
# with g++ and all warnings as errors; runs it; and checks that its kernels export
# nothing but their tables, so that no symbol is shared by two instruction sets.
cmake_minimum_required(VERSION 3.20)
find_program(gxx NAMES g++ REQUIRED)
find_program(gcc NAMES gcc REQUIRED)
find_program(nm NAMES nm REQUIRED)

file(REMOVE_RECURSE ${WORK})
file(COPY ${DEMO}/ DESTINATION ${WORK}/demo)
foreach(part CMakeLists.txt cmake fast_run include src)
  file(COPY ${RUNTIME}/${part} DESTINATION ${WORK}/demo/runtime
    PATTERN FusecCuda.cmake EXCLUDE)
endforeach()
file(COPY ${MAIN} DESTINATION ${WORK})
file(WRITE ${WORK}/CMakeLists.txt "
cmake_minimum_required(VERSION 3.20)
project(user LANGUAGES C CXX)
add_subdirectory(demo)
add_executable(user CApiTest.c)
target_link_libraries(user PRIVATE demo m)
")

function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result
    OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    string(JOIN " " command ${ARGN})
    message(FATAL_ERROR "${command} failed (${result}):\n${output}")
  endif()
endfunction()

step(${CMAKE_COMMAND} -S ${WORK} -B ${WORK}/build -DCMAKE_C_COMPILER=${gcc}
  -DCMAKE_CXX_COMPILER=${gxx} -DFUSEC_WERROR=ON "-DCMAKE_CXX_FLAGS=-Werror -fno-exceptions -fno-rtti")
step(${CMAKE_COMMAND} --build ${WORK}/build)
step(${WORK}/build/user ${DEMO}/weights.bin)

file(GLOB_RECURSE objects ${WORK}/build/*demo_kernels.cpp.o)
list(LENGTH objects count)
if(count LESS 1)
  message(FATAL_ERROR "no kernel objects in ${WORK}/build")
endif()
foreach(object ${objects})
  execute_process(COMMAND ${nm} --defined-only --extern-only ${object}
    OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[0-9a-f]+ [A-Za-z] [^\n]+" symbols "${symbols}")
  list(LENGTH symbols number)
  if(NOT number EQUAL 1 OR NOT symbols MATCHES " [DRB] demo_kernels_[a-z0-9]+$")
    message(FATAL_ERROR "${object} exports '${symbols}', not its table alone")
  endif()
endforeach()
