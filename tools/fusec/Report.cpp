// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/Report.h"

#include "compiler/import/ModelFile.h"
#include "compiler/io/MappedFile.h"
#include "dialects/words/Plain.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace json = llvm::json;

namespace fusec::tool {

/// The page but for its data: tools/fusec/report, put together by CMake.
static constexpr llvm::StringLiteral kPage =
#include "ReportPage.inc"
    ;

/// By the name that locations have: the node's own, else that of its result.
static void addOperators(const onnx::GraphProto &graph,
                         json::Object &operators) {
  for (const onnx::NodeProto &node : graph.node()) {
    std::string name = node.name();
    if (name.empty() && node.output_size())
      name = node.output(0);
    operators[json::fixUTF8(name)] = json::fixUTF8(node.op_type());
    for (const onnx::AttributeProto &attribute : node.attribute())
      if (attribute.has_g())
        addOperators(attribute.g(), operators);
  }
}

/// Empty for anything but an ONNX model.
static json::Object operatorsOf(const CompileOptions &options) {
  json::Object operators;
  llvm::StringRef input = options.input;
  if (!options.memory && !input.ends_with(".onnx"))
    return operators;
  llvm::Expected<std::unique_ptr<ModelFile>> file =
      options.memory ? ModelFile::parse(options.memory)
                     : ModelFile::read(input);
  if (file)
    addOperators((*file)->proto().graph(), operators);
  else // It was compiled a moment ago; the page can do without.
    llvm::consumeError(file.takeError());
  return operators;
}

/// The host program and the files of kernels.
static json::Object sourcesOf(const json::Object &model,
                              llvm::StringRef folder) {
  json::Object sources;
  auto add = [&](llvm::StringRef name) {
    if (sources.get(name))
      return;
    // A key made of a StringRef would not own its characters.
    if (auto text = llvm::MemoryBuffer::getFile(folder + "/" + name))
      sources[name.str()] = json::fixUTF8((*text)->getBuffer());
  };
  add((model.getString("name").value_or("") + ".cpp").str());
  for (const json::Value &group : *model.getArray("groups"))
    if (const json::Object *object = group.getAsObject())
      if (const json::Array *files = object->getArray("files"))
        for (const json::Value &file : *files)
          if (const json::Object *place = file.getAsObject())
            add(place->getString("file").value_or(""));
  return sources;
}

/// As JSON inside HTML: no character of a model may end the script. What is
/// hidden in names is spelt out, as in the page's other part.
static std::string embed(const json::Value &value) {
  std::string text, result;
  llvm::raw_string_ostream(text) << value;
  text = plainJson(text);
  result.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    llvm::StringRef escape = llvm::StringRef(text).substr(i, 2);
    if (escape == "\\u")
      result += '\\';
    if (text[i] == '<')
      result += "\\u003c";
    else
      result += text[i];
    if (text[i] == '\\')
      result += text[++i];
  }
  return result;
}

llvm::Error writeReport(llvm::StringRef path, const json::Object &model,
                        llvm::StringRef folder, const CompileOptions &options) {
  json::Object operators = operatorsOf(options);
  json::Object sources = sourcesOf(model, folder);
  auto [head, rest] = kPage.split("@PLAIN@");
  auto [middle, tail] = rest.split("@DATA@");
  std::string page;
  llvm::raw_string_ostream os(page);
  os << head;
  printPlainly(model, operators, sources, os);
  os << middle
     << embed(json::Object{{"model", json::Object(model)},
                           {"operators", std::move(operators)},
                           {"sources", std::move(sources)}})
     << tail;
  return io::writeFileAside(path, {page.data(), page.size()});
}

} // namespace fusec::tool
