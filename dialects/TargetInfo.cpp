// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/TargetInfo.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;

namespace fusec {

llvm::ArrayRef<llvm::StringLiteral> getLevelKinds(TargetKind kind) {
  static constexpr llvm::StringLiteral cpu[] = {"cores", "cache", "registers",
                                                "unit"};
  static constexpr llvm::StringLiteral gpu[] = {"grid", "block", "team",
                                                "thread"};
  return kind == TargetKind::cpu ? ArrayRef(cpu) : ArrayRef(gpu);
}

unsigned Multiprocessor::getNumber() const {
  unsigned number = 0;
  (void)architecture.split('_').second.getAsInteger(10, number);
  return number;
}

int64_t InstructionSet::countRegisters(int64_t bytes) const {
  return llvm::divideCeil(bytes, vectorBytes);
}

int64_t InstructionSet::countInFlight(int64_t bytes) const {
  return std::max<int64_t>(1,
                           fmaLatency * fmasPerCycle / countRegisters(bytes));
}

int64_t InstructionSet::countRows(int64_t bytes) const {
  int64_t row = countRegisters(bytes);
  return std::max<int64_t>(1, (registers - row - 1) / row);
}

int64_t InstructionSet::countCopies(int64_t rows, int64_t bytes) const {
  int64_t row = countRegisters(bytes), sums = rows * row;
  if (rows > 1 && sums + row + rows + 2 > registers)
    return 1;
  return std::max<int64_t>(1, loopOperations / sums);
}

const MatrixUnit *Multiprocessor::getMatrixUnit(llvm::StringRef unit) const {
  for (const MatrixUnit *each : matrixUnits)
    if (each->name == unit)
      return each;
  return nullptr;
}

int64_t Multiprocessor::countColumns(int64_t extent) const {
  // Of elements of 4 bytes a sector has 8.
  for (int64_t columns = warp; columns >= 8; columns /= 2)
    if (extent % columns == 0)
      return columns;
  return 0;
}

int64_t TargetInfo::countTasks(llvm::ArrayRef<int64_t> extents,
                               llvm::ArrayRef<unsigned> contiguous, bool reuses,
                               int64_t lane) const {
  size_t none = extents.size();
  size_t lanesOf = contiguous.empty() ? none : contiguous.back();
  size_t rowsOf = none;
  for (auto [loop, extent] : llvm::enumerate(extents))
    if (reuses && extent > 1 && loop != lanesOf)
      rowsOf = loop;
  int64_t tasks = 1, rows = getRows(lane);
  for (auto [loop, extent] : llvm::enumerate(extents)) {
    int64_t together = loop == lanesOf ? lanes : loop == rowsOf ? rows : 1;
    tasks *= (extent + together - 1) / together;
  }
  return tasks;
}

const TargetInfo *getTargetInfo(llvm::StringRef name) {
  for (const TargetInfo &target : getTargets())
    if (target.name == name)
      return &target;
  return nullptr;
}

const InstructionSet *TargetInfo::getSet(llvm::StringRef set) const {
  const auto *found = llvm::find_if(
      sets, [&](const InstructionSet *known) { return known->name == set; });
  return found == sets.end() ? nullptr : *found;
}

/// `row` as the instruction set `isa` sees it, which may be none of its own.
static const TargetInfo &seenBy(const TargetInfo &row, StringRef isa) {
  static const std::vector<TargetInfo> views = [] {
    std::vector<TargetInfo> all;
    for (const TargetInfo &target : getTargets())
      for (const InstructionSet *set : target.sets.drop_front())
        all.emplace_back(target).tiledFor = set;
    return all;
  }();
  for (const TargetInfo &view : views)
    if (view.name == row.name && view.tiledFor->name == isa)
      return view;
  return row;
}

const TargetInfo &getTargetInfo(Operation *op) {
  StringRef isa;
  for (; op; op = op->getParentOp()) {
    if (auto name = op->getAttrOfType<StringAttr>(kIsaAttr))
      isa = name.getValue();
    if (auto name = op->getAttrOfType<StringAttr>(kTargetAttr))
      if (const TargetInfo *target = getTargetInfo(name.getValue()))
        return seenBy(*target, isa);
  }
  return seenBy(getTargets()[0], isa);
}

LogicalResult verifyTarget(Operation *op, Attribute target) {
  auto name = dyn_cast<StringAttr>(target);
  if (name && getTargetInfo(name.getValue()))
    return success();
  InFlightDiagnostic error = op->emitOpError()
                             << "has " << kTargetAttr << " = " << target
                             << ", which is no row of the table of targets (";
  llvm::interleaveComma(getTargets(), error,
                        [&](const TargetInfo &known) { error << known.name; });
  return error << ")";
}

LogicalResult verifyIsa(Operation *op, std::optional<llvm::StringRef> isa) {
  const TargetInfo &target = getTargetInfo(op);
  if (!isa || target.getSet(*isa))
    return success();
  InFlightDiagnostic error = op->emitOpError()
                             << "has " << kIsaAttr << " = \"" << *isa
                             << "\", for which target " << target.name
                             << " has no tiles; it has them for ";
  llvm::interleaveComma(target.sets, error, [&](const InstructionSet *known) {
    error << known->name;
  });
  return error;
}

const TargetInfo &getNativeTarget() {
  llvm::StringRef cpu = llvm::sys::getHostCPUName();
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  llvm::Triple triple(llvm::sys::getProcessTriple());
  llvm::StringRef name = triple.isAArch64() ? "neon"
                         : triple.isX86() && !features.lookup("avx2")
                             ? "portable"
                             : kDefaultTarget;
  // A virtual machine may go by another processor's name, but not by features
  // that it lacks.
  if (cpu == "sapphirerapids" || cpu == "emeraldrapids" ||
      features.lookup("avx512fp16"))
    name = features.lookup("amx-int8") && features.lookup("amx-bf16")
               ? "sapphire-rapids-amx"
               : "sapphire-rapids";
  // Zen 4 and later. Others with AVX-512 have no products of bf16, or such as
  // do not pay, and have the tiles of "generic" for AVX-512.
  else if (features.lookup("avx512bf16") && cpu != "cooperlake")
    name = "zen4";
  return *getTargetInfo(name);
}

} // namespace fusec
