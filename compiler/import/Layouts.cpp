// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nodes that ONNX Runtime's optimiser arranged for one processor: they say
// nothing about the model that its other nodes would not say better.
#include "compiler/import/GraphImporter.h"

#include <set>

namespace fusec {

bool isLayoutDomain(llvm::StringRef domain) {
  return domain == "com.microsoft.nchwc" || domain == "com.ms.internal.nhwc";
}

namespace {

struct LayoutNodes {
  int64_t count = 0;
  std::set<std::string> domains;

  void add(const onnx::NodeProto &node) {
    if (isLayoutDomain(node.domain())) {
      ++count;
      domains.insert(node.domain());
    }
    for (const onnx::AttributeProto &attribute : node.attribute())
      if (attribute.has_g())
        for (const onnx::NodeProto &inner : attribute.g().node())
          add(inner);
  }
};

} // namespace

void GraphImporter::checkLayouts() {
  LayoutNodes found;
  for (const FlatNode &node : graph.nodes())
    found.add(*node.proto);
  if (found.count == 0)
    return;
  std::string names;
  for (const std::string &domain : found.domains)
    names += (names.empty() ? "" : " and ") + domain;
  report(ProblemKind::Unsupported,
         "has " + llvm::Twine(found.count) + " nodes of " + names +
             ", which ONNX Runtime laid out for one processor",
         "save the model at a lower optimisation level, "
         "ORT_ENABLE_EXTENDED or less");
}

} // namespace fusec
