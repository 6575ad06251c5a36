# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# fusec_link_vendors(TARGET vendor...)
#   Links the libraries of others that a model, TARGET, was compiled with (--vendor):
#   openblas or onednn. Its TARGET_shared has them too, where there is one.
function(fusec_link_vendors target)
  foreach(vendor ${ARGN})
    set(further)
    if(vendor STREQUAL "openblas")
      set(title OpenBLAS)
      set(package libopenblas-dev)
      set(header cblas.h)
      set(library openblas)
    elseif(vendor STREQUAL "onednn")
      set(title oneDNN)
      set(package libdnnl-dev)
      set(header dnnl.h)
      set(library dnnl)
      set(further gomp) # for the number of threads
    else()
      message(FATAL_ERROR "${target}: there is no vendor '${vendor}', only openblas and onednn")
    endif()
    find_path(FUSEC_${title}_INCLUDE ${header})
    find_library(FUSEC_${title}_LIBRARY ${library})
    if(NOT FUSEC_${title}_INCLUDE OR NOT FUSEC_${title}_LIBRARY)
      message(FATAL_ERROR "the model ${target} calls ${title}, and ${header} or the library "
        "${library} is not found: install ${package}, name its prefix with "
        "-DCMAKE_PREFIX_PATH, or compile the model without --vendor=${vendor} "
        "(VENDOR ${vendor} of fusec_add_model)")
    endif()
    target_include_directories(${target} PRIVATE ${FUSEC_${title}_INCLUDE})
    target_link_libraries(${target} PUBLIC ${FUSEC_${title}_LIBRARY} ${further})
    if(TARGET ${target}_shared)
      target_link_libraries(${target}_shared PRIVATE ${FUSEC_${title}_LIBRARY} ${further})
    endif()
  endforeach()
endfunction()
