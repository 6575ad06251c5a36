// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators of users: what a declaration may say.
#include "dialects/fuse/FuseOps.h"
#include "dialects/library/Declared.h"
#include "dialects/words/Words.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

bool fuse::isOperatorName(StringRef name) {
  SmallVector<StringRef> parts;
  name.split(parts, '.');
  return parts.size() > 1 && llvm::all_of(parts, isWord);
}

bool fuse::isOperatorFlag(StringRef flag) {
  return flag.size() > 1 && flag.front() == '-' &&
         llvm::all_of(flag, [](char c) {
           return llvm::isAlnum(c) || StringRef("_.+-=,/:").contains(c);
         });
}

/// What the program is built from.
static LogicalResult verifySources(OperatorOp op) {
  for (NamedAttribute source : op.getSources()) {
    if (!library::isInnerPath(source.getName()))
      return op.emitOpError()
             << "has a source '" << source.getName().getValue()
             << "', which is no path inside of a folder, of letters, digits "
                "and _.+-";
    if (!isa<StringAttr>(source.getValue()))
      return op.emitOpError()
             << "has the source '" << source.getName().getValue()
             << "', which is no text";
  }
  for (StringRef unit : op.getUnits().getAsValueRange<StringAttr>())
    if (!op.getSources().contains(unit))
      return op.emitOpError()
             << "has the unit '" << unit << "', which is none of its sources";
  if (int64_t(op.getUnit()) < 0 || op.getUnit() >= op.getUnits().size())
    return op.emitOpError() << "is registered by unit " << int64_t(op.getUnit())
                            << " of " << op.getUnits().size();
  for (StringRef flag : op.getFlags().getAsValueRange<StringAttr>())
    if (!isOperatorFlag(flag))
      return op.emitOpError() << "has the flag '" << flag
                              << "'; it needs a dash, then letters, digits and "
                                 "_.+-=,/:";
  return success();
}

StringRef OperatorOp::getScalarFile() {
  return getScalar()->getAs<StringAttr>("file");
}
StringRef OperatorOp::getScalarFunction() {
  return getScalar()->getAs<StringAttr>("function");
}
bool OperatorOp::takesLanes() {
  return getScalar()->getAs<BoolAttr>("lanes").getValue();
}
SmallVector<StringRef> OperatorOp::getScalarParameters() {
  return llvm::to_vector(getScalar()
                             ->getAs<ArrayAttr>("parameters")
                             .getAsValueRange<StringAttr>());
}

uint64_t OperatorOp::getCudaUnit() {
  return getCuda()->getAs<IntegerAttr>("unit").getInt();
}
bool OperatorOp::isCudaAlone() {
  return getCuda()->getAs<BoolAttr>("alone").getValue();
}
SmallVector<StringRef> OperatorOp::listCudaUnits() {
  SmallVector<StringRef> units;
  if (std::optional<ArrayAttr> list = getCudaUnits())
    llvm::append_range(units, list->getAsValueRange<StringAttr>());
  return units;
}

StringRef OperatorOp::getBlockFile() {
  return getBlock()->getAs<StringAttr>("file");
}
StringRef OperatorOp::getBlockFunction() {
  return getBlock()->getAs<StringAttr>("function");
}
SmallVector<StringRef> OperatorOp::getBlockParameters() {
  return llvm::to_vector(
      getBlock()->getAs<ArrayAttr>("parameters").getAsValueRange<StringAttr>());
}

bool OperatorOp::isForGpusAlone() {
  return (getCuda() && isCudaAlone()) ||
         (getBlock() && getBlock()->getAs<BoolAttr>("alone").getValue());
}

/// Who launches kernels.
static LogicalResult verifyCuda(OperatorOp op) {
  const SmallVector<StringRef> units = op.listCudaUnits();
  for (StringRef name : units)
    if (!op.getSources().contains(name))
      return op.emitOpError() << "has the unit '" << name
                              << "' in CUDA, which is none of its sources";
  DictionaryAttr cuda = op.getCudaAttr();
  if (!cuda)
    return success();
  auto unit = cuda.getAs<IntegerAttr>("unit");
  if (!unit || !unit.getType().isInteger(64) ||
      !cuda.getAs<BoolAttr>("alone") || cuda.size() != 2)
    return op.emitOpError("has cuda that needs alone, a boolean, and unit, an "
                          "integer");
  const size_t count = op.getUnits().size() + units.size();
  if (unit.getInt() < 0 || size_t(unit.getInt()) >= count)
    return op.emitOpError() << "has its form for CUDA in unit " << unit.getInt()
                            << " of " << count;
  return success();
}

/// A function in one of the sources, whose arguments end with all parameters:
/// `kind` with file, function, parameters and a boolean called `flag`.
static LogicalResult verifyFunction(OperatorOp op, DictionaryAttr said,
                                    StringRef kind, StringRef flag) {
  auto file = said.getAs<StringAttr>("file");
  auto function = said.getAs<StringAttr>("function");
  auto parameters = said.getAs<ArrayAttr>("parameters");
  if (!file || !function || !parameters || !said.getAs<BoolAttr>(flag) ||
      said.size() != 4 || !llvm::all_of(parameters, llvm::IsaPred<StringAttr>))
    return op.emitOpError()
           << "has a " << kind << " that needs file and function, texts, "
           << flag << ", a boolean, and parameters, a list of texts";
  if (!op.getSources().contains(file))
    return op.emitOpError() << "has its function in " << file
                            << ", which is none of its sources";
  if (!isScopedWord(function))
    return op.emitOpError()
           << "has the function " << function
           << "; it needs identifiers with :: between, as in acme::swish";
  if (parameters.size() != op.getParameters().size() ||
      !llvm::all_of(parameters.getAsRange<StringAttr>(), [&](StringAttr name) {
        return op.getParameters().contains(name);
      }))
    return op.emitOpError()
           << "has a " << kind << " whose parameters are not its own";
  return success();
}

/// What kernels call.
static LogicalResult verifyFunctions(OperatorOp op) {
  if (DictionaryAttr block = op.getBlockAttr())
    if (failed(verifyFunction(op, block, "block", "alone")))
      return failure();
  DictionaryAttr scalar = op.getScalarAttr();
  if (!scalar)
    return success();
  if (op.getBlock())
    return op.emitOpError("has both a scalar and a block");
  if (failed(verifyFunction(op, scalar, "scalar", "lanes")))
    return failure();
  if (op.getInputs().empty() || op.getOutputs().size() != 1)
    return op.emitOpError("has a scalar, and needs inputs and one output");
  return success();
}

LogicalResult OperatorOp::verify() {
  if (!isOperatorName(getSymName()))
    return emitOpError() << "is called '" << getSymName()
                         << "'; it needs a domain and a type, words with a "
                            "point between";
  if (int64_t(getVersion()) < 1)
    return emitOpError() << "has version " << int64_t(getVersion())
                         << "; they begin at 1";
  for (StringRef name : {"inputs", "outputs", "library"})
    if (failed(verifyWord(*this, name)))
      return failure();
  if (failed(verifyHash(*this, "hash")))
    return failure();
  if (getOutputs().empty())
    return emitOpError("has no outputs");
  for (NamedAttribute parameter : getParameters())
    if (!isWord(parameter.getName()) ||
        !library::getValueKind(parameter.getValue()))
      return emitOpError()
             << "has the parameter " << parameter.getName() << " = "
             << parameter.getValue()
             << "; it needs a word, and a boolean, i64, f64, string, "
                "array<i64>, array<f64> or list of strings as default";
  if (failed(verifySources(*this)) || failed(verifyCuda(*this)))
    return failure();
  return verifyFunctions(*this);
}
