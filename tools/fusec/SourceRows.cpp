// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/SourceRows.h"

namespace json = llvm::json;

namespace fusec::tool {

std::vector<std::pair<std::string, std::string>>
sourceRows(const json::Object &model) {
  std::vector<std::pair<std::string, std::string>> rows;
  const json::Object *source = model.getObject("source");
  if (!source)
    return rows;
  auto add = [&](llvm::StringRef label, std::string text) {
    if (!text.empty())
      rows.push_back({label.str(), std::move(text)});
  };
  auto text = [](const json::Object &object, llvm::StringRef key) {
    if (auto number = object.getInteger(key))
      return std::to_string(*number);
    return object.getString(key).value_or("").str();
  };
  auto each = [&](llvm::StringRef key, auto &&visit) {
    if (const json::Array *items = source->getArray(key))
      for (const json::Value &item : *items)
        if (const json::Object *object = item.getAsObject())
          visit(*object);
  };
  std::string version = text(*source, "producer_version");
  add("producer",
      text(*source, "producer") + (version.empty() ? "" : " " + version));
  add("IR version", text(*source, "ir_version"));
  std::string opsets;
  each("opsets", [&](const json::Object &opset) {
    std::string domain = text(opset, "domain");
    opsets += (opsets.empty() ? "" : ", ") +
              (domain.empty() ? "ai.onnx" : domain) + " " +
              text(opset, "version");
  });
  add("operator sets", opsets);
  add("domain", text(*source, "domain"));
  add("model version", text(*source, "model_version"));
  add("graph", text(*source, "graph"));
  add("doc", text(*source, "doc"));
  add("graph's doc", text(*source, "graph_doc"));
  each("metadata", [&](const json::Object &entry) {
    add("metadata " + text(entry, "key"), text(entry, "value"));
  });
  return rows;
}

} // namespace fusec::tool
