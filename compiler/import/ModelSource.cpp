// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/ModelSource.h"

#include "compiler/import/FlatGraph.h"
#include "dialects/fuse/ModelSource.h"

using namespace mlir;

namespace fusec {

static constexpr size_t kMaxText = 4096;
static constexpr int kMaxEntries = 64;

/// Not more than kMaxText bytes, and no half character of UTF-8 at the end.
static std::string boundText(llvm::StringRef text) {
  if (text.size() <= kMaxText)
    return text.str();
  size_t end = kMaxText;
  while (end > kMaxText - 4 && (uint8_t(text[end]) & 0xc0) == 0x80)
    --end;
  return (text.take_front(end) + "... (" + llvm::Twine(text.size()) +
          " bytes in all)")
      .str();
}

DictionaryAttr describeSource(const onnx::ModelProto &model, size_t numNodes,
                              MLIRContext &context) {
  Builder builder(&context);
  SmallVector<NamedAttribute> members;
  auto addText = [&](llvm::StringRef name, llvm::StringRef text) {
    if (!text.empty())
      members.push_back(
          builder.getNamedAttr(name, builder.getStringAttr(boundText(text))));
  };
  auto addNumber = [&](llvm::StringRef name, int64_t number) {
    if (number)
      members.push_back(
          builder.getNamedAttr(name, builder.getI64IntegerAttr(number)));
  };
  addText("producer", model.producer_name());
  addText("producer_version", model.producer_version());
  addNumber("ir_version", model.ir_version());
  addNumber("nodes", numNodes);
  addText("domain", model.domain());
  addNumber("model_version", model.model_version());
  addText("graph", model.graph().name());
  addText("doc", model.doc_string());
  addText("graph_doc", model.graph().doc_string());
  SmallVector<Attribute> opsets, metadata;
  for (const onnx::OperatorSetIdProto &opset : model.opset_import())
    if (int(opsets.size()) < kMaxEntries)
      opsets.push_back(builder.getDictionaryAttr(
          {builder.getNamedAttr(
               "domain", builder.getStringAttr(
                             boundText(canonicalDomain(opset.domain()).str()))),
           builder.getNamedAttr("version",
                                builder.getI64IntegerAttr(opset.version()))}));
  auto addEntry = [&](llvm::StringRef key, llvm::StringRef value) {
    metadata.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("key", builder.getStringAttr(boundText(key))),
         builder.getNamedAttr("value",
                              builder.getStringAttr(boundText(value)))}));
  };
  for (const onnx::StringStringEntryProto &entry : model.metadata_props())
    if (int(metadata.size()) < kMaxEntries)
      addEntry(entry.key(), entry.value());
  if (int more = model.metadata_props_size() - kMaxEntries; more > 0)
    addEntry("...", std::to_string(more) + " more");
  if (!opsets.empty())
    members.push_back(
        builder.getNamedAttr("opsets", builder.getArrayAttr(opsets)));
  if (!metadata.empty())
    members.push_back(
        builder.getNamedAttr("metadata", builder.getArrayAttr(metadata)));
  return builder.getDictionaryAttr(members);
}

} // namespace fusec
