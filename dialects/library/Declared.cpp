// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/library/Declared.h"

#include "dialects/TargetInfo.h"
#include "dialects/words/Words.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;

namespace fusec::library {

bool isInnerPath(StringRef path) {
  SmallVector<StringRef> parts;
  path.split(parts, '/');
  return llvm::all_of(parts, [](StringRef part) {
    return !part.empty() && part.front() != '.' && part.front() != '-' &&
           llvm::all_of(part, [](char c) {
             return llvm::isAlnum(c) || StringRef("_.+-").contains(c);
           });
  });
}

static int64_t getBytes(const Call &call, StringRef parameter) {
  auto bytes = call.parameters.getAs<IntegerAttr>(parameter);
  return bytes ? bytes.getInt() : 0;
}

/// Enough for both ways of a call that launches kernels: where a device runs
/// those of the model alone, the call runs on the host.
static int64_t getWorkspace(const Call &call) {
  if (std::optional<BlockGrid> grid = getBlockGrid(call.parameters))
    return grid->workspaceBytes;
  return std::max(getBytes(call, kWorkspaceParameter),
                  getBytes(call, kCudaWorkspaceParameter));
}

bool runsLaunchers(const TargetInfo &target) {
  return target.platform->name == "cuda";
}

bool launchesKernels(DictionaryAttr parameters) {
  return parameters.contains(kCudaWorkspaceParameter);
}

Quantization getQuantization(DictionaryAttr parameters, unsigned index) {
  Quantization made;
  auto list = parameters.getAs<ArrayAttr>(kQuantizedParameter);
  if (!list || index >= list.size())
    return made;
  auto row = cast<DictionaryAttr>(list[index]);
  if (row.empty())
    return made;
  llvm::append_range(made.scales,
                     row.getAs<DenseF32ArrayAttr>("scales").asArrayRef());
  llvm::append_range(made.zeroPoints,
                     row.getAs<DenseI64ArrayAttr>("zero_points").asArrayRef());
  made.axis = row.getAs<IntegerAttr>("axis").getInt();
  return made;
}

Attribute makeQuantized(MLIRContext *context, ArrayRef<Quantization> operands) {
  Builder builder(context);
  SmallVector<Attribute> rows;
  for (const Quantization &operand : operands) {
    SmallVector<NamedAttribute> row;
    if (operand.isThere()) {
      row.push_back(builder.getNamedAttr(
          "axis", builder.getI64IntegerAttr(operand.axis)));
      row.push_back(builder.getNamedAttr(
          "scales", DenseF32ArrayAttr::get(context, operand.scales)));
      row.push_back(builder.getNamedAttr(
          "zero_points", DenseI64ArrayAttr::get(context, operand.zeroPoints)));
    }
    rows.push_back(builder.getDictionaryAttr(row));
  }
  return builder.getArrayAttr(rows);
}

/// Refuses quantisation of operands that cannot have it.
static Refusal refuseQuantized(const Call &call) {
  Attribute value = call.parameters.get(kQuantizedParameter);
  if (!value)
    return std::nullopt;
  const std::string name = kQuantizedParameter.str();
  auto list = dyn_cast<ArrayAttr>(value);
  if (!list || list.size() != call.operands.size() ||
      !llvm::all_of(list, llvm::IsaPred<DictionaryAttr>))
    return "has " + name + " that is no list of a dictionary for each operand";
  for (auto [number, row, operand] :
       llvm::enumerate(list.getAsRange<DictionaryAttr>(), call.operands)) {
    if (row.empty())
      continue;
    auto scales = row.getAs<DenseF32ArrayAttr>("scales");
    auto zeros = row.getAs<DenseI64ArrayAttr>("zero_points");
    Attribute axis = row.get("axis");
    if (row.size() != 3 || !scales || !zeros || !kInt.holds(axis))
      return name + " of operand " + std::to_string(number) +
             " needs axis, an integer, scales, floats, and zero_points, "
             "integers";
    if (!operand.getElementType().isInteger(8))
      return name + " of operand " + std::to_string(number) +
             " is that of a tensor of other elements than integers of 8 bits";
    const int64_t at = cast<IntegerAttr>(axis).getInt();
    const bool hasAxis = at >= 0 && at < operand.getRank();
    if (scales.size() != zeros.size() || scales.empty() ||
        (scales.size() != 1 &&
         (!hasAxis || scales.size() != operand.getDimSize(at))))
      return name + " of operand " + std::to_string(number) +
             " needs one scale and zero point, or as many as the dimension "
             "'axis' has";
  }
  return std::nullopt;
}

int64_t getAliased(DictionaryAttr parameters, StringRef kind, unsigned index) {
  auto list = parameters.getAs<DenseI64ArrayAttr>(kind);
  return list && index < size_t(list.size()) ? list[index] : -1;
}

/// Refuses results that lie where an operand does, of another type or together.
static Refusal refuseAliases(const Call &call) {
  llvm::SmallBitVector taken(call.operands.size());
  for (StringRef kind : {kMustAliasParameter, kMayAliasParameter}) {
    Attribute value = call.parameters.get(kind);
    if (!value)
      continue;
    auto list = dyn_cast<DenseI64ArrayAttr>(value);
    if (!list || size_t(list.size()) != call.results.size())
      return "has " + kind.str() +
             " that is no list of integers, one for each "
             "result";
    for (auto [number, operand] : llvm::enumerate(list.asArrayRef())) {
      if (operand == -1)
        continue;
      const std::string which = kind.str() + " of result " +
                                std::to_string(number) + " names operand " +
                                std::to_string(operand);
      if (operand < -1 || operand >= int64_t(call.operands.size()))
        return which + ", which there is not";
      if (taken.test(operand))
        return which + ", where another result lies";
      taken.set(operand);
      ShapedType from = call.operands[operand], to = call.results[number];
      if (from.getShape() != to.getShape() ||
          from.getElementType() != to.getElementType())
        return which + ", which is of another type";
    }
  }
  return std::nullopt;
}

llvm::SmallVector<Algorithm> getAlgorithms(DictionaryAttr parameters) {
  llvm::SmallVector<Algorithm> all;
  auto list = parameters.getAs<ArrayAttr>(kAlgorithmsParameter);
  if (!list)
    return all;
  for (auto row : list.getAsRange<DictionaryAttr>()) {
    Algorithm &one = all.emplace_back();
    one.name = row.getAs<StringAttr>("name").str();
    if (auto bytes = row.getAs<IntegerAttr>("workspace"))
      one.workspaceBytes = bytes.getInt();
    one.isReproducible = !row.contains("reproducible");
  }
  return all;
}

Attribute makeAlgorithms(MLIRContext *context, ArrayRef<Algorithm> algorithms) {
  Builder builder(context);
  SmallVector<Attribute> rows;
  for (const Algorithm &one : algorithms) {
    NamedAttrList row;
    row.set("name", builder.getStringAttr(one.name));
    if (one.workspaceBytes > 0)
      row.set("workspace", builder.getI64IntegerAttr(one.workspaceBytes));
    if (!one.isReproducible)
      row.set("reproducible", builder.getBoolAttr(false));
    rows.push_back(row.getDictionary(context));
  }
  return builder.getArrayAttr(rows);
}

DictionaryAttr takeAlgorithm(DictionaryAttr parameters,
                             const Algorithm &algorithm) {
  Builder builder(parameters.getContext());
  NamedAttrList taken(parameters);
  taken.erase(kAlgorithmsParameter);
  taken.set(kAlgorithmParameter, builder.getStringAttr(algorithm.name));
  if (algorithm.workspaceBytes > 0)
    taken.set(kWorkspaceParameter,
              builder.getI64IntegerAttr(algorithm.workspaceBytes));
  if (!algorithm.isReproducible)
    taken.set(kReproducibleParameter, builder.getBoolAttr(false));
  return taken.getDictionary(parameters.getContext());
}

bool isReproducible(DictionaryAttr parameters) {
  return !parameters.contains(kReproducibleParameter);
}

/// Whether it says that bits vary, in the only way to say it.
static bool isFalse(Attribute value) {
  auto flag = dyn_cast<BoolAttr>(value);
  return flag && !flag.getValue();
}

static bool isAlgorithmName(Attribute value) {
  auto name = dyn_cast_if_present<StringAttr>(value);
  return name && isWord(name);
}

static bool isPositive(Attribute value) {
  return kInt.holds(value) && cast<IntegerAttr>(value).getInt() > 0;
}

/// Refuses algorithms that cannot be taken, or are taken and offered at once.
static Refusal refuseAlgorithms(const Call &call) {
  if (Attribute name = call.parameters.get(kAlgorithmParameter);
      name && !isAlgorithmName(name))
    return "has " + kAlgorithmParameter.str() + " that is no word";
  if (Attribute same = call.parameters.get(kReproducibleParameter);
      same && !isFalse(same))
    return "has " + kReproducibleParameter.str() +
           " other than false, which is left out";
  Attribute value = call.parameters.get(kAlgorithmsParameter);
  if (!value)
    return std::nullopt;
  const std::string which = kAlgorithmsParameter.str();
  for (StringRef taken : {kAlgorithmParameter, kWorkspaceParameter})
    if (call.parameters.contains(taken))
      return "has " + which + " and " + taken.str() +
             ", which is that of one of them";
  auto list = dyn_cast<ArrayAttr>(value);
  if (!list || list.empty() ||
      !llvm::all_of(list, llvm::IsaPred<DictionaryAttr>))
    return "has " + which + " that is no list of dictionaries";
  llvm::StringSet<> names;
  for (auto row : list.getAsRange<DictionaryAttr>()) {
    for (NamedAttribute entry : row)
      if (!(entry.getName() == "name" && isAlgorithmName(entry.getValue())) &&
          !(entry.getName() == "workspace" && isPositive(entry.getValue())) &&
          !(entry.getName() == "reproducible" && isFalse(entry.getValue())))
        return "has " + which + " with " + entry.getName().str() +
               "; it needs name, a word, and may have workspace, bytes above "
               "0, and reproducible, false";
    if (!row.contains("name"))
      return "has " + which + " without a name";
    if (!names.insert(row.getAs<StringAttr>("name")).second)
      return "has " + which + " with two of one name";
  }
  return std::nullopt;
}

/// What holds for all of them; the declaration says the rest.
static Refusal refuseDeclared(const Call &call) {
  if (Attribute bytes = call.parameters.get(kWorkspaceParameter);
      bytes && !isPositive(bytes))
    return "has " + kWorkspaceParameter.str() +
           " that is no number of bytes above 0";
  if (Attribute bytes = call.parameters.get(kCudaWorkspaceParameter);
      bytes && (!kInt.holds(bytes) || cast<IntegerAttr>(bytes).getInt() < 0))
    return "has " + kCudaWorkspaceParameter.str() +
           " that is no number of bytes";
  if (Refusal reason = refuseAlgorithms(call))
    return reason;
  if (Refusal reason = refuseBlockParameter(call.parameters))
    return reason;
  if (Refusal reason = refuseAliases(call))
    return reason;
  return refuseQuantized(call);
}

const Routine &getDeclaredRoutine() {
  static const Routine routine = [] {
    Routine made = {"op",
                    /*numOperands=*/0,
                    /*numResults=*/0,
                    /*parameters=*/{},
                    refuseDeclared,
                    {"fusec::call_op", "fusec/op_call.h",
                     [](const Call &) { return std::vector<Argument>(); }}};
    made.device = &kBlockForm;
    made.getWorkspaceBytes = getWorkspace;
    return made;
  }();
  return routine;
}

std::optional<ValueKind> getValueKind(Attribute value) {
  if (kFlag.holds(value))
    return ValueKind::flag;
  if (kInt.holds(value))
    return ValueKind::integer;
  if (auto number = dyn_cast_if_present<FloatAttr>(value))
    return number.getType().isF64() ? std::optional(ValueKind::number)
                                    : std::nullopt;
  if (kText.holds(value))
    return ValueKind::text;
  if (isa_and_present<DenseI64ArrayAttr>(value))
    return ValueKind::integers;
  if (isa_and_present<DenseF64ArrayAttr>(value))
    return ValueKind::numbers;
  if (auto list = dyn_cast_if_present<ArrayAttr>(value);
      list && llvm::all_of(list, llvm::IsaPred<StringAttr>))
    return ValueKind::texts;
  return std::nullopt;
}

llvm::StringRef getWords(ValueKind kind) {
  switch (kind) {
  case ValueKind::flag:
    return "a boolean";
  case ValueKind::integer:
    return "an integer";
  case ValueKind::number:
    return "a number";
  case ValueKind::text:
    return "a string";
  case ValueKind::integers:
    return "a list of integers";
  case ValueKind::numbers:
    return "a list of numbers";
  case ValueKind::texts:
    return "a list of strings";
  }
  llvm_unreachable("covers all kinds");
}

Refusal refuseParameters(DictionaryAttr defaults, DictionaryAttr given) {
  for (NamedAttribute parameter : defaults) {
    ValueKind kind = *getValueKind(parameter.getValue());
    if (getValueKind(given.get(parameter.getName())) != kind)
      return ("needs the parameter '" + parameter.getName().getValue() + "', " +
              getWords(kind))
          .str();
  }
  for (NamedAttribute parameter : given)
    if (!isOwnParameter(parameter.getName()) &&
        !defaults.contains(parameter.getName()))
      return "has no parameter '" + parameter.getName().str() + "'";
  return std::nullopt;
}

StringRef getDeclaredHash(Operation *call, StringAttr callee) {
  Operation *declared = isDeclared(callee)
                            ? SymbolTable::lookupNearestSymbolFrom(call, callee)
                            : nullptr;
  auto hash = declared ? declared->getAttrOfType<StringAttr>("hash") : nullptr;
  return hash ? hash.getValue() : StringRef();
}

LogicalResult verifyDeclaredCall(Operation *call, StringAttr callee,
                                 DictionaryAttr parameters, size_t numOperands,
                                 size_t numResults,
                                 SymbolTableCollection &tables) {
  if (!isDeclared(callee))
    return success();
  Operation *declared = tables.lookupNearestSymbolFrom(call, callee);
  if (!declared || declared->getName().getStringRef() != "fuse.op")
    return call->emitOpError() << "of @" << callee.getValue()
                               << ", which no fuse.op of the module declares";
  auto refuse = [&](const Twine &reason) -> LogicalResult {
    InFlightDiagnostic error = call->emitOpError()
                               << "of @" << callee.getValue() << " " << reason;
    error.attachNote(declared->getLoc()) << "the operator is declared here";
    return error;
  };
  size_t inputs = declared->getAttrOfType<ArrayAttr>("inputs").size();
  if (numOperands != inputs)
    return refuse("has " + Twine(numOperands) + " operands, needs " +
                  Twine(inputs));
  if (launchesKernels(parameters) && !declared->hasAttr("cuda"))
    return refuse("has " + kCudaWorkspaceParameter +
                  ", and the operator has no form for CUDA");
  if (parameters.contains(kBlockParameter) && !declared->hasAttr("block"))
    return refuse("has " + kBlockParameter +
                  ", and the operator has no function of blocks");
  size_t outputs = declared->getAttrOfType<ArrayAttr>("outputs").size();
  if (numResults != outputs)
    return refuse("has " + Twine(numResults) + " results, needs " +
                  Twine(outputs));
  if (Refusal reason = refuseParameters(
          declared->getAttrOfType<DictionaryAttr>("parameters"), parameters))
    return refuse(*reason);
  return success();
}

} // namespace fusec::library
