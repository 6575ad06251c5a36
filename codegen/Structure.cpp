// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tells a model with other weights from another model.
#include "codegen/Emitters.h"
#include "dialects/fuse/SwappableWeights.h"
#include "fusec/weights_hash.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace fusec::codegen {

namespace {
/// A stream whose text is only hashed.
class HashStream : public llvm::raw_ostream {
public:
  ~HashStream() override { flush(); }
  uint64_t getValue() {
    flush();
    return hash.value();
  }

private:
  void write_impl(const char *text, size_t bytes) override {
    hash.add(text, bytes);
    at += bytes;
  }
  uint64_t current_pos() const override { return at; }

  WeightsHash hash;
  uint64_t at = 0;
};
} // namespace

uint64_t hashStructure(ArrayRef<ModelInfo> targets) {
  ModuleOp first =
      func::FuncOp(targets.front().main)->getParentOfType<ModuleOp>();
  if (!fuse::hasSwappableWeights(first))
    return 0;
  HashStream out;
  for (const ModelInfo &target : targets) {
    func::FuncOp main = target.main;
    // Names of the model and of its nodes, and who exported it, say nothing.
    out << target.getTargetName() << "\n";
    OpPrintingFlags flags;
    flags.elideLargeResourceString(0);
    for (Operation &op : *main->getParentOfType<ModuleOp>().getBody())
      if (!isa<fuse::WeightOp>(op)) {
        op.print(out, flags);
        out << "\n";
      }
    for (const WeightInfo &weight : target.weights)
      out << fuse::WeightOp(weight.op).getSymName() << " "
          << fuse::WeightOp(weight.op).getTensorType() << " at "
          << weight.offset << "\n";
    out << target.weightsBytes << "\n";
  }
  // 0 says that there is none.
  const uint64_t hash = out.getValue();
  return hash ? hash : 1;
}

} // namespace fusec::codegen
