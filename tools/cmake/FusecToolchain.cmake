# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiler, linker and cache choices that hold for every target.

find_program(FUSEC_CCACHE ccache)
if(FUSEC_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # A precompiled header is reusable only if neither its timestamp nor that of
  # the headers it read enters the hash.
  set(launcher ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_PCH_EXTSUM=1
      ${FUSEC_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
endif()

# lld or mold where present: GNU ld takes seconds for each MLIR tool.
foreach(linker lld-22 ld.lld mold)
  find_program(FUSEC_LINKER_${linker} ${linker})
  if(FUSEC_LINKER_${linker})
    if(linker STREQUAL "mold")
      add_link_options(-fuse-ld=mold)
    elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
      add_link_options(-fuse-ld=lld)
    else()
      continue()
    endif()
    break()
  endif()
endforeach()

if(FUSEC_SANITIZE)
  add_compile_options(-fsanitize=${FUSEC_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${FUSEC_SANITIZE})
  set(FUSEC_SANITIZE_KERNELS ON)
  if(FUSEC_SANITIZE MATCHES "undefined")
    # The packaged LLVM lacks the type information that this check wants.
    add_compile_options(-fno-sanitize=vptr)
  endif()
endif()
