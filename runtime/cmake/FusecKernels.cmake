# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# fusec_kernel_isas(RESULT)
#   The instruction sets that kernels are compiled for on this processor.
# fusec_kernel_flags(RESULT ISA [COMPILER_ID])
#   How kernels are compiled for one of them, by the compiler that CMake calls so
#   (default: this project's). Signed integers wrap around, as the models' do. Never
#   -ffast-math: it deletes the handling of NaN and infinity and, when linked into a
#   shared library, sets flush-to-zero for the whole process.
# fusec_add_kernels(TARGET source...)
#   Compiles the kernel sources of a model once per instruction set and adds the
#   objects to TARGET. The session picks one by CPUID.
# fusec_add_shared(TARGET)
#   TARGET_shared, not built unless it is asked for: a shared library with the model
#   and the runtime in it, for programs that load it (Python's ctypes, dlopen).
#
# FUSEC_KERNEL_ISAS, where set, lists the instruction sets to compile for, out of
# baseline, avx2 and avx512: a build for one machine needs only its own.
function(fusec_kernel_isas result)
  set(isas baseline)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    list(APPEND isas avx2 avx512)
  endif()
  set(${result} ${isas} PARENT_SCOPE)
endfunction()

function(fusec_kernel_flags result isa)
  set(compiler ${CMAKE_CXX_COMPILER_ID} ${ARGN})
  list(GET compiler -1 compiler)
  set(flags -O3 -fno-math-errno -fno-trapping-math -ffp-contract=fast -fwrapv)
  if(compiler STREQUAL "GNU")
    # It keeps operands from one iteration to the next, in place of accumulators.
    list(APPEND flags -fno-predictive-commoning)
  endif()
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    set(baseline -march=x86-64)
    set(avx2 -march=x86-64-v3)
    set(avx512 -march=x86-64-v4 -mprefer-vector-width=512)
    list(APPEND flags ${${isa}})
  endif()
  set(${result} ${flags} PARENT_SCOPE)
endfunction()

function(fusec_add_kernels target)
  fusec_kernel_isas(isas)
  if(FUSEC_KERNEL_ISAS)
    set(isas ${FUSEC_KERNEL_ISAS})
  endif()
  foreach(isa ${isas})
    string(TOUPPER ${isa} upper)
    target_compile_definitions(${target} PRIVATE FUSEC_HAS_${upper}_KERNELS)
    set(object ${target}_kernels_${isa})
    add_library(${object} OBJECT ${ARGN})
    fusec_kernel_flags(flags ${isa})
    target_compile_options(${object} PRIVATE ${flags} -Wall -Wextra)
    target_compile_definitions(${object} PRIVATE FUSEC_ISA=${isa})
    target_link_libraries(${object} PRIVATE fusec_abi)
    set_target_properties(${object} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${object}>)
    set_property(TARGET ${target} APPEND PROPERTY FUSEC_KERNEL_LIBRARIES ${object})
  endforeach()
endfunction()

function(fusec_add_shared target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  get_target_property(parts ${target} FUSEC_KERNEL_LIBRARIES)
  if(NOT parts)
    set(parts)
  endif()
  set(objects)
  foreach(part ${target} ${parts} fusec_runtime)
    list(APPEND objects $<TARGET_OBJECTS:${part}>)
  endforeach()
  add_library(${target}_shared SHARED EXCLUDE_FROM_ALL ${objects})
  set_target_properties(${target}_shared PROPERTIES
    OUTPUT_NAME ${target} LINKER_LANGUAGE CXX)
  # For what it links in turn; its objects are there already.
  target_link_libraries(${target}_shared PRIVATE fusec_runtime)
endfunction()
