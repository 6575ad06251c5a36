// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What makes a scop and a statement well formed.
#include "dialects/TargetInfo.h"
#include "dialects/sched/SchedOps.h"
#include "dialects/words/Words.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::sched;

//===- scop --------------------------------------------------------------===//

/// An array has no memory space yet: where it lies is said in kernels.
static LogicalResult verifyArgument(ScopOp scop, BlockArgument argument) {
  auto type = dyn_cast<MemRefType>(argument.getType());
  if (type && type.hasStaticShape() && type.getLayout().isIdentity() &&
      !type.getMemorySpace() && getTypeInfo(type.getElementType()))
    return success();
  return scop.emitOpError()
         << "has argument " << scop.getArrayName(argument) << " of type "
         << argument.getType()
         << "; it needs a row-major memref of static shape and a supported "
            "element type, in no memory space";
}

static LogicalResult verifyArguments(ScopOp scop) {
  if (!scop.getConfigAttr())
    return success();
  for (int64_t argument : scop.getConfigAttr().getPrefetch())
    if (argument >= int64_t(scop.getNumInputs() + scop.getNumOutputs()))
      return scop.emitOpError()
             << "has a config that prefetches argument " << argument << ", and "
             << scop.getNumInputs() + scop.getNumOutputs()
             << " inputs and outputs";
  for (int64_t argument : scop.getConfigAttr().getStream())
    if (argument < int64_t(scop.getNumInputs()) ||
        argument >= int64_t(scop.getNumInputs() + scop.getNumOutputs()))
      return scop.emitOpError() << "has a config that streams argument "
                                << argument << ", which is no output";
  return success();
}

static LogicalResult verifyLanes(ScopOp scop) {
  if (!scop.getConfigAttr() || scop.getConfigAttr().getLanes().empty())
    return success();
  ArrayRef<int64_t> lanes = scop.getConfigAttr().getLanes();
  auto stmts = llvm::to_vector(scop.getBody().getOps<StmtOp>());
  if (lanes.size() != stmts.size())
    return scop.emitOpError() << "has a config with lanes of " << lanes.size()
                              << " statements, and " << stmts.size();
  for (auto [stmt, iterator] : llvm::zip(stmts, lanes))
    if (iterator >= int64_t(stmt.getNumIterators()))
      return stmt.emitOpError()
             << "has no iterator " << iterator << " to run on lanes";
  return success();
}

LogicalResult ScopOp::verifyRegions() {
  if (failed(verifyIsa(*this, getIsa())) ||
      failed(verifyPhrase(*this, getProposerAttrName())) ||
      failed(verifyHash(*this, "key")))
    return failure();
  Block &body = getBody().front();
  int64_t numInputs = getNumInputsAttr().getInt();
  int64_t numOutputs = getNumOutputsAttr().getInt();
  if (numInputs < 0 || numOutputs < 0 ||
      numInputs + numOutputs > int64_t(body.getNumArguments()))
    return emitOpError() << "has " << body.getNumArguments()
                         << " arguments, fewer than its " << numInputs
                         << " inputs and " << numOutputs << " outputs";
  for (BlockArgument argument : body.getArguments())
    if (failed(verifyArgument(*this, argument)))
      return failure();
  for (int64_t number : getWeights().value_or(ArrayRef<int64_t>()))
    if (number < 0 || number >= numInputs)
      return emitOpError() << "says that input " << number
                           << " is a weight, but has " << numInputs
                           << " inputs";
  llvm::StringMap<Operation *> names;
  llvm::DenseSet<Value> written;
  for (Operation &op : body) {
    auto stmt = dyn_cast<StmtOp>(op);
    if (!stmt) {
      InFlightDiagnostic diagnostic =
          emitOpError("holds sched.stmt operations only");
      diagnostic.attachNote(op.getLoc()) << "this is a " << op.getName();
      return diagnostic;
    }
    auto [place, isNew] = names.try_emplace(stmt.getSymName(), &op);
    if (!isNew) {
      InFlightDiagnostic diagnostic = stmt.emitOpError()
                                      << "has the name of another statement";
      diagnostic.attachNote(place->second->getLoc()) << "first used here";
      return diagnostic;
    }
    for (Value array : stmt.getReads())
      if (!written.contains(array) && !llvm::is_contained(getInputs(), array))
        return stmt.emitOpError() << "reads %" << getArrayName(array)
                                  << " before any statement writes it";
    for (Value array : stmt.getWrites()) {
      if (llvm::is_contained(getInputs(), array))
        return stmt.emitOpError()
               << "writes %" << getArrayName(array) << ", an input of the scop";
      written.insert(array);
    }
  }
  for (BlockArgument output : getOutputs())
    if (!written.contains(output))
      return emitOpError() << "never writes its output %"
                           << getArrayName(output);
  if (body.empty())
    return emitOpError("has no statement; leave it out");
  return failure(failed(verifyLanes(*this)) || failed(verifyArguments(*this)));
}

//===- stmt --------------------------------------------------------------===//

/// Names that subscripts give another meaning.
static bool isReserved(StringRef name) {
  return name == "mod" || name == "floordiv" || name == "ceildiv";
}

static LogicalResult verifyIterators(StmtOp stmt) {
  // isl prints names as they are, and reads them again.
  if (!isWord(stmt.getSymName()))
    return stmt.emitOpError() << "has the name \"" << stmt.getSymName()
                              << "\"; it needs an identifier";
  if (stmt.getDims().size() != stmt.getExtents().size())
    return stmt.emitOpError()
           << "names " << stmt.getDims().size() << " iterators but bounds "
           << stmt.getExtents().size();
  llvm::StringSet<> names;
  for (auto [name, extent] : llvm::zip(stmt.getDimNames(), stmt.getExtents())) {
    if (toIdentifier(name) != name || isReserved(name))
      return stmt.emitOpError()
             << "has an iterator named \"" << name
             << "\"; it needs an identifier other than mod, floordiv and "
                "ceildiv";
    if (!names.insert(name).second)
      return stmt.emitOpError() << "has two iterators named " << name;
    if (extent < 0)
      return stmt.emitOpError()
             << "has iterator " << name << " of negative extent " << extent;
  }
  int64_t previous = -1;
  for (int64_t dim : stmt.getReduced()) {
    if (dim <= previous || dim >= int64_t(stmt.getNumIterators()))
      return stmt.emitOpError()
             << "needs its reduced iterators in order, each once";
    previous = dim;
  }
  return success();
}

/// What is needed, and what runs.
static LogicalResult verifyPoints(StmtOp stmt) {
  for (std::optional<AffineMap> map : {stmt.getNeeded(), stmt.getRuns()})
    if (map && (map->getNumDims() != stmt.getNumIterators() ||
                map->getNumSymbols() != 0 || map->getNumResults() == 0))
      return stmt.emitOpError("says which points are needed or run by other "
                              "iterators than its own, or by none");
  for (AffineExpr expr : stmt.getNeededExprs())
    if (!readDifference(expr))
      return stmt.emitOpError()
             << "says what is needed by "
             << formatSubscript(expr, stmt.getDimNames())
             << "; it needs a difference of two iterators, of which one may "
                "number what is in a block, and a constant";
  return success();
}

/// Checks that the subscripts that are sums of iterators stay inside.
static LogicalResult verifyBounds(StmtOp stmt, const Access &access,
                                  StringRef what) {
  if (access.padding)
    return success();
  auto type = cast<MemRefType>(access.array.getType());
  for (auto [dim, expr] : llvm::enumerate(access.map.getResults())) {
    auto range = getRange(expr, stmt.getExtents());
    if (!range || (range->first >= 0 && range->second < type.getDimSize(dim)))
      continue;
    return stmt.emitOpError()
           << what << " outside its array: subscript "
           << formatSubscript(expr, stmt.getDimNames()) << " takes ["
           << range->first << ", " << range->second << "] in dimension " << dim
           << " of extent " << type.getDimSize(dim);
  }
  return success();
}

static LogicalResult verifyAccess(StmtOp stmt, const Access &access,
                                  const Twine &what) {
  auto type = dyn_cast<MemRefType>(access.array.getType());
  if (!type || access.map.getNumResults() != type.getRank())
    return stmt.emitOpError() << what << " has " << access.map.getNumResults()
                              << " subscripts for " << access.array.getType();
  if (access.map.getNumDims() != stmt.getNumIterators())
    return stmt.emitOpError()
           << what << " has a map of " << access.map.getNumDims()
           << " iterators, the statement has " << stmt.getNumIterators();
  if (Value(access.array).getParentBlock() != stmt->getBlock())
    return stmt.emitOpError() << what << " is of no argument of the scop";
  return success();
}

static LogicalResult verifyRead(StmtOp stmt, unsigned number) {
  Access read = stmt.getReadAccess(number);
  std::string what = "read " + std::to_string(number);
  if (failed(verifyAccess(stmt, read, what)) ||
      failed(verifyBounds(stmt, read, "reads")))
    return failure();
  if (read.padding) {
    Type expected =
        getComputeType(cast<MemRefType>(read.array.getType()).getElementType());
    if (read.padding.getType() != expected)
      return stmt.emitOpError()
             << what << " has a padding of type " << read.padding.getType()
             << ", not " << expected;
  }
  if (read.map.getNumSymbols() != 0)
    return stmt.emitOpError()
           << what << " is data-dependent; sched.gather is for that";
  return success();
}

static LogicalResult verifyGather(StmtOp stmt, GatherOp gather) {
  Access access = gather.getAccess();
  auto scop = cast<ScopOp>(stmt->getParentOp());
  if (!llvm::is_contained(scop.getInputs(), access.array)) {
    InFlightDiagnostic diagnostic =
        stmt.emitOpError("gathers from what is no input of the scop");
    diagnostic.attachNote(gather.getLoc()) << "here";
    return diagnostic;
  }
  if (failed(verifyAccess(stmt, access, "a gather")) ||
      failed(verifyBounds(stmt, access, "gathers")))
    return failure();
  if (access.map.getNumSymbols() != gather.getIndices().size())
    return stmt.emitOpError() << "gathers by " << gather.getIndices().size()
                              << " indices with a map of "
                              << access.map.getNumSymbols() << " symbols";
  Type expected =
      getComputeType(cast<MemRefType>(access.array.getType()).getElementType());
  if (gather.getType() != expected)
    return stmt.emitOpError() << "gathers " << gather.getType() << " from "
                              << access.array.getType() << ", not " << expected;
  return success();
}

static LogicalResult verifyWrite(StmtOp stmt, unsigned number) {
  Access write = stmt.getWriteAccess(number);
  std::string what = "write " + std::to_string(number);
  if (failed(verifyAccess(stmt, write, what)) ||
      failed(verifyBounds(stmt, write, "writes")))
    return failure();
  if (write.map.getNumSymbols() != 0)
    return stmt.emitOpError()
           << what << " is data-dependent; only reads may be";
  for (int64_t dim : stmt.getReduced())
    if (write.map.isFunctionOfDim(dim))
      return stmt.emitOpError() << what << " uses the reduced iterator "
                                << stmt.getDimNames()[dim];
  if (!stmt.isReduction())
    return success();
  if (number < stmt.getReads().size()) {
    Access read = stmt.getReadAccess(number);
    if (read.array == write.array && read.map == write.map && !read.padding)
      return success();
  }
  return stmt.emitOpError()
         << "reduces, so its read " << number << " needs to be its write "
         << number << ", the accumulator";
}

static LogicalResult verifyBody(StmtOp stmt) {
  auto computeTypes = [](ValueRange arrays) {
    return llvm::to_vector(llvm::map_range(arrays, [](Value array) {
      return getComputeType(cast<MemRefType>(array.getType()).getElementType());
    }));
  };
  Block &body = stmt.getBody().front();
  SmallVector<Type> expected = computeTypes(stmt.getReads());
  if (TypeRange(body.getArgumentTypes()) != TypeRange(expected))
    return stmt.emitOpError()
           << "needs body arguments of the reads' compute types (" << expected
           << "), has (" << body.getArgumentTypes() << ")";
  if (body.empty() || !isa<YieldOp>(body.back()))
    return stmt.emitOpError("needs a body that ends in sched.yield");
  auto yield = cast<YieldOp>(body.back());
  expected = computeTypes(stmt.getWrites());
  if (yield.getOperandTypes() != TypeRange(expected))
    return stmt.emitOpError()
           << "needs to yield the writes' compute types (" << expected
           << "), yields (" << yield.getOperandTypes() << ")";
  for (Operation &op : body) {
    if (op.getNumRegions() || !isMemoryEffectFree(&op)) {
      InFlightDiagnostic diagnostic =
          stmt.emitOpError("needs a body of pure scalar operations");
      diagnostic.attachNote(op.getLoc()) << "this operation is not one";
      return diagnostic;
    }
    if (auto gather = dyn_cast<GatherOp>(op);
        gather && failed(verifyGather(stmt, gather)))
      return failure();
    auto index = dyn_cast<IndexOp>(op);
    if (index && index.getDim() >= stmt.getNumIterators()) {
      InFlightDiagnostic diagnostic = stmt.emitOpError()
                                      << "has " << stmt.getNumIterators()
                                      << " iterators";
      diagnostic.attachNote(op.getLoc())
          << "this asks for number " << index.getDim();
      return diagnostic;
    }
  }
  return success();
}

LogicalResult StmtOp::verifyRegions() {
  if (!isa_and_nonnull<ScopOp>((*this)->getParentOp()))
    return emitOpError("belongs into a sched.scop");
  if (failed(verifyIterators(*this)) || failed(verifyPoints(*this)))
    return failure();
  if (getWrites().empty())
    return emitOpError("writes nothing");
  if (getReadMaps().size() != getReads().size() ||
      getPaddings().size() != getReads().size() ||
      getWriteMaps().size() != getWrites().size())
    return emitOpError(
        "needs one map per read and write, and one padding per read");
  for (unsigned i = 0; i < getReads().size(); ++i)
    if (failed(verifyRead(*this, i)))
      return failure();
  for (unsigned i = 0; i < getWrites().size(); ++i)
    if (failed(verifyWrite(*this, i)))
      return failure();
  return verifyBody(*this);
}
