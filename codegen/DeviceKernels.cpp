// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of a GPU, as source of CUDA or a language like it.
#include "codegen/Emitters.h"
#include "codegen/KernelEmitter.h"
#include "codegen/UserOperators.h"

using namespace mlir;

namespace fusec::codegen {

namespace {

/// One file of kernels.
struct DeviceFile {
  DeviceFile(const ModelInfo &model, const TargetSyntax &syntax,
             StringRef suffix, const std::string &what);
  /// Begins the namespace of the kernels.
  void open();
  EmittedFile finish();

  std::string name, scope;
  SourceWriter out;
};

} // namespace

DeviceFile::DeviceFile(const ModelInfo &model, const TargetSyntax &syntax,
                       StringRef suffix, const std::string &what)
    : name(model.identifier + suffix.str()),
      scope("fusec::" + model.identifier) {
  out.comment(kEmittedBy);
  out.comment("The kernels of `" + model.identifier + "` for GPUs" + what +
              ": the first argument is scratch memory, then come inputs and "
              "outputs.");
  out.raw("#pragma once");
  out.raw();
  out.raw("#include \"" + syntax.vocabulary + "\"");
  for (StringRef header : model.getDeviceHeaders())
    out.raw("#include \"" + header + "\"");
}

void DeviceFile::open() {
  out.raw();
  out.raw("namespace " + scope + " {");
}

EmittedFile DeviceFile::finish() {
  out.raw();
  out.raw("} // namespace " + scope);
  return {name, out.text()};
}

FailureOr<std::vector<EmittedFile>>
emitDeviceKernels(ModelInfo &model, const PlatformFiles &platform,
                  const EmitOptions &) {
  const TargetSyntax &syntax = platform.syntax;
  const PatternSet patterns = makePatterns();
  Names names;
  DeviceFile kernels(model, syntax, syntax.kernelFileSuffix, "");
  DeviceFile aside(model, syntax, syntax.naiveFileSuffix,
                   " as plain loops in the order of the model, to compare "
                   "with");
  bool failed = false;
  failed |= mlir::failed(includeBlockFunctions(model.groups, kernels.out));
  for (DeviceFile *file : {&kernels, &aside}) {
    failed |= mlir::failed(writeScalars(model.groups, file->out));
    file->open();
  }
  for (GroupInfo &group : model.groups)
    for (VariantInfo &variant : group.variants) {
      DeviceFile &file = isAside(group, variant) ? aside : kernels;
      file.out.raw();
      variant.file = file.name;
      variant.firstLine = file.out.nextLine();
      emitKernelComment(group, variant, file.out);
      failed |= mlir::failed(
          KernelEmitter(syntax, patterns, names, file.out)
              .emit(variant.func, model.getSymbol(variant), group.parameters));
      variant.lastLine = file.out.nextLine() - 1;
    }
  if (failed)
    return failure();

  std::vector<EmittedFile> files{kernels.finish(), aside.finish()};
  SourceWriter source;
  source.comment(kEmittedBy);
  for (const EmittedFile &file : files)
    source.raw("#include \"" + file.path + "\"");
  files.push_back(
      {model.identifier + platform.sourceFileSuffix.str(), source.text()});
  return files;
}

} // namespace fusec::codegen
