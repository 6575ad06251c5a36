// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Growing.h"

#include "compiler/Siblings.h"
#include "dialects/fuse/Growing.h"
#include "passes/graph/TensorBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/MathExtras.h"
#include <array>

using namespace mlir;

namespace fusec {

std::optional<GrowingCaches> GrowingCaches::of(ModuleOp module) {
  auto attribute = module->getAttrOfType<DictionaryAttr>(fuse::kGrowingAttr);
  if (!attribute)
    return std::nullopt;
  GrowingCaches caches;
  for (Attribute symbol : attribute.getAs<ArrayAttr>("symbols"))
    caches.symbols.push_back(cast<StringAttr>(symbol).str());
  caches.past = attribute.getAs<IntegerAttr>("past").getInt();
  caches.rows = attribute.getAs<IntegerAttr>("rows").getInt();
  return caches;
}

bool isNearPowerOfTwo(int64_t length) {
  return llvm::any_of(
      std::array<int64_t, 3>{length - 1, length, length + 1},
      [](int64_t n) { return n > 0 && llvm::isPowerOf2_64(uint64_t(n)); });
}

CompileOptions GrowingCaches::at(CompileOptions options, int64_t length) const {
  for (const std::string &symbol : symbols)
    options.import.dims[symbol] += length - past;
  return options;
}

namespace {
class Masker {
public:
  Masker(ModuleOp module, const GrowingCaches &caches,
         const CompileOptions &options, std::vector<Problem> &problems)
      : module(module), caches(caches), options(options),
        siblings(*module.getContext(), options, problems), past(caches.past),
        rows(caches.rows) {}

  void run();

private:
  func::FuncOp import(int64_t length);
  bool findMasks(padding::Proof &proof, func::FuncOp main);
  bool checkAll(padding::Proof &proof);
  void mask(padding::Proof &proof, func::FuncOp main);
  void refuse(const padding::Mixing &mixing);

  ModuleOp module;
  const GrowingCaches &caches;
  const CompileOptions &options;
  Siblings siblings;
  const int64_t past, rows;
  std::vector<padding::Mask> masks;
};
} // namespace

/// The same model for caches that have `length` rows before the run that fills
/// them, which are inputs and outputs.
func::FuncOp Masker::import(int64_t length) {
  CompileOptions other = caches.at(options, length);
  other.import.growing = caches.symbols;
  return siblings.import(
      other, "a cache cannot grow, for the model is refused at " +
                 caches.symbols.front() + "=" + std::to_string(length));
}

void Masker::refuse(const padding::Mixing &mixing) {
  siblings.refuse(
      mixing,
      "a cache that grows is a buffer of " + std::to_string(past + rows) +
          " rows, of which those behind its length are padding, and they may "
          "reach a result",
      "make no state of the caches, or export the model with caches of fixed "
      "length, which ScatterND or TensorScatter write; "
      "compiler/import/README.md of fusec says what is masked");
}

bool Masker::findMasks(padding::Proof &proof, func::FuncOp main) {
  const std::vector<std::optional<double>> fills(main.getNumArguments());
  while (true) {
    std::vector<padding::Mixing> mixing = proof.analyse(fills, masks);
    if (mixing.empty())
      return true;
    const padding::Mixing &first = mixing.front();
    if (!first.mask || llvm::any_of(masks, [&](const padding::Mask &mask) {
          return mask.value == first.mask->value;
        })) {
      refuse(first);
      return false;
    }
    masks.push_back(*first.mask);
  }
}

/// Compares the model with itself at each length, of many at the smallest, the
/// largest, and around powers of two.
bool Masker::checkAll(padding::Proof &proof) {
  constexpr int64_t kAll = 64, kEnds = 8;
  for (int64_t length = past; length-- > 0;) {
    if (past > kAll && length >= kEnds && length < past - kEnds &&
        !isNearPowerOfTwo(length))
      continue;
    padding::Sibling sibling;
    sibling.extents = {length + rows};
    sibling.main = import(length);
    if (!sibling.main)
      return false;
    if (auto mixing = proof.check(sibling)) {
      refuse(*mixing);
      return false;
    }
    siblings.drop();
  }
  return true;
}

void Masker::mask(padding::Proof &proof, func::FuncOp main) {
  BlockArgument length;
  for (BlockArgument argument : main.getArguments())
    if (main.getArgAttr(argument.getArgNumber(), fuse::kRoomAttr))
      length = argument;
  OpBuilder builder = OpBuilder::atBlockBegin(&main.getBody().front());
  fuse::TensorBuilder b(builder, length.getLoc());
  const int64_t room = past + rows;
  auto type = RankedTensorType::get({room}, builder.getI64Type());
  Value numbers = b.iota(type, 0);
  Value end = b.reshape(b.add(length, double(rows)), {});
  Value present = b.compare(fuse::CmpPredicate::lt, numbers,
                            b.broadcast(end, {room}, {}));
  for (const padding::Mask &mask : masks) {
    ArrayRef<int64_t> shape = fuse::getTensorType(mask.value).getShape();
    // A value that is masked has one coordinate (Proof::findMask).
    const int64_t axis =
        padding::findPlace(proof.getFacts(mask.value).coordinates.front(),
                           shape)
            ->axis;
    if (Operation *op = mask.value.getDefiningOp();
        op && op != present.getDefiningOp())
      builder.setInsertionPointAfter(op);
    else
      builder.setInsertionPointAfterValue(present);
    fuse::TensorBuilder at(builder, mask.value.getLoc());
    Value isThere = at.broadcast(present, shape, {axis});
    Value masked = at.select(isThere, mask.value, mask.number);
    Value(mask.value).replaceUsesWithIf(masked, [&](OpOperand &use) {
      return use.getOwner() != masked.getDefiningOp();
    });
  }
}

void Masker::run() {
  func::FuncOp main = siblings.expand(module);
  if (!main)
    return;
  if (past > 0) { // else all rows are those that the run adds
    padding::Sibling probe;
    probe.extents = {past + rows - 1};
    probe.main = import(past - 1);
    if (!probe.main)
      return;
    const padding::Symbol symbol{caches.symbols.front() + " + " +
                                     std::to_string(rows),
                                 past + rows, rows};
    padding::Proof proof(main, symbol, probe);
    if (!findMasks(proof, main) || !checkAll(proof))
      return;
    if (!masks.empty())
      mask(proof, main);
  }
  main.walk([](Operation *op) { op->removeAttr(fuse::kGrownAttr); });
  module->removeAttr(fuse::kGrowingAttr);
}

void maskGrowth(ModuleOp module, const CompileOptions &options,
                std::vector<Problem> &problems) {
  const std::optional<GrowingCaches> growing = GrowingCaches::of(module);
  if (!growing)
    return;
  if (!options.padded.empty()) {
    problems.push_back({ProblemKind::Unsupported, options.input, "", "", "", 0,
                        optionName(options.import.hints, "pad") +
                            " and caches that grow with each run exclude each "
                            "other",
                        "leave out one of them"});
    return;
  }
  Masker(module, *growing, options, problems).run();
}

} // namespace fusec
