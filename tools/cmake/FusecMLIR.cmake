# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# LLVM/MLIR 22 and isl, as Debian packages them.
#
# fusec_mlir: isl, MLIR and LLVM in the one order that works. libLLVM exports
#   Polly's private copy of isl under the same names, so libisl.so must come
#   first on every link line.

list(APPEND CMAKE_PREFIX_PATH /usr/lib/llvm-22)
find_package(MLIR REQUIRED CONFIG)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "fusec needs LLVM/MLIR 22, found ${LLVM_PACKAGE_VERSION} in "
    "${MLIR_DIR}; install libmlir-22-dev (tools/setup.sh does)")
endif()
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)
# Where mlir_tablegen looks for the .td files of MLIR.
include_directories(SYSTEM ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})

find_library(ISL_LIBRARY isl REQUIRED)
find_path(ISL_INCLUDE_DIR isl/cpp.h REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Protobuf REQUIRED)

add_library(fusec_mlir INTERFACE)
target_include_directories(fusec_mlir SYSTEM INTERFACE
  ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS} ${ISL_INCLUDE_DIR})
target_link_libraries(fusec_mlir INTERFACE ${ISL_LIBRARY} MLIR LLVM fmt::fmt)

# The headers that nearly every MLIR translation unit reads.
set(FUSEC_MLIR_HEADERS
  <llvm/ADT/TypeSwitch.h>
  <llvm/Support/FileSystem.h>
  <mlir/Bytecode/BytecodeOpInterface.h>
  <mlir/Dialect/Arith/IR/Arith.h>
  <mlir/Dialect/Func/IR/FuncOps.h>
  <mlir/Dialect/Math/IR/Math.h>
  <mlir/Dialect/Utils/StructuredOpsUtils.h>
  <mlir/IR/AffineExpr.h>
  <mlir/IR/AffineMap.h>
  <mlir/IR/Builders.h>
  <mlir/IR/BuiltinOps.h>
  <mlir/IR/BuiltinTypes.h>
  <mlir/IR/IRMapping.h>
  <mlir/IR/Matchers.h>
  <mlir/IR/OpImplementation.h>
  <mlir/IR/PatternMatch.h>
  <mlir/IR/SymbolTable.h>
  <mlir/Interfaces/InferTypeOpInterface.h>
  <mlir/Interfaces/SideEffectInterfaces.h>
  <mlir/Pass/Pass.h>
  <mlir/Transforms/GreedyPatternRewriteDriver.h>
  <map> <optional> <string> <vector>)
# Configurations with assertions, against an LLVM without them: the header says why. The
# others keep the list as it is, and with it what ccache knows.
string(TOUPPER "${CMAKE_BUILD_TYPE}" config)
if(NOT LLVM_ENABLE_ASSERTIONS
   AND NOT "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${config}}" MATCHES "-DNDEBUG")
  list(PREPEND FUSEC_MLIR_HEADERS ${CMAKE_CURRENT_LIST_DIR}/LLVMStatistics.h)
endif()
fusec_precompiled_header(fusec_pch)
