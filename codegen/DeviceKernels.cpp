// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of a GPU as CUDA source.
#include "codegen/Emitters.h"
#include "codegen/KernelEmitter.h"

using namespace mlir;

namespace fusec::codegen {

FailureOr<std::vector<EmittedFile>> emitDeviceKernels(ModelInfo &model) {
  const TargetSyntax &syntax = kCudaSyntax;
  const PatternSet patterns = makePatterns();
  Names names;
  std::string file = model.identifier + syntax.kernelFileSuffix.str();
  SourceWriter out;
  out.comment(kEmittedBy);
  out.comment("The kernels of `" + model.identifier +
              "` for GPUs: the first argument is scratch memory, then come "
              "inputs and outputs.");
  out.raw("#pragma once");
  out.raw();
  out.raw("#include \"" + syntax.vocabulary + "\"");
  for (StringRef header : model.getDeviceHeaders())
    out.raw("#include \"" + header + "\"");
  out.raw();
  std::string scope = "fusec::" + model.identifier;
  out.raw("namespace " + scope + " {");
  bool failed = false;
  for (GroupInfo &group : model.groups)
    for (VariantInfo &variant : group.variants) {
      out.raw();
      variant.file = file;
      variant.firstLine = out.nextLine();
      emitKernelComment(group, variant, out);
      failed |= mlir::failed(
          KernelEmitter(syntax, patterns, names, out)
              .emit(variant.func, model.getSymbol(variant), group.parameters));
      variant.lastLine = out.nextLine() - 1;
    }
  if (failed)
    return failure();
  out.raw();
  out.raw("} // namespace " + scope);

  SourceWriter source;
  source.comment(kEmittedBy);
  source.raw("#include \"" + file + "\"");
  return std::vector<EmittedFile>{
      {file, out.text()}, {model.identifier + "_kernels.cu", source.text()}};
}

} // namespace fusec::codegen
