// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The graph's inputs, and the binding of symbolic dimensions.
#include "compiler/import/GraphImporter.h"

#include "compiler/import/Hints.h"
#include "compiler/import/Message.h"
#include "compiler/import/States.h"
#include "compiler/io/ElementType.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace fusec {

/// The extent that the file gives, or -1. Old exporters write -1 for an extent
/// that they do not know, and some write 0: an empty tensor, unless --shape
/// says otherwise.
static int64_t fixedExtent(const onnx::TensorShapeProto::Dimension &dim) {
  return dim.has_dim_value() && dim.dim_value() >= 0 ? dim.dim_value() : -1;
}

int64_t GraphImporter::boundExtent(const onnx::ValueInfoProto &info,
                                   int index) const {
  const auto &dim = info.type().tensor_type().shape().dim(index);
  int64_t extent = fixedExtent(dim);
  if (auto given = shapes.find(info.name());
      extent <= 0 && given != shapes.end())
    extent = given->second[index];
  return extent < 0 && dim.has_dim_param() ? findExtent(dim.dim_param(), dims)
                                           : extent;
}

RankedTensorType
GraphImporter::declaredType(const onnx::ValueInfoProto &info,
                            std::vector<std::string> *missing) {
  const onnx::TypeProto::Tensor &tensor = info.type().tensor_type();
  if (!info.type().has_tensor_type() || !tensor.has_shape())
    return {};
  Type elementType = elementTypeFromOnnx(tensor.elem_type(), &context);
  if (!elementType)
    return {};
  SmallVector<int64_t> shape;
  for (auto [index, dim] : llvm::enumerate(tensor.shape().dim())) {
    int64_t extent = boundExtent(info, int(index));
    if (extent < 0 && !missing)
      return {};
    if (extent < 0)
      missing->push_back(dim.dim_param());
    dimsTaken.insert(dim.dim_param());
    shape.push_back(extent);
  }
  if (missing && !missing->empty())
    return {};
  return tensorType(shape, elementType);
}

RankedTensorType GraphImporter::declaredType(llvm::StringRef name,
                                             std::vector<std::string> &open) {
  auto found = declared.find(name);
  return found == declared.end() ? RankedTensorType()
                                 : declaredType(*found->second, &open);
}

/// Checks the shape that --shape gives for `info` and binds the names of the
/// dimensions that it fixes.
void GraphImporter::bindShape(const onnx::ValueInfoProto &info) {
  auto given = shapes.find(info.name());
  if (given == shapes.end())
    return;
  const onnx::TensorShapeProto &shape = info.type().tensor_type().shape();
  std::vector<int64_t> &wanted = given->second;
  auto refuse = [&](const llvm::Twine &reason) {
    report(ProblemKind::BadInput, optionName(options.hints, "shape") +
                                      " for input '" + info.name() +
                                      "': " + reason);
    shapes.erase(info.name());
  };
  if (int(wanted.size()) != shape.dim_size())
    return refuse("has " + llvm::Twine(wanted.size()) +
                  " extents where the input has " +
                  llvm::Twine(shape.dim_size()) + " dimensions");
  for (auto [dim, extent] : llvm::zip(shape.dim(), wanted)) {
    if (extent < 0)
      return refuse("extents must not be negative");
    if (fixedExtent(dim) > 0 && fixedExtent(dim) != extent)
      return refuse("says " + llvm::Twine(extent) +
                    " where the model fixes the extent " +
                    llvm::Twine(fixedExtent(dim)));
    if (!dim.has_dim_param() || dim.dim_param().empty())
      continue;
    auto [bound, isNew] = dims.try_emplace(dim.dim_param(), extent);
    if (!isNew && bound->second != extent)
      return refuse("says " + llvm::Twine(extent) + " for the dimension '" +
                    dim.dim_param() + "', which is " +
                    llvm::Twine(bound->second) + " elsewhere");
  }
}

/// The first of `names`, and how many more there are.
static std::string listNames(llvm::ArrayRef<std::string> names) {
  constexpr size_t kShown = 8;
  std::string text = llvm::join(names.take_front(kShown), ", ");
  if (names.size() > kShown)
    text += " and " + std::to_string(names.size() - kShown) + " more";
  return text;
}

/// Refuses options that name nothing in the model: they are misspelt.
void GraphImporter::checkOptions() {
  llvm::SetVector<StringRef> inputs, dimensions;
  auto addDims = [&](const onnx::ValueInfoProto &info) {
    for (const auto &dim : info.type().tensor_type().shape().dim())
      if (!dim.dim_param().empty())
        dimensions.insert(dim.dim_param());
  };
  for (const onnx::ValueInfoProto &input : proto.input()) {
    if (find(input.name()))
      continue;
    inputs.insert(input.name());
    addDims(input);
  }
  // What the model's author named comes first; exporters number the others.
  const size_t numNamed = dimensions.size();
  // Where the extent of a result is data, the model's word for it counts.
  for (const onnx::ValueInfoProto &value : proto.value_info())
    addDims(value);
  for (const onnx::ValueInfoProto &output : proto.output())
    addDims(output);
  auto check = [&](StringRef option, StringRef name,
                   const llvm::SetVector<StringRef> &known, StringRef reason,
                   StringRef all, StringRef none, size_t numFirst = SIZE_MAX) {
    if (known.contains(name))
      return;
    std::vector<std::string> first, others;
    for (auto [index, known] : llvm::enumerate(known))
      (index < numFirst ? first : others).push_back(known.str());
    std::string meant = didYouMean(name, first);
    if (meant.empty())
      meant = didYouMean(name, others);
    std::string list;
    if (!first.empty())
      list = (all + listNames(first)).str();
    if (!others.empty())
      list += (first.empty() ? "no input has one; results have "
                             : "; results also have ") +
              listNames(others);
    report(ProblemKind::BadInput,
           optionName(options.hints, option) + " " + name + ": " + reason,
           known.empty() ? none.str() : joinHints(meant, list));
  };
  auto checkInput = [&](StringRef option, StringRef name) {
    check(option, name, inputs, "the model has no input of that name",
          "the model's inputs are ", "the model has no inputs");
  };
  for (const auto &[name, extent] : options.dims) {
    check("dim", name, dimensions, "no tensor has a dimension of that name",
          "the model's dimensions are ", "all extents are fixed or unnamed",
          numNamed);
    if (extent < 0)
      report(ProblemKind::BadInput, optionName(options.hints, "dim") + " " +
                                        name +
                                        ": the extent must not be negative");
  }
  llvm::SetVector<StringRef> outputs;
  for (const onnx::ValueInfoProto &output : proto.output())
    outputs.insert(output.name());
  for (const std::string &name : options.counts)
    check("count", name, outputs, "the model has no output of that name",
          "the model's outputs are ", "the model has no outputs");
  for (const auto &[name, shape] : options.shapes)
    checkInput("shape", name);
  for (const auto &[name, file] : options.binds)
    checkInput("bind", name);
}

/// One message for all: who adds options must not be told of the next
/// dimension each time.
void GraphImporter::reportOpenInputs(
    llvm::ArrayRef<const onnx::ValueInfoProto *> inputs) {
  if (inputs.empty())
    return;
  constexpr size_t kShown = 8;
  std::string list;
  std::vector<std::string> shapeTexts, dimTexts;
  llvm::SetVector<StringRef> names, fixedByShapes;
  for (auto [number, input] : llvm::enumerate(inputs)) {
    std::string text, shape;
    llvm::SetVector<StringRef> open;
    for (auto [index, dim] :
         llvm::enumerate(input->type().tensor_type().shape().dim())) {
      int64_t extent = boundExtent(*input, int(index));
      std::string fixed = extent < 0 ? "" : std::to_string(extent);
      std::string name = dim.dim_param().empty() ? "?" : dim.dim_param();
      text += (index ? ", " : "") + (extent < 0 ? name : fixed);
      shape += (index ? "x" : "") + (extent < 0 ? "N" : fixed);
      if (extent < 0)
        open.insert(dim.dim_param());
    }
    if (number < kShown)
      list += (number ? ", '" : "'") + input->name() + "' [" + text + "]";
    // What has no name is fixed by the input's shape, with all beside it.
    if (open.contains(""))
      shapeTexts.push_back(input->name() + "=" + shape);
    (open.contains("") ? fixedByShapes : names).insert_range(open);
  }
  for (StringRef name : names)
    if (!fixedByShapes.contains(name))
      dimTexts.push_back((name + "=N").str());
  std::string hint =
      addHint(options.hints, {optionText(options.hints, "dim", dimTexts),
                              optionText(options.hints, "shape", shapeTexts)});
  if (!dimTexts.empty()) {
    std::string several = dimTexts.front();
    several.replace(several.size() - 1, 1, "1,4,16");
    hint += "; several extents, as in " +
            optionText(options.hints, "dim", {several}) +
            ", make one program for all of their combinations";
  }
  size_t count = inputs.size();
  if (count > kShown)
    list += " and " + std::to_string(count - kShown) + " more";
  report(
      ProblemKind::BadInput,
      (count == 1 ? "an input has" : std::to_string(count) + " inputs have") +
          " extents that are not fixed: " + list,
      hint);
}

llvm::StringMap<std::string> findStates(const onnx::GraphProto &proto,
                                        const ImportOptions &options) {
  std::vector<std::string> inputs, outputs;
  llvm::StringMap<std::string> states;
  for (const onnx::ValueInfoProto &input : proto.input())
    inputs.push_back(input.name());
  for (const onnx::ValueInfoProto &output : proto.output())
    outputs.push_back(output.name());
  std::vector<StateProblem> ignored;
  for (const StatePair &pair : matchStates(
           options, inputs, outputs, [](size_t, size_t) { return true; },
           ignored))
    states[inputs[pair.input]] = outputs[pair.output];
  return states;
}

bool GraphImporter::isState(const TensorValue &value, llvm::StringRef output) {
  if (states.empty())
    return false;
  std::optional<std::string> input = inputName(value);
  return input && states.lookup(*input) == output;
}

void GraphImporter::addInputs() {
  checkOptions();
  states = findStates(proto, options);
  for (const onnx::ValueInfoProto &input : proto.input())
    if (!find(input.name()))
      bindShape(input);
  SmallVector<Attribute> attributes;
  SmallVector<const onnx::ValueInfoProto *> open;
  for (const onnx::ValueInfoProto &input : proto.input()) {
    // An initializer of the same name is the input's value.
    if (find(input.name()))
      continue;
    if (options.binds.count(input.name())) {
      define(input.name(), boundInput(input));
      continue;
    }
    TensorValue value;
    const onnx::TypeProto::Tensor &tensor = input.type().tensor_type();
    std::string what = "input '" + input.name() + "' ";
    if (!input.type().has_tensor_type()) {
      report(ProblemKind::Unsupported,
             what + "is not a tensor (sequences, maps and optional values are "
                    "not supported)");
    } else if (Type elementType =
                   elementTypeFromOnnx(tensor.elem_type(), &context);
               !elementType || !getTypeInfo(elementType)) {
      value.untyped = "has element type ";
      value.untyped += io::onnxTypeName(tensor.elem_type());
      value.untyped += ", which is not supported";
      if (tensor.elem_type() == onnx::TensorProto::STRING)
        value.untypedHint = "number the strings before the model (in "
                            "scikit-learn with OrdinalEncoder), and export "
                            "what follows";
      report(ProblemKind::Unsupported, what + value.untyped, value.untypedHint);
    } else if (!tensor.has_shape()) {
      report(ProblemKind::BadInput, what + "has no shape, not even a rank");
    } else {
      value.type = declaredType(input, nullptr);
      if (!value.type)
        open.push_back(&input);
      else if (!tensorBytes(value.type))
        report(ProblemKind::Unsupported,
               what + "has more than 2^40 bytes, with shape " +
                   shapeText(value.type.getShape()));
    }
    if (value.type) {
      value.runTime = "'" + input.name() + "' is an input of the model";
      value.value =
          function.getBody().addArgument(value.type, locate(input.name()));
      attributes.push_back(opBuilder.getDictionaryAttr(opBuilder.getNamedAttr(
          "fuse.name", opBuilder.getStringAttr(input.name()))));
    }
    define(input.name(), std::move(value));
  }
  reportOpenInputs(open);
  if (growth)
    addLength(attributes);
  function.setType(
      opBuilder.getFunctionType(function.getBody().getArgumentTypes(), {}));
  function.setArgAttrsAttr(opBuilder.getArrayAttr(attributes));
}

} // namespace fusec
