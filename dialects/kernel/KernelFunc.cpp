// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/TargetInfo.h"
#include "dialects/kernel/KernelSyntax.h"
#include "dialects/words/Words.h"

#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::kernel;

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &state) {
  Builder &builder = parser.getBuilder();
  (void)impl::parseOptionalVisibilityKeyword(parser, state.attributes);
  StringAttr name;
  SmallVector<OpAsmParser::Argument> args;
  SmallVector<Type> resultTypes;
  SmallVector<DictionaryAttr> resultAttrs;
  bool isVariadic = false;
  if (parser.parseSymbolName(name, SymbolTable::getSymbolAttrName(),
                             state.attributes) ||
      function_interface_impl::parseFunctionSignatureWithArguments(
          parser, /*allowVariadic=*/false, args, isVariadic, resultTypes,
          resultAttrs))
    return failure();

  SmallVector<Type> argTypes;
  for (OpAsmParser::Argument &arg : args) {
    argTypes.push_back(arg.type);
    syntax::keepArgumentName(parser, arg);
  }
  state.addAttribute(
      getFunctionTypeAttrName(state.name),
      TypeAttr::get(builder.getFunctionType(argTypes, resultTypes)));
  call_interface_impl::addArgAndResultAttrs(builder, state, args, resultAttrs,
                                            getArgAttrsAttrName(state.name),
                                            getResAttrsAttrName(state.name));
  return failure(parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
                 parser.parseRegion(*state.addRegion(), args));
}

void FuncOp::print(OpAsmPrinter &p) {
  function_interface_impl::printFunctionOp(
      p, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

void FuncOp::getAsmBlockArgumentNames(Region &region,
                                      OpAsmSetValueNameFn setName) {
  syntax::printArgumentNames(region, setName);
}

/// What does something else than store to `array`; null if nothing does.
static Operation *findReader(Value array) {
  for (Operation *user : array.getUsers())
    if (!isa<StoreOp, StoreTransposedOp>(user))
      return user;
  return nullptr;
}

bool FuncOp::isReproducible() {
  return !getBody()
              .walk([](Operation *op) {
                auto atomic = dyn_cast<AtomicOp>(op);
                auto matrices = dyn_cast<AddMatricesOp>(op);
                return (atomic && !atomic.isReproducible()) ||
                               (matrices && !matrices.isExact())
                           ? WalkResult::interrupt()
                           : WalkResult::advance();
              })
              .wasInterrupted();
}

/// Whether `selected` says of instruction sets of the target from how many
/// threads on.
static LogicalResult verifySelected(FuncOp func) {
  Attribute said = func->getAttr(kSelectedAttr);
  if (!said)
    return success();
  auto bySet = dyn_cast<DictionaryAttr>(said);
  if (!bySet)
    return func.emitOpError() << "has " << kSelectedAttr << " " << said
                              << ", expected a dictionary";
  for (NamedAttribute entry : bySet) {
    auto numbers = dyn_cast<DenseI64ArrayAttr>(entry.getValue());
    if (failed(verifyIsa(func, entry.getName().getValue())))
      return failure();
    if (!numbers || llvm::any_of(numbers.asArrayRef(), [](int64_t number) {
          return number < 2 || number > UINT32_MAX;
        }))
      return func.emitOpError()
             << "has " << kSelectedAttr << " " << entry.getValue() << " for "
             << entry.getName()
             << ", expected numbers of threads, 2 or more, as array<i64: 8>";
  }
  return success();
}

LogicalResult FuncOp::verify() {
  if (failed(verifyIsa(*this, getIsa())) ||
      failed(verifyWord(*this, getVariantAttrName())) ||
      failed(verifyPhrase(*this, "proposer")) ||
      failed(verifyHash(*this, "key")) ||
      failed(verifyHash(*this, kHashAttr)) || failed(verifySelected(*this)))
    return failure();
  if (!getResultTypes().empty())
    return emitOpError("has results; a kernel stores to its output arguments");
  int64_t inputs = getNumInputs(), outputs = getNumOutputs();
  if (inputs < 0 || outputs < 1 ||
      inputs + outputs > int64_t(getNumArguments()))
    return emitOpError() << "has " << getNumArguments()
                         << " arguments, which cannot be num_inputs = "
                         << inputs << " inputs, then num_outputs = " << outputs
                         << " outputs (at least one)";
  for (auto [number, type] : llvm::enumerate(getArgumentTypes())) {
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref)
      return emitOpError() << "argument " << number << " is " << type
                           << ", expected a memref";
    if (!getTypeInfo(memref.getElementType()))
      return emitOpError() << "argument " << number << " has elements of type "
                           << memref.getElementType()
                           << ", which has no row in the TypeInfo table";
    if (failed(syntax::verifySpace(*this, memref)))
      return failure();
    if (isOnHost(memref))
      return emitOpError() << "argument " << number << " is " << memref
                           << ", which kernels of a GPU cannot reach; copy it "
                              "to the GPU's memory";
    if (!memref.getLayout().isIdentity())
      return emitOpError() << "argument " << number
                           << " has a layout; kernels address row-major memory";
    if (getArgAttr(number, kPrefetchAttr) &&
        int64_t(number) >= inputs + outputs)
      return emitOpError() << "argument " << number << " has " << kPrefetchAttr
                           << ", which inputs and outputs may have";
    for (StringRef ofOutputs : {StringRef(kStreamAttr), StringRef(kZeroedAttr)})
      if (getArgAttr(number, ofOutputs) &&
          (int64_t(number) < inputs || int64_t(number) >= inputs + outputs))
        return emitOpError() << "argument " << number << " has " << ofOutputs
                             << ", which outputs may have";
    if (getArgAttr(number, kZeroedAttr))
      for (Operation *user : getArgument(number).getUsers())
        if (!isa<AtomicOp>(user)) {
          InFlightDiagnostic error =
              emitOpError() << "argument " << number << " has " << kZeroedAttr
                            << ", but is not only added to";
          error.attachNote(user->getLoc()) << "here";
          return error;
        }
    if (getArgAttr(number, kStreamAttr))
      if (Operation *reader = findReader(getArgument(number))) {
        InFlightDiagnostic error = emitOpError()
                                   << "argument " << number << " has "
                                   << kStreamAttr << ", but is read";
        error.attachNote(reader->getLoc()) << "here";
        return error;
      }
  }
  return success();
}
