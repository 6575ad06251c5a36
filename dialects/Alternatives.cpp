// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Alternatives.h"

#include "dialects/words/Words.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace fusec {

LogicalResult verifyAlternatives(Operation *op, ArrayAttr algorithms,
                                 MutableArrayRef<Region> alternatives) {
  if (alternatives.empty())
    return op->emitOpError("has no alternative");
  if (algorithms.size() != alternatives.size())
    return op->emitOpError()
           << "names " << algorithms.size() << " algorithms, it has "
           << alternatives.size() << " alternatives";
  llvm::DenseSet<Attribute> names;
  for (Attribute name : algorithms)
    if (!names.insert(name).second)
      return op->emitOpError() << "has two alternatives " << name;
  return failure(failed(verifyWord(op, "algorithms")) ||
                 failed(verifyHash(op, "key")) ||
                 failed(verifyHash(op, "hash")));
}

} // namespace fusec
