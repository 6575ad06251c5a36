# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# mimalloc in place of the C library's malloc, where it is installed and no
# sanitizer needs its own. A fifth of a compilation is isl allocating small
# objects and freeing them, and mimalloc takes some 15 % off the whole.
#
#   fusec_use_mimalloc(TARGET)      a program that compiles models
#
# Nothing that is emitted, and nothing of the runtime, is linked with it.
find_package(mimalloc QUIET CONFIG)

function(fusec_use_mimalloc target)
  if(TARGET mimalloc AND NOT FUSEC_SANITIZE)
    target_link_libraries(${target} PRIVATE $<LINK_ONLY:mimalloc>)
    # No object names it; without this, a linker that leaves out what is not
    # needed would leave it out.
    target_link_options(${target} PRIVATE LINKER:-u,mi_version)
  endif()
endfunction()
