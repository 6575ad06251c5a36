# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs PROGRAM if PROBE lists ISA; otherwise says that it is skipped.
cmake_minimum_required(VERSION 3.20)
execute_process(COMMAND ${PROBE} OUTPUT_VARIABLE supported
  COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" supported "${supported}")
if(NOT ISA IN_LIST supported)
  message(NOTICE "Skipped\nthis machine has no ${ISA}")
  return()
endif()
execute_process(COMMAND ${PROGRAM} --gtest_brief=1 RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} failed: ${result}")
endif()
