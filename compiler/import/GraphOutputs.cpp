// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The graph's outputs, held against what the model declares them to be.
#include "compiler/import/GraphImporter.h"

#include "compiler/import/Hints.h"
#include "compiler/import/Presence.h"
#include "compiler/io/ElementType.h"
#include "passes/graph/TensorBuilder.h"

using namespace mlir;

namespace fusec {

/// "f32[N, 3]", as the model writes it.
static std::string declaredText(const onnx::TypeProto::Tensor &tensor,
                                MLIRContext *context) {
  Type elementType = elementTypeFromOnnx(tensor.elem_type(), context);
  std::string text = elementType ? typeText(elementType)
                                 : io::onnxTypeName(tensor.elem_type()).str();
  if (!tensor.has_shape())
    return text;
  text += "[";
  for (auto [index, dim] : llvm::enumerate(tensor.shape().dim())) {
    text += index ? ", " : "";
    if (dim.has_dim_value())
      text += std::to_string(dim.dim_value());
    else
      text += dim.dim_param().empty() ? "?" : dim.dim_param();
  }
  return text + "]";
}

/// What the declaration says that extent `index` is, or -1 if it is open. A
/// name is as much as the options bind it to.
int64_t GraphImporter::declaredExtent(const onnx::TensorShapeProto &shape,
                                      int index) const {
  const onnx::TensorShapeProto::Dimension &dim = shape.dim(index);
  // An exporter that writes 0 for what it does not know does so everywhere,
  // and then its user gives the shapes.
  if (dim.has_dim_value())
    return dim.dim_value() == 0 && !options.shapes.empty() ? -1
                                                           : dim.dim_value();
  return dim.has_dim_param() ? findExtent(dim.dim_param(), dims) : -1;
}

void GraphImporter::checkOutput(const onnx::ValueInfoProto &output,
                                RankedTensorType computed) {
  // Without a type, nothing is said that could be wrong.
  if (output.type().value_case() == onnx::TypeProto::VALUE_NOT_SET)
    return;
  auto differs = [&](ProblemKind kind, const llvm::Twine &declared,
                     const llvm::Twine &hint) {
    report(kind,
           "output '" + output.name() + "' is declared to be " + declared +
               ", but the graph computes " +
               typeText(computed.getElementType()) +
               shapeText(computed.getShape()),
           hint);
  };
  auto refuse = [&](const llvm::Twine &declared) {
    differs(ProblemKind::BadInput, declared,
            "correct the type that the model declares for the output, or the "
            "node that computes it");
  };
  // Exporters write shapes that no runtime holds them to.
  auto warn = [&](const llvm::Twine &declared, const llvm::Twine &hint) {
    differs(ProblemKind::Warning, declared, "what is computed counts; " + hint);
  };
  constexpr const char *kCorrect =
      "correct the shape that the model declares for the output";
  if (!output.type().has_tensor_type())
    return refuse("no tensor");
  const onnx::TypeProto::Tensor &tensor = output.type().tensor_type();
  std::string declared = declaredText(tensor, &context);
  if (tensor.elem_type() != onnx::TensorProto::UNDEFINED &&
      elementTypeFromOnnx(tensor.elem_type(), &context) !=
          computed.getElementType())
    return refuse(declared);
  if (!tensor.has_shape())
    return;
  if (tensor.shape().dim_size() != computed.getRank())
    return warn(declared, kCorrect);
  for (auto [index, extent] : llvm::enumerate(computed.getShape())) {
    int64_t said = declaredExtent(tensor.shape(), index);
    if (said < 0 || said == extent)
      continue;
    const std::string &name = tensor.shape().dim(index).dim_param();
    if (tensor.shape().dim(index).has_dim_value())
      return warn(declared, kCorrect);
    std::string bind;
    if (!dimsTaken.contains(name))
      bind = "bind " + name + " to " + std::to_string(extent) + ", or ";
    return warn(declared + " with " + name + " = " + llvm::Twine(said),
                bind + kCorrect);
  }
}

/// How many rows of a tensor are there, by its presence: along its first
/// dimension of more than one position.
static Value countRows(fuse::TensorBuilder b, Value presence) {
  Value rows = b.cast(presence, b.builder.getI64Type());
  ArrayRef<int64_t> shape = fuse::getTensorType(rows).getShape();
  int64_t rank = shape.size();
  int64_t dim = 0;
  while (dim + 1 < rank && shape[dim] == 1)
    ++dim;
  SmallVector<int64_t> others;
  for (int64_t d = 0; d < rank; ++d)
    if (d != dim)
      others.push_back(d);
  if (!others.empty())
    rows = b.reduce(Combiner::Max, rows, others);
  return rank ? b.reduce(Combiner::Add, rows, {0}) : rows;
}

std::vector<Attribute>
GraphImporter::describeOutput(llvm::StringRef name, Value value,
                              SmallVectorImpl<Value> &counts) {
  bool isOpen = hasOpenRows && comesFrom(value, leavesOpen);
  auto nameAttr = [&](const llvm::Twine &text) {
    return opBuilder.getNamedAttr("fuse.name", opBuilder.getStringAttr(text));
  };
  SmallVector<NamedAttribute> attributes{nameAttr(name)};
  if (isOpen)
    attributes.push_back(opBuilder.getNamedAttr(
        "fuse.note",
        opBuilder.getStringAttr("only some rows hold something; --count " +
                                name + " counts them")));
  std::vector<Attribute> all{opBuilder.getDictionaryAttr(attributes)};
  if (!llvm::is_contained(options.counts, name))
    return all;
  std::string count = name.str() + "_count";
  std::string what = optionName(options.hints, "count") + " " + name.str();
  if (!isOpen)
    report(ProblemKind::BadInput,
           what + ": all rows of the output hold something, as far as it is "
                  "known at compile time",
           "leave the option out");
  else if (isModelOutput(count))
    report(ProblemKind::BadInput,
           what + ": the model has an output '" + count + "' already",
           "rename that output");
  else {
    counts.push_back(
        countRows({opBuilder, locate(count)}, findPresence(opBuilder, value)));
    all.push_back(opBuilder.getDictionaryAttr(nameAttr(count)));
  }
  return all;
}

void GraphImporter::addOutputs() {
  SmallVector<Value> results, counts;
  SmallVector<Attribute> attributes, countAttributes;
  for (const onnx::ValueInfoProto &output : proto.output()) {
    TensorValue &value = *find(output.name());
    if (value.isSequence() || value.isAbsent) {
      report(ProblemKind::Unsupported,
             "output '" + output.name() +
                 "' is not a tensor (sequences and optional values are "
                 "supported within the model only)",
             "export the model with an output per tensor");
      continue;
    }
    try {
      if (!value.type)
        typeOf(proto.initializer(value.initializer));
      if (!value.isMap)
        checkOutput(output, value.type);
      results.push_back(materialize(value));
    } catch (const NodeError &error) {
      if (!reportExternalFile(error))
        report(error.kind, "output '" + output.name() + "': " + error.reason,
               error.hint);
      continue;
    }
    std::vector<Attribute> all =
        describeOutput(output.name(), results.back(), counts);
    attributes.push_back(all.front());
    countAttributes.append(all.begin() + 1, all.end());
  }
  if (hasOpenRows)
    module->walk(forgetPresence);
  results.append(counts);
  attributes.append(countAttributes);
  if (!problems.empty())
    return;
  if (growth)
    advanceLength(results, attributes);
  func::ReturnOp::create(opBuilder, function.getLoc(), results);
  function.setType(opBuilder.getFunctionType(
      function.getBody().getArgumentTypes(), ValueRange(results).getTypes()));
  function.setResAttrsAttr(opBuilder.getArrayAttr(attributes));
}

} // namespace fusec
