// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of users that all threads of a block of a GPU call together.
#include "codegen/DescriptorRows.h"
#include "codegen/KernelEmitter.h"
#include "codegen/UserOperators.h"
#include "dialects/library/Declared.h"

#include <cmath>
#include <fmt/ranges.h>
#include <map>

using namespace mlir;

namespace fusec::codegen {

static fuse::OperatorOp getDeclared(kernel::CallOp op) {
  return SymbolTable::lookupNearestSymbolFrom<fuse::OperatorOp>(
      op, op.getCalleeAttr());
}

/// In the emitted folder.
static std::string getPath(fuse::OperatorOp op, StringRef source) {
  return fmt::format("ops/{}/{}", op.getLibrary(), source);
}

//===- Parameters ---------------------------------------------------------===//

static std::string writeNumber(double number) {
  if (std::isnan(number))
    return "double(FUSEC_NAN)";
  if (std::isinf(number))
    return number < 0 ? "-double(FUSEC_INF)" : "double(FUSEC_INF)";
  return fmt::format("{:a}", number);
}

/// In braces it has the right type whatever its digits.
static std::string writeInteger(int64_t number) {
  return number == INT64_MIN ? "-9223372036854775807 - 1"
                             : std::to_string(number);
}

template <typename T, typename Write>
static std::string writeList(StringRef type, ArrayRef<T> list, Write write) {
  SmallVector<std::string> items;
  for (T item : list)
    items.push_back(write(item));
  return fmt::format("BlockList<{}, {}>{{{{{}}}}}", type, items.size(),
                     fmt::join(items, ", "));
}

/// A parameter's value as an argument. Operators with functions of blocks have
/// no lists of texts.
static std::string writeParameter(Attribute value) {
  using library::ValueKind;
  switch (*library::getValueKind(value)) {
  case ValueKind::flag:
    return cast<BoolAttr>(value).getValue() ? "true" : "false";
  case ValueKind::integer:
    return "int64_t{" + writeInteger(cast<IntegerAttr>(value).getInt()) + "}";
  case ValueKind::number:
    return writeNumber(cast<FloatAttr>(value).getValueAsDouble());
  case ValueKind::text:
    return quoted(cast<StringAttr>(value).getValue());
  case ValueKind::integers:
    return writeList("int64_t", cast<DenseI64ArrayAttr>(value).asArrayRef(),
                     writeInteger);
  case ValueKind::numbers:
    return writeList("double", cast<DenseF64ArrayAttr>(value).asArrayRef(),
                     writeNumber);
  case ValueKind::texts:
    break;
  }
  return "";
}

//===- Calls --------------------------------------------------------------===//

LogicalResult emitBlockFunction(kernel::CallOp op, KernelEmitter &emitter) {
  fuse::OperatorOp declared = getDeclared(op);
  const BlockGrid grid = *library::getBlockGrid(op.getParameters());
  std::string shared = "nullptr";
  if (grid.sharedBytes) {
    shared = emitter.names.declare("shared", "shared");
    emitter.out.line("{}char {}[{}];", emitter.syntax.sharedQualifier.str(),
                     shared, grid.sharedBytes);
  }
  std::string text = fmt::format(
      "::{}(Block{{{}, {}, {}, {}, {}}}", declared.getBlockFunction(),
      emitter.use(op.getBlock()).text, grid.blocks, grid.threads, shared,
      op.getWorkspace() ? "reinterpret_cast<char *>(" +
                              emitter.use(op.getWorkspace()).text + ".data)"
                        : "nullptr");
  for (ValueRange values : {op.getInputs(), op.getOutputs()})
    for (Value value : values)
      text += ", tensor_of(" + emitter.use(value).text + ")";
  for (StringRef name : declared.getBlockParameters()) {
    const std::string argument = writeParameter(op.getParameters().get(name));
    if (argument.empty())
      return op.emitOpError() << "has the parameter " << name
                              << ", a list of strings, which functions of "
                                 "blocks do not take";
    text += fmt::format(", /*{}=*/{}", name, argument);
  }
  emitter.out.line(text + ");");
  return success();
}

bool mayBeWritten(Value input) {
  return llvm::any_of(input.getUses(), [&](OpOperand &use) {
    auto call = dyn_cast<kernel::CallOp>(use.getOwner());
    if (!call || !library::isDeclared(call.getCallee()))
      return false;
    for (unsigned i = 0; i < call.getOutputs().size(); ++i)
      for (StringRef kind :
           {library::kMustAliasParameter, library::kMayAliasParameter})
        if (library::getAliased(call.getParameters(), kind, i) ==
            int64_t(use.getOperandNumber()))
          return true;
    return false;
  });
}

//===- Headers ------------------------------------------------------------===//

void forEachBlockFunction(
    ArrayRef<GroupInfo> groups,
    llvm::function_ref<void(kernel::CallOp, fuse::OperatorOp)> visit) {
  for (const GroupInfo &group : groups)
    for (const VariantInfo &variant : group.variants)
      kernel::FuncOp(variant.func).walk([&](kernel::CallOp op) {
        if (library::isDeclared(op.getCallee()))
          visit(op, getDeclared(op));
      });
}

LogicalResult includeBlockFunctions(ArrayRef<GroupInfo> groups,
                                    SourceWriter &out) {
  std::map<std::string, std::string> owners; // of functions
  std::map<std::string, fuse::OperatorOp> headers;
  bool failed = false;
  forEachBlockFunction(groups, [&](kernel::CallOp op, fuse::OperatorOp of) {
    const std::string path = getPath(of, of.getBlockFile());
    auto [owner, isNew] = owners.try_emplace(of.getBlockFunction().str(), path);
    headers.try_emplace(path, of);
    if (isNew || owner->second == path)
      return;
    op.emitOpError() << "calls " << of.getBlockFunction()
                     << ", which two headers have, " << owner->second << " and "
                     << path << "; rename one of the two";
    failed = true;
  });
  // The text is another one where a header is, so that builds notice.
  for (auto &[header, declared] : headers) {
    fuse::OperatorOp of = declared;
    out.comment("Of the library " + of.getLibrary().str() + ", whose hash is " +
                of.getHash().str() + ".");
    out.raw("#include \"" + header + "\"");
  }
  return failure(failed);
}

} // namespace fusec::codegen
