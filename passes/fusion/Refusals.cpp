// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/fusion/Refusals.h"

#include "dialects/fuse/FuseOps.h"
#include "dialects/fuse/Refusal.h"

using namespace mlir;

namespace fusec::fuse {

/// The first name in `location`, or empty.
static StringRef nameOf(Location location) {
  auto name = location->findInstanceOf<NameLoc>();
  return name ? name.getName().getValue() : StringRef();
}

/// Whether `op` computes: in a group, or in the library.
static bool computes(Operation *op) {
  return isa<PrimitiveOpInterface, CallOp>(op);
}

/// The computing readers of `value`, also through reshapes; `through` is the
/// last of these.
static void collectReaders(
    Value value, Operation *through,
    llvm::function_ref<void(Operation *reader, Operation *through)> found) {
  for (Operation *user : value.getUsers()) {
    if (isa<ReshapeOp>(user))
      collectReaders(user->getResult(0), user, found);
    else if (computes(user))
      found(user, through);
  }
}

/// What to do about the reshape between the two. Which of the two, only who
/// made the model knows.
static std::string adviseOnReshape(Operation *producer, Operation *reader) {
  StringRef before = nameOf(producer->getLoc()),
            behind = nameOf(reader->getLoc());
  if (before.empty() || behind.empty())
    return "";
  return ("in the model, reshape before '" + before + "' or behind '" + behind +
          "' where it means the same")
      .str();
}

/// The node that a reshape is in the model; empty if it is a part of one of the
/// two nodes, or has no name.
static StringRef nameReshape(Operation *reshape, Operation *producer,
                             Operation *reader) {
  StringRef name = nameOf(reshape->getLoc());
  return name == nameOf(producer->getLoc()) || name == nameOf(reader->getLoc())
             ? StringRef()
             : name;
}

/// Whether both come from one node of the model, of which nobody asks why its
/// parts are apart.
static bool areOneNode(Operation *a, Operation *b) {
  StringRef name = nameOf(a->getLoc());
  return !name.empty() && name == nameOf(b->getLoc());
}

SmallVector<Refusal> findRefusals(Block &block, Clusters &clusters) {
  SmallVector<Refusal> refusals;
  auto add = [&](Operation *producer, Operation *reader, Operation *through) {
    std::string reason, hint;
    if (isa<CallOp>(producer))
      reason = "a library call writes to memory";
    else if (isa<CallOp>(reader))
      reason = "a library call reads from memory";
    else if (through) {
      StringRef name = nameReshape(through, producer, reader);
      reason =
          (name.empty() ? "a reshape" : "the reshape '" + name.str() + "'") +
          " between them stays a view of memory";
      if (!name.empty())
        hint = adviseOnReshape(producer, reader);
    } else if (!clusters.areTogether(producer, reader))
      reason = clusters.explain(producer, reader);
    if (!reason.empty() && !(through && areOneNode(producer, reader)))
      refusals.push_back({producer, reader, reason, hint});
  };
  for (Operation &op : block) {
    if (!computes(&op))
      continue;
    SmallVector<std::pair<Operation *, Operation *>> readers;
    for (Value result : op.getResults())
      collectReaders(result, nullptr,
                     [&](Operation *reader, Operation *through) {
                       if (reader->getBlock() == &block)
                         readers.push_back({reader, through});
                     });
    // The order of a value's uses is another one after a round trip through
    // text.
    llvm::sort(readers, [](auto a, auto b) {
      if (a.first != b.first)
        return a.first->isBeforeInBlock(b.first);
      return a.second && b.second ? a.second->isBeforeInBlock(b.second)
                                  : !a.second && b.second;
    });
    for (auto [reader, through] : readers)
      add(&op, reader, through);
  }
  return refusals;
}

/// Makes `remark` one about `refusal`, with what to do about it, if anything.
static void attach(InFlightDiagnostic &remark, DictionaryAttr refusal,
                   StringRef hint) {
  NamedAttrList members(refusal);
  if (!hint.empty())
    members.set("hint", StringAttr::get(refusal.getContext(), hint));
  attachRefusal(remark, members.getDictionary(refusal.getContext()));
}

/// Where the reader is: "@group", or "the call of 'routine'"; and its name.
static std::pair<std::string, StringRef> placeOf(Operation *reader) {
  if (auto group = dyn_cast<GroupOp>(reader->getParentOp()))
    return {("@" + group.getSymName()).str(), group.getSymName()};
  if (auto call = dyn_cast<CallOp>(reader))
    return {("the call of '" + call.getCallee() + "'").str(), call.getCallee()};
  return {};
}

void reportRefusals(ArrayRef<Refusal> refusals) {
  for (const Refusal &refusal : refusals) {
    auto [place, group] = placeOf(refusal.reader);
    if (place.empty())
      continue;
    Location location = refusal.producer->getLoc();
    InFlightDiagnostic remark = emitRemark(location)
                                << "not fused into " << place << ": "
                                << refusal.reason;
    attach(remark,
           describeRefusal(location->getContext(), nameOf(location),
                           nameOf(refusal.reader->getLoc()), group,
                           refusal.reason),
           refusal.hint);
  }
}

void reportGroup(Location location, StringRef group, const Twine &what,
                 const Twine &why, StringRef hint) {
  InFlightDiagnostic remark = emitRemark(location)
                              << "@" << group << " " << what << why;
  attach(remark,
         describeRefusal(location->getContext(), nameOf(location), "", group,
                         (what + why).str()),
         hint);
}

} // namespace fusec::fuse
