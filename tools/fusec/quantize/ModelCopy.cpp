// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/quantize/ModelCopy.h"

#include "compiler/SharedWeights.h"
#include "tools/fusec/Cache.h"
#include "tools/fusec/Json.h"
#include "tools/fusec/Progress.h"
#include "tools/fusec/Steps.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

namespace fusec::tool {

/// A hash of the module's text and of its weights.
static std::string hashText(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  mlir::OpPrintingFlags flags;
  flags.elideLargeResourceString(0);
  module->print(os, flags);
  for (auto weight : module.getOps<fuse::WeightOp>()) {
    llvm::ArrayRef<char> bytes = weight.getBytes();
    os << llvm::utohexstr(llvm::xxh3_64bits(
        {reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()}));
  }
  llvm::XXH128_hash_t hash = llvm::xxh3_128bits(
      {reinterpret_cast<const uint8_t *>(text.data()), text.size()});
  return llvm::utohexstr(hash.high64, true, 16) +
         llvm::utohexstr(hash.low64, true, 16);
}

ExitCode buildCopy(const Driver &driver,
                   mlir::OwningOpRef<mlir::ModuleOp> module,
                   const std::string &what, const SharedPool &pool,
                   ModelCopy &copy) {
  CompileOptions options = driver.getOptions();
  options.until.clear();
  options.level = kHighestLevel;
  options.row = getNativeTarget().name.str();
  for (auto weight : (*module).getOps<fuse::WeightOp>())
    lendBytes(weight);
  // It is compiled from the beginning, with all rules, for this machine.
  (*module)->removeAttr(kStageAttr);
  (*module)->removeAttr(kTargetAttr);
  llvm::Expected<HostCompiler> compiler = findCompiler();
  if (!compiler)
    return fail(compiler.takeError(), kCompilerHint);
  llvm::Expected<std::string> key = contentKey(options, *compiler);
  if (!key)
    return fail(key.takeError());
  copy.key = *key + "-" + hashText(*module);
  reportProgress("building " + what);
  Driver compiled(options, driver, std::move(module));
  BuiltModel built;
  if (ExitCode code = buildFolder(
          copy.key, *compiler,
          [&](llvm::StringRef folder) { return compileInto(compiled, folder); },
          built);
      code != kExitFine)
    return code;
  clearProgress();
  auto loaded = Executable::load(built, {pool, "", kCpu, "", nullptr, nullptr});
  if (!loaded)
    return fail(loaded.takeError());
  copy.model = std::move(*loaded);
  return kExitFine;
}

} // namespace fusec::tool
