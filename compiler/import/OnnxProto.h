// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The classes that protoc generates from onnx.proto, included through one
// place because protoc's code does not compile under our warnings.
#ifndef FUSEC_COMPILER_IMPORT_ONNXPROTO_H
#define FUSEC_COMPILER_IMPORT_ONNXPROTO_H

#if defined(__GNUC__)
#pragma GCC system_header
#endif

#include "compiler/import/onnx.pb.h"

#endif // FUSEC_COMPILER_IMPORT_ONNXPROTO_H
