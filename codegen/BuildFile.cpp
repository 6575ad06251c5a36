// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CMakeLists.txt of an emitted folder.
#include "codegen/Emitters.h"
#include "codegen/UserOperators.h"
#include "dialects/TargetInfo.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace fusec::codegen {

/// How the kernels of a target are compiled.
static void addKernels(const ModelInfo &target, ArrayRef<std::string> kernels,
                       StringRef name, llvm::raw_ostream &out) {
  if (kernels.empty())
    return;
  out << getPlatformFiles(*target.target->platform).buildFunction << "(" << name
      << (kernels.size() > 1 ? "\n  " : " ") << llvm::join(kernels, "\n  ");
  if (const Multiprocessor *multiprocessor = target.target->multiprocessor)
    out << " ARCHITECTURE " << multiprocessor->getNumber();
  out << ")\n";
}

std::string emitCMakeLists(ArrayRef<ModelInfo> targets,
                           ArrayRef<TargetFiles> sources,
                           const EmitOptions &options) {
  const std::string &name = targets.front().identifier;
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "# " << kEmittedBy << "\n"
      << "# " << name << ": a library with the model `" << name
      << "`. Link it and include \"" << name << ".h\".\n"
      << "cmake_minimum_required(VERSION 3.20)\n"
      << "project(" << name << " LANGUAGES C CXX)\n"
      << "if(NOT CMAKE_BUILD_TYPE)\n"
      << "  set(CMAKE_BUILD_TYPE Release)\n"
      << "endif()\n\n"
      << "if(NOT TARGET fusec_runtime)\n";
  if (options.bundleRuntime)
    out << "  add_subdirectory(runtime)\n";
  else
    out << "  find_package(fusec_runtime REQUIRED)\n";
  out << "endif()\n\n"
      << "add_library(" << name << " STATIC";
  for (const ModelInfo &target : targets)
    if (target.hasFiles())
      out << " " << target.identifier << ".cpp";
  out << ")\n"
      << "fusec_own_flags(" << name << ")\n";
  bool hasCalls = false;
  llvm::SetVector<StringRef> vendors, buildFiles;
  for (auto [target, files] : llvm::zip_equal(targets, sources)) {
    StringRef buildFile = getPlatformFiles(*target.target->platform).buildFile;
    if (!files.kernels.empty() && !buildFile.empty())
      buildFiles.insert(buildFile);
    hasCalls |= !target.calls.empty();
    for (const library::Vendor *vendor : target.getVendors())
      vendors.insert(vendor->name);
  }
  // Where fusec is installed, its package has the function.
  if (options.bundleRuntime)
    for (StringRef file : buildFiles)
      out << "include(runtime/" << file << ")\n";
  for (auto [target, files] : llvm::zip_equal(targets, sources))
    addKernels(target, files.kernels, name, out);
  out << "target_include_directories(" << name
      << " PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})\n"
      << "target_link_libraries(" << name << " PUBLIC fusec_runtime)\n";
  // The runtime of the project may be another model's, without the routines
  // that this one calls.
  if (options.bundleRuntime && hasCalls)
    out << "target_include_directories(" << name
        << " PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/runtime/include)\n";
  std::vector<OperatorUnit> units = listOperatorUnits(targets);
  if (!units.empty() && options.bundleRuntime)
    out << "include(runtime/" << kOperatorsFile << ")\n";
  for (const OperatorUnit &unit : units) {
    out << (unit.architecture ? "fusec_add_device_operators("
                              : "fusec_add_operators(")
        << name << " " << unit.path;
    if (unit.architecture)
      out << " ARCHITECTURE " << *unit.architecture;
    if (!unit.flags.empty())
      out << " FLAGS " << llvm::join(unit.flags, " ");
    out << ")\n";
  }
  if (options.embedWeights && targets.front().weightsBytes)
    out << "fusec_embed_weights(" << name
        << " ${CMAKE_CURRENT_SOURCE_DIR}/weights.bin)\n";
  out << "fusec_add_shared(" << name << ")\n";
  if (!vendors.empty()) {
    if (options.bundleRuntime)
      out << "include(runtime/" << kVendorsFile << ")\n";
    out << "fusec_link_vendors(" << name << " " << llvm::join(vendors, " ")
        << ")\n";
  }
  return text;
}

} // namespace fusec::codegen
