// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the attributes of all ensembles of trees have in common.
#include "compiler/import/ops/Trees.h"

namespace fusec {

void requireRows(Node &node) {
  node.requireInputs(1, 1);
  if (node.rank(0) != 2)
    node.invalid("needs a matrix of rows of features, has " +
                 typeText(node.type(0)));
}

void requireCount(Node &node, llvm::StringRef name, size_t count,
                  int64_t wanted, llvm::StringRef per) {
  if (int64_t(count) != wanted)
    node.invalid("has " + llvm::Twine(count) + " numbers '" + name + "' for " +
                 llvm::Twine(wanted) + " " + per);
}

std::vector<int64_t> readList(Node &node, llvm::StringRef name, int64_t count,
                              llvm::StringRef per) {
  std::vector<int64_t> list = node.intsAttribute(name);
  requireCount(node, name, list.size(), count, per);
  return list;
}

std::vector<int64_t> readFlags(Node &node, llvm::StringRef name, int64_t count,
                               llvm::StringRef per) {
  if (!node.hasAttribute(name))
    return std::vector<int64_t>(count, 0);
  return readList(node, name, count, per);
}

int64_t readNumTargets(Node &node) {
  int64_t count = node.intAttribute("n_targets");
  if (count < 1)
    node.invalid("has " + llvm::Twine(count) + " targets");
  return count;
}

} // namespace fusec
