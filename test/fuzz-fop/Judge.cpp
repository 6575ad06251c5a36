// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/fuzz-fop/Judge.h"

#include "compiler/import/Importer.h"
#include "compiler/import/bodies/Expansion.h"
#include "compiler/io/ElementValue.h"
#include "dialects/TypeInfo.h"
#include "tools/fusec-ref/Bodies.h"
#include "tools/fusec-ref/Interpreter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include <cmath>
#include <fmt/format.h>
#include <random>

namespace fusec {

using io::ElementType;

Judge::Judge() {
  mlir::DialectRegistry registry;
  registerImportDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
}

/// Operands for a definition: each dimension has some extent, each type is the
/// first that is legal.
static std::vector<fop::TensorType> guess(const fop::Definition &definition,
                                          unsigned turn) {
  std::vector<fop::TensorType> all;
  std::map<std::string, int64_t> extents;
  std::mt19937_64 random(turn);
  auto extentOf = [&](const std::string &name) {
    auto [known, isNew] = extents.try_emplace(name, 0);
    if (isNew)
      known->second = turn == 0 ? 3 : int64_t(random() % 5);
    return known->second;
  };
  for (const fop::Tensor &input : definition.inputs) {
    fop::TensorType type{ElementType::F32, {}};
    if (auto fixed = io::elementTypeFromName(input.type))
      type.element = *fixed;
    for (const fop::TypeSet &set : definition.typeSets)
      if (set.name == input.type && !set.types.empty())
        type.element = set.types[turn % set.types.size()];
    for (const fop::Dim &dim : input.dims) {
      if (dim.isGroup)
        for (unsigned i = 0; i < turn % 3; ++i)
          type.dims.push_back(extentOf(dim.name + std::to_string(i)));
      else
        type.dims.push_back(extentOf(dim.name));
    }
    all.push_back(type);
  }
  return all;
}

static std::vector<fop::ParamValue> guessParams(const fop::Definition &op) {
  std::vector<fop::ParamValue> all;
  for (const fop::Param &param : op.params) {
    const auto length = size_t(std::min<int64_t>(param.length.value_or(2), 8));
    if (param.value)
      all.push_back(*param.value);
    else if (param.kind == fop::ParamKind::Flag)
      all.push_back(true);
    else if (param.kind == fop::ParamKind::Integer)
      all.push_back(int64_t(1));
    else if (param.kind == fop::ParamKind::Number)
      all.push_back(0.5);
    else if (param.kind == fop::ParamKind::Integers)
      all.push_back(std::vector<int64_t>(length, 1));
    else
      all.push_back(std::vector<double>(length, 0.5));
  }
  return all;
}

static io::Tensor fill(const fop::TensorType &type, std::mt19937_64 &random) {
  int64_t count = 1;
  for (int64_t extent : type.dims)
    count *= extent;
  std::vector<double> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(io::isFloat(type.element) ? double(random() % 25) / 4 - 3
                                               : double(random() % 7) - 1);
  return io::fromDoubles(type.element, type.dims, values);
}

/// The elements as numbers that both ways have.
static std::vector<ref::Scalar> toScalars(const io::Tensor &tensor) {
  std::vector<ref::Scalar> all;
  if (io::isFloat(tensor.type))
    for (double value : io::toDoubles(tensor))
      all.emplace_back().f = value;
  else
    for (int64_t value : io::toInts(tensor))
      all.emplace_back().i = value;
  return all;
}

/// Where two results differ, or "".
static std::string findDifference(const ref::Array &own,
                                  const io::Tensor &other) {
  const std::vector<ref::Scalar> values = toScalars(other);
  if (own.type.dims != other.shape || own.type.element != other.type ||
      own.elements.size() != values.size())
    return "has another type";
  const bool isFloat = io::isFloat(other.type);
  // Sums round in two ways, and of f16 what follows is far apart now and then.
  const double bound = other.type == ElementType::F16 ? 0.3 : 1e-3;
  double largest = 1;
  for (const ref::Scalar &value : values)
    if (isFloat && std::isfinite(value.f))
      largest = std::max(largest, std::fabs(value.f));
  for (size_t i = 0; i < values.size(); ++i) {
    const ref::Scalar a = own.elements[i], b = values[i];
    if (!isFloat && a.i != b.i)
      return fmt::format("element {} is {} and {}", i, a.i, b.i);
    const bool isSame =
        isFloat && (a.f == b.f || (std::isnan(a.f) && std::isnan(b.f)) ||
                    std::fabs(a.f - b.f) <= bound * largest);
    // What overflows in one order need not in another.
    if (isFloat && !isSame && std::isfinite(a.f) && std::isfinite(b.f))
      return fmt::format("element {} is {} and {}", i, a.f, b.f);
  }
  return "";
}

void Judge::compare(const fop::Instance &instance, Verdict &verdict) {
  mlir::OpBuilder builder(&context);
  mlir::Location loc = builder.getUnknownLoc();
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(loc);
  auto typeOf = [&](const fop::TensorType &type) -> mlir::Type {
    return mlir::RankedTensorType::get(
        type.dims, getTypeInfoForOnnx(int(type.element))->get(&context));
  };
  std::vector<mlir::Type> ins, outs;
  for (const fop::TensorType &type : instance.inputs)
    ins.push_back(typeOf(type));
  for (const fop::TensorType &type : instance.outputs)
    outs.push_back(typeOf(type));
  builder.setInsertionPointToEnd(module->getBody());
  auto function = mlir::func::FuncOp::create(
      builder, loc, "main", builder.getFunctionType(ins, outs));
  mlir::Block *block = function.addEntryBlock();
  builder.setInsertionPointToEnd(block);
  fuse::TensorBuilder tensors(builder, loc);
  std::vector<mlir::Value> arguments(block->args_begin(), block->args_end());
  std::vector<mlir::Value> results =
      Expansion(tensors, instance).run(arguments);
  mlir::func::ReturnOp::create(builder, loc, results);
  std::string said;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &one) {
    said += one.str() + "; ";
    return mlir::success();
  });
  if (mlir::failed(mlir::verify(*module))) {
    verdict.fault = "the module does not hold: " + said;
    return;
  }
  if (ref::countSteps(instance) > 1e6)
    return;
  std::mt19937_64 random(instance.indices.size());
  std::vector<io::Tensor> inputs;
  std::vector<ref::Array> arrays;
  for (const fop::TensorType &type : instance.inputs) {
    inputs.push_back(fill(type, random));
    arrays.push_back({type, toScalars(inputs.back())});
  }
  auto expected = ref::interpret(*module, inputs);
  if (!expected) {
    verdict.fault =
        "is not interpreted: " + llvm::toString(expected.takeError());
    return;
  }
  std::vector<ref::Array> own =
      ref::BodyEvaluator(instance).run(std::move(arrays));
  for (size_t i = 0; i < own.size() && verdict.fault.empty(); ++i)
    if (std::string what = findDifference(own[i], (*expected)[i]);
        !what.empty())
      verdict.fault = fmt::format("result {} {}", i, what);
  verdict.isCompared = true;
}

Verdict Judge::judge(const std::string &text,
                     const std::vector<fop::TensorType> *inputs) {
  Verdict verdict;
  fop::Library library;
  if (llvm::Error error = library.add("x.fop", text)) {
    llvm::consumeError(std::move(error));
    return verdict;
  }
  verdict.isRead = true;
  if (llvm::Error error = library.resolve()) {
    llvm::consumeError(std::move(error));
    return verdict;
  }
  for (const fop::Definition &definition : library.getFiles()[0].definitions)
    for (unsigned turn = 0; turn < (inputs ? 1 : 3); ++turn)
      try {
        const fop::Instance instance(definition, library,
                                     inputs ? *inputs : guess(definition, turn),
                                     guessParams(definition));
        verdict.isChecked = true;
        double bytes = 0;
        for (const fop::Index &index : instance.indices)
          bytes += double(index.extent);
        // What is huge is refused by the importer, where it knows of it.
        if (bytes < 1e6)
          compare(instance, verdict);
        if (!verdict.fault.empty())
          return verdict;
      } catch (const fop::Mistake &mistake) {
        if (inputs)
          verdict.fault = fmt::format("{}:{}: {}", mistake.place.line,
                                      mistake.place.column, mistake.text);
      }
  return verdict;
}

} // namespace fusec
