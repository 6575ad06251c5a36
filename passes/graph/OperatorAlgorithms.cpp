// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/graph/OperatorAlgorithms.h"

#include "dialects/TargetInfo.h"
#include "dialects/library/Declared.h"
#include "passes/graph/ChoiceSite.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

/// Those of `call` that are offered.
static SmallVector<library::Algorithm> listOffered(CallOp call, bool anyBits,
                                                   bool remarks) {
  SmallVector<library::Algorithm> offered;
  for (library::Algorithm &one : library::getAlgorithms(call.getParameters()))
    if (anyBits || one.isReproducible)
      offered.push_back(std::move(one));
    else if (remarks)
      call.emitRemark() << "is not computed by '" << one.name
                        << "': it is not reproducible, and is offered with "
                           "--numerics=fast";
  return offered;
}

/// Fills an alternative with the call by an algorithm.
static void fill(Region &alternative, CallOp call,
                 const library::Algorithm &algorithm) {
  OpBuilder builder = OpBuilder::atBlockBegin(&alternative.emplaceBlock());
  auto own = cast<CallOp>(builder.clone(*call));
  own.setParametersAttr(
      library::takeAlgorithm(call.getParameters(), algorithm));
  YieldOp::create(builder, call.getLoc(), own.getResults());
}

static ChoiceOp makeChoice(CallOp call, ArrayRef<library::Algorithm> algorithms,
                           StringRef name) {
  OpBuilder builder(call);
  SmallVector<StringRef> words;
  for (const library::Algorithm &one : algorithms)
    words.push_back(one.name);
  auto choice =
      ChoiceOp::create(builder, call.getLoc(), call.getResultTypes(), name,
                       builder.getStrArrayAttr(words), unsigned(words.size()));
  for (auto [region, one] : llvm::zip(choice.getAlternatives(), algorithms))
    fill(region, call, one);
  return choice;
}

/// The choice of which `call` is an alternative, if it is all of one.
static ChoiceOp findChoice(CallOp call) {
  auto choice = dyn_cast<ChoiceOp>(call->getParentOp());
  if (!choice || &call->getBlock()->front() != call.getOperation())
    return {};
  auto yield = dyn_cast<YieldOp>(call->getNextNode());
  return yield && ValueRange(yield.getValues()) == call.getResults()
             ? choice
             : ChoiceOp();
}

/// Whether alternatives of `choice` besides the one of `call` are called as one
/// of `algorithms` is.
static bool hasNames(ChoiceOp choice, CallOp call,
                     ArrayRef<library::Algorithm> algorithms) {
  for (auto [region, name] :
       llvm::zip(choice.getAlternatives(),
                 choice.getAlgorithms().getAsValueRange<StringAttr>()))
    for (const library::Algorithm &one : algorithms)
      if (&region != call->getParentRegion() && one.name == name)
        return true;
  return false;
}

/// Puts the algorithms of `call` in the place of the alternative that it is; of
/// a choice that keeps one alternative that stays in its place.
static void insertInto(ChoiceOp choice, CallOp call,
                       ArrayRef<library::Algorithm> algorithms) {
  // What each alternative is: one that stays, or an algorithm.
  struct Part {
    StringRef name;
    Region *region;
    const library::Algorithm *algorithm;
  };
  SmallVector<Part> parts;
  for (auto [region, name] :
       llvm::zip(choice.getAlternatives(),
                 choice.getAlgorithms().getAsValueRange<StringAttr>())) {
    if (&region != call->getParentRegion())
      parts.push_back({name, &region, nullptr});
    else
      for (const library::Algorithm &one : algorithms)
        parts.push_back({one.name, nullptr, &one});
  }
  if (parts.size() == 1 && parts.front().region) {
    Block &block = parts.front().region->front();
    auto yield = cast<YieldOp>(block.getTerminator());
    choice->replaceAllUsesWith(yield.getValues());
    yield->erase();
    choice->getBlock()->getOperations().splice(Block::iterator(choice),
                                               block.getOperations());
    choice->erase();
    return;
  }
  OpBuilder builder(choice);
  SmallVector<StringRef> words;
  for (const Part &part : parts)
    words.push_back(part.name);
  auto made = ChoiceOp::create(
      builder, choice.getLoc(), choice.getResultTypes(), choice.getSymName(),
      builder.getStrArrayAttr(words), unsigned(words.size()));
  made->setDiscardableAttrs(choice->getDiscardableAttrDictionary());
  for (auto [to, part] : llvm::zip(made.getAlternatives(), parts)) {
    if (part.region)
      to.takeBody(*part.region);
    else
      fill(to, call, *part.algorithm);
  }
  choice->replaceAllUsesWith(made);
  choice->erase();
}

FailureOr<unsigned> fuse::expandOperators(func::FuncOp function, bool anyBits,
                                          bool remarks,
                                          llvm::StringSet<> &names) {
  SmallVector<CallOp> calls;
  function->walk([&](CallOp call) {
    if (call.getParameters().contains(library::kAlgorithmsParameter))
      calls.push_back(call);
  });
  unsigned numChoices = 0;
  const bool mayLaunch =
      !calls.empty() && library::runsLaunchers(getTargetInfo(calls.front()));
  for (CallOp call : calls) {
    // One that has a form for GPUs takes no time on CPUs.
    const bool isLaunched =
        mayLaunch && library::hasDeviceForm(call.getParameters());
    SmallVector<library::Algorithm> offered =
        listOffered(call, anyBits, remarks && !isLaunched);
    if (isLaunched && !offered.empty()) {
      call.setParametersAttr(
          library::takeAlgorithm(call.getParameters(), offered.front()));
      continue;
    }
    ChoiceOp around = findChoice(call);
    if (around && !hasNames(around, call, offered) &&
        (!offered.empty() || around.getAlternatives().size() > 1)) {
      insertInto(around, call, offered);
      continue;
    }
    if (offered.empty())
      return call.emitOpError()
             << "of @" << call.getCallee()
             << " has no algorithm that is reproducible; --numerics=fast takes "
                "others";
    if (offered.size() == 1) {
      call.setParametersAttr(
          library::takeAlgorithm(call.getParameters(), offered.front()));
      continue;
    }
    call->replaceAllUsesWith(
        makeChoice(call, offered, nameChoice(call, names)));
    call->erase();
    ++numChoices;
  }
  return numChoices;
}
