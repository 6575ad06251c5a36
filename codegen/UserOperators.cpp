// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/UserOperators.h"

#include "codegen/DescriptorRows.h"
#include "codegen/Emitters.h"
#include "codegen/KernelEmitter.h"
#include "dialects/library/Declared.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/xxhash.h"
#include <map>

using namespace mlir;

namespace fusec::codegen {

/// The declaration that a call in a kernel is of; null if there is none.
static fuse::OperatorOp getDeclared(kernel::ScalarOp op) {
  auto declared = SymbolTable::lookupNearestSymbolFrom<fuse::OperatorOp>(
      op, op.getCalleeAttr());
  return declared && declared.getScalar() ? declared : nullptr;
}

namespace {
/// A library of operators: one of its declarations, whether the host program
/// calls any, or only kernels their functions, and whether any of these
/// launches kernels of its own, or has a function of blocks.
struct Library {
  fuse::OperatorOp op;
  bool isCalled, launchesKernels = false, hasBlocks = false;
};
} // namespace

/// The libraries that `targets` call operators of, by name and hash.
static std::map<std::pair<std::string, std::string>, Library>
collectLibraries(ArrayRef<ModelInfo> targets) {
  std::map<std::pair<std::string, std::string>, Library> libraries;
  auto add = [&](fuse::OperatorOp op, bool isCalled) -> Library & {
    return libraries
        .try_emplace({op.getLibrary().str(), op.getHash().str()},
                     Library{op, isCalled})
        .first->second;
  };
  for (const ModelInfo &target : targets)
    for (const CallInfo &call : target.calls)
      if (call.declared)
        add(call.declared, true).launchesKernels |= call.launchesKernels;
  for (const ModelInfo &target : targets)
    for (const GroupInfo &group : target.groups)
      for (const VariantInfo &variant : group.variants)
        kernel::FuncOp(variant.func).walk([&](kernel::ScalarOp op) {
          if (fuse::OperatorOp declared = getDeclared(op))
            add(declared, false);
        });
  for (const ModelInfo &target : targets)
    forEachBlockFunction(target.groups,
                         [&](kernel::CallOp, fuse::OperatorOp declared) {
                           add(declared, false).hasBlocks = true;
                         });
  return libraries;
}

/// The least architecture of those targets on which operators may launch
/// kernels of their own.
static std::optional<unsigned>
findLeastArchitecture(ArrayRef<ModelInfo> targets) {
  std::optional<unsigned> least;
  for (const ModelInfo &target : targets)
    if (library::runsLaunchers(*target.target)) {
      const unsigned number = target.target->multiprocessor->getNumber();
      least = std::min(least.value_or(number), number);
    }
  return least;
}

/// The function of the unit of a declaration, in the program.
static std::string getQuery(fuse::OperatorOp op, uint64_t unit) {
  return fmt::format("fusec_op_{}_{}_{}", op.getLibrary(), op.getHash(), unit);
}

/// Units in CUDA are numbered behind the others.
static std::string getUnitPath(fuse::OperatorOp op, uint64_t unit) {
  return fmt::format("ops/{}_{}.{}", op.getLibrary(), unit,
                     unit < op.getUnits().size() ? "cpp" : "cu");
}

std::vector<OperatorUnit> listOperatorUnits(ArrayRef<ModelInfo> targets) {
  const std::optional<unsigned> architecture = findLeastArchitecture(targets);
  std::vector<OperatorUnit> units;
  for (auto &[key, library] : collectLibraries(targets)) {
    fuse::OperatorOp op = library.op;
    std::vector<std::string> flags;
    for (StringRef flag : op.getFlags().getAsValueRange<StringAttr>())
      flags.push_back(flag.str());
    const size_t count = op.getUnits().size();
    const size_t all = count + (architecture ? op.listCudaUnits().size() : 0);
    for (size_t unit = 0; unit < all; ++unit)
      units.push_back({getUnitPath(op, unit), flags,
                       unit < count ? std::nullopt : architecture});
  }
  return units;
}

/// A unit, whose names are its own: others may be in the same program.
static std::string emitUnit(fuse::OperatorOp op, uint64_t unit,
                            StringRef source) {
  SourceWriter out;
  out.comment(kEmittedBy);
  out.comment("Operators of the library `" + op.getLibrary().str() +
              "`, as they were given.");
  out.raw("#define FUSEC_OP_QUERY " + getQuery(op, unit));
  out.raw("#define FUSEC_OP_NAMESPACE " + op.getLibrary() + "_" + op.getHash());
  out.raw("#include \"" + op.getLibrary() + "/" + source + "\"");
  return out.text();
}

/// The same where the program needs nothing of it: kernels have all, or no
/// operator launches kernels of its own.
static std::string emitNoUnit(fuse::OperatorOp op, bool isCalled) {
  SourceWriter out;
  out.comment(kEmittedBy);
  if (isCalled)
    out.comment("No operator that is called of the library `" +
                op.getLibrary().str() + "` launches kernels of its own.");
  else
    out.comment("Only kernels call functions of the library `" +
                op.getLibrary().str() + "`.");
  return out.text();
}

llvm::Expected<std::vector<EmittedFile>>
emitOperatorSources(ArrayRef<ModelInfo> targets) {
  const bool forGpus = findLeastArchitecture(targets).has_value();
  std::vector<EmittedFile> files;
  std::string last;
  for (auto &[key, library] : collectLibraries(targets)) {
    if (key.first == last)
      return llvm::createStringError(
          "the model calls operators of two libraries that are called '" +
          last + "': rename one of the two, and build it again");
    last = key.first;
    fuse::OperatorOp op = library.op;
    SmallVector<StringRef> units(op.getUnits().getAsValueRange<StringAttr>());
    const SmallVector<StringRef> cudaUnits = op.listCudaUnits();
    const size_t used = !library.isCalled          ? 0
                        : !library.launchesKernels ? units.size()
                                                   : SIZE_MAX;
    if (forGpus)
      units.append(cudaUnits);
    for (auto [unit, source] : llvm::enumerate(units))
      files.push_back({getUnitPath(op, unit),
                       unit < used ? emitUnit(op, unit, source)
                                   : emitNoUnit(op, library.isCalled)});
    // Kernels include what is no unit.
    for (NamedAttribute source : op.getSources()) {
      StringRef name = source.getName();
      const bool isCuda = llvm::is_contained(cudaUnits, name);
      const bool isHeader = !llvm::is_contained(units, name) && !isCuda;
      if (isHeader ? library.isCalled || library.hasBlocks
          : isCuda ? library.launchesKernels
                   : library.isCalled)
        files.push_back({("ops/" + op.getLibrary() + "/" + name).str(),
                         cast<StringAttr>(source.getValue()).str()});
    }
  }
  return files;
}

//===- Functions of elements ----------------------------------------------===//

/// The lines of a header but for what a file of kernels has already.
static void writeHeader(StringRef text, SourceWriter &out) {
  SmallVector<StringRef> lines;
  text.rtrim().split(lines, '\n');
  for (StringRef line : lines) {
    StringRef rest = line.trim();
    if (rest.consume_front("#") && (rest.ltrim().starts_with("include") ||
                                    rest.ltrim().starts_with("pragma once")))
      continue;
    out.raw(line.rtrim());
  }
}

LogicalResult writeScalars(ArrayRef<GroupInfo> groups, SourceWriter &out) {
  std::map<std::string, fuse::OperatorOp> texts; // by hash
  std::map<std::string, std::string> owners;     // of functions
  for (const GroupInfo &group : groups)
    for (const VariantInfo &variant : group.variants) {
      auto result = kernel::FuncOp(variant.func).walk([&](kernel::ScalarOp op) {
        fuse::OperatorOp declared = getDeclared(op);
        if (!declared)
          return WalkResult::advance(); // has no form in the text either
        StringRef text =
            declared.getSources().getAs<StringAttr>(declared.getScalarFile());
        const std::string hash = llvm::utohexstr(llvm::xxh3_64bits(text),
                                                 /*LowerCase=*/true, 16);
        texts.try_emplace(hash, declared);
        auto [owner, isNew] =
            owners.try_emplace(declared.getScalarFunction().str(), hash);
        if (isNew || owner->second == hash)
          return WalkResult::advance();
        op.emitOpError() << "calls " << declared.getScalarFunction()
                         << ", which two headers have that differ; rename one "
                            "of the two";
        return WalkResult::interrupt();
      });
      if (result.wasInterrupted())
        return failure();
    }
  if (texts.empty())
    return success();
  out.raw();
  out.raw("#include \"fusec/scalars.h\"");
  for (auto &[hash, declared] : texts) {
    fuse::OperatorOp op = declared;
    // Several models may share a translation unit.
    const std::string guard = "FUSEC_SCALARS_" + StringRef(hash).upper();
    out.raw();
    out.raw("#ifndef " + guard);
    out.raw("#define " + guard);
    out.comment("Called by kernels: " + op.getScalarFile().str() +
                " of the library " + op.getLibrary().str() + ".");
    writeHeader(op.getSources().getAs<StringAttr>(op.getScalarFile()), out);
    out.raw("#endif");
  }
  return success();
}

void declareOperatorQueries(ArrayRef<ModelInfo> entries, SourceWriter &out) {
  std::set<std::string> queries;
  for (const ModelInfo &entry : entries)
    for (const CallInfo &call : entry.calls)
      if (fuse::OperatorOp op = call.declared) {
        queries.insert(getQuery(op, op.getUnit()));
        if (call.launchesKernels)
          queries.insert(getQuery(op, op.getCudaUnit()));
      }
  for (const std::string &query : queries)
    out.line("extern \"C\" const fusec_op_unit *{}(uint32_t abi_version);",
             query);
  if (!queries.empty())
    out.raw();
}

//===- Sites --------------------------------------------------------------===//

/// A parameter's values: the elements of an array in C++, of which type, and
/// what the C interface calls their kind and the field that points to them.
namespace {
struct Values {
  std::string type, kind, field;
  SmallVector<std::string> items;
};
} // namespace

static std::string describeNumber(double number) {
  if (std::isfinite(number))
    return fmt::format("{:a}", number);
  return std::isnan(number) ? "NAN" : number < 0 ? "-INFINITY" : "INFINITY";
}

static std::string describeInteger(int64_t number) {
  return number == INT64_MIN ? "INT64_MIN" : std::to_string(number);
}

static Values getValues(Attribute value) {
  Values values;
  auto add = [&](StringRef type, StringRef kind, StringRef field) {
    values.type = type.str();
    values.kind = kind.str();
    values.field = field.str();
  };
  using library::ValueKind;
  switch (*library::getValueKind(value)) {
  case ValueKind::flag:
    add("int64_t", "FUSEC_OP_FLAG", "ints");
    values.items.push_back(cast<BoolAttr>(value).getValue() ? "1" : "0");
    break;
  case ValueKind::integer:
    add("int64_t", "FUSEC_OP_INT", "ints");
    values.items.push_back(describeInteger(cast<IntegerAttr>(value).getInt()));
    break;
  case ValueKind::number:
    add("double", "FUSEC_OP_FLOAT", "floats");
    values.items.push_back(
        describeNumber(cast<FloatAttr>(value).getValueAsDouble()));
    break;
  case ValueKind::text:
    add("char *const", "FUSEC_OP_TEXT", "texts");
    values.items.push_back(quoted(cast<StringAttr>(value).getValue()));
    break;
  case ValueKind::integers:
    add("int64_t", "FUSEC_OP_LIST | FUSEC_OP_INT", "ints");
    for (int64_t item : cast<DenseI64ArrayAttr>(value).asArrayRef())
      values.items.push_back(describeInteger(item));
    break;
  case ValueKind::numbers:
    add("double", "FUSEC_OP_LIST | FUSEC_OP_FLOAT", "floats");
    for (double item : cast<DenseF64ArrayAttr>(value).asArrayRef())
      values.items.push_back(describeNumber(item));
    break;
  case ValueKind::texts:
    add("char *const", "FUSEC_OP_LIST | FUSEC_OP_TEXT", "texts");
    for (StringRef item : cast<ArrayAttr>(value).getAsValueRange<StringAttr>())
      values.items.push_back(quoted(item));
    break;
  }
  return values;
}

namespace {
class SiteEmitter {
public:
  SiteEmitter(const CallInfo &call, SourceWriter &out)
      : call(call), op(call.op), declared(call.declared), out(out) {}
  void run();

private:
  /// Prints the types of inputs or outputs; returns the two arguments that
  /// say where they are.
  std::string emitTensors(StringRef which, ValueRange values);
  /// What quantised input `input` stands for, as further members of its
  /// tensor; nothing of others.
  std::string emitQuantized(StringRef prefix, unsigned input);
  std::string emitParameters();

  const CallInfo &call;
  kernel::CallOp op;
  fuse::OperatorOp declared;
  SourceWriter &out;
};
} // namespace

std::string SiteEmitter::emitQuantized(StringRef prefix, unsigned input) {
  library::Quantization known =
      library::getQuantization(op.getParameters(), input);
  if (!known.isThere())
    return "";
  SmallVector<std::string> scales, zeros;
  for (auto [scale, zero] : llvm::zip_equal(known.scales, known.zeroPoints)) {
    scales.push_back(describeNumber(scale));
    zeros.push_back(describeInteger(zero));
  }
  out.line("const float {}_scales[] = {{{}}};", prefix,
           llvm::join(scales, ", "));
  out.line("const int64_t {}_zeros[] = {{{}}};", prefix,
           llvm::join(zeros, ", "));
  return fmt::format(", {}_scales, {}_zeros, {}, {}", prefix, prefix,
                     scales.size(), known.axis);
}

std::string SiteEmitter::emitTensors(StringRef which, ValueRange values) {
  if (values.empty())
    return "nullptr, 0";
  const std::string list = call.site + "_" + which.str();
  SmallVector<std::string> rows;
  for (auto [number, value] : llvm::enumerate(values)) {
    auto type = cast<MemRefType>(value.getType());
    const std::string dims = fmt::format("{}_{}", list, number);
    // A rank of 0 still needs an array to point to.
    out.line("const int64_t {}[] = {{{}}};", dims,
             type.getRank()
                 ? fmt::format("{}", fmt::join(type.getShape(), ", "))
                 : "0");
    rows.push_back(fmt::format(
        "{{{}, {}, {}{}}}", abiTypeName(type.getElementType()), type.getRank(),
        dims, which == "in" ? emitQuantized(dims, number) : ""));
  }
  out.line("const fusec::OpTensor {}[] = {{{}}};", list,
           llvm::join(rows, ", "));
  return fmt::format("{}, {}", list, values.size());
}

std::string SiteEmitter::emitParameters() {
  SmallVector<std::string> rows;
  for (NamedAttribute parameter : op.getParameters()) {
    if (library::isOwnParameter(parameter.getName()))
      continue;
    Values values = getValues(parameter.getValue());
    std::string name =
        fmt::format("{}_{}", call.site, parameter.getName().getValue());
    const bool isEmpty = values.items.empty();
    if (!isEmpty)
      out.line("const {} {}[] = {{{}}};", values.type, name,
               llvm::join(values.items, ", "));
    auto pointer = [&](StringRef field) {
      return field == values.field && !isEmpty ? name : "nullptr";
    };
    rows.push_back(fmt::format(
        "{{sizeof(fusec_op_value), {}, {}, {}, {}, {}, {}}}", values.kind,
        quoted(parameter.getName().getValue()), values.items.size(),
        pointer("ints"), pointer("floats"), pointer("texts")));
  }
  if (rows.empty())
    return "nullptr, 0";
  const std::string table = call.site + "_params";
  out.line("const fusec_op_value {}_values[] = {{{}}};", call.site,
           llvm::join(rows, ", "));
  SmallVector<std::string> pointers;
  for (size_t i = 0; i < rows.size(); ++i)
    pointers.push_back(fmt::format("&{}_values[{}]", call.site, i));
  out.line("const fusec_op_value *const {}[] = {{{}}};", table,
           llvm::join(pointers, ", "));
  return fmt::format("{}, {}", table, rows.size());
}

void SiteEmitter::run() {
  auto [domain, type] = declared.getSymName().rsplit('.');
  out.comment(fmt::format("{} version {} of the library {}.",
                          declared.getSymName(), declared.getVersion(),
                          declared.getLibrary()));
  const std::string inputs = emitTensors("in", op.getInputs());
  const std::string outputs = emitTensors("out", op.getOutputs());
  const std::string parameters = emitParameters();
  std::string further;
  if (auto algorithm =
          op.getParameters().getAs<StringAttr>(library::kAlgorithmParameter))
    further = ", " + quoted(algorithm.getValue());
  if (call.launchesKernels) {
    const uint64_t unit = declared.getCudaUnit();
    const std::string query = getQuery(declared, unit);
    further += (further.empty() ? ", {}, " : ", ") +
               (unit < declared.getUnits().size()
                    ? query
                    : "FUSEC_OP_LAUNCHERS(" + query + ")");
  }
  out.line("fusec::OpSite {}({}, {}, {}, {}, {}, {}, {}{});", call.site,
           getQuery(declared, declared.getUnit()), quoted(domain), quoted(type),
           declared.getVersion(), inputs, outputs, parameters, further);
}

void emitOperatorSites(const ModelInfo &model, SourceWriter &out) {
  for (const CallInfo &call : model.calls)
    if (call.declared) {
      SiteEmitter(call, out).run();
      out.raw();
    }
}

} // namespace fusec::codegen
