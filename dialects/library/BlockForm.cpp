// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of operators of users that blocks of a GPU's threads share.
#include "dialects/TargetInfo.h"
#include "dialects/library/Declared.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace fusec::library {

static constexpr std::pair<StringLiteral, int64_t BlockGrid::*> kMembers[] = {
    {"blocks", &BlockGrid::blocks},
    {"threads", &BlockGrid::threads},
    {"shared", &BlockGrid::sharedBytes},
    {"workspace", &BlockGrid::workspaceBytes}};

std::optional<BlockGrid> getBlockGrid(DictionaryAttr parameters) {
  auto said = parameters.getAs<DictionaryAttr>(kBlockParameter);
  if (!said)
    return std::nullopt;
  BlockGrid grid;
  for (auto [name, member] : kMembers)
    grid.*member = said.getAs<IntegerAttr>(name).getInt();
  return grid;
}

Attribute makeBlockGrid(MLIRContext *context, const BlockGrid &grid) {
  Builder builder(context);
  SmallVector<NamedAttribute> all;
  for (auto [name, member] : kMembers)
    all.push_back(
        builder.getNamedAttr(name, builder.getI64IntegerAttr(grid.*member)));
  return builder.getDictionaryAttr(all);
}

Refusal refuseBlockParameter(DictionaryAttr parameters) {
  Attribute value = parameters.get(kBlockParameter);
  if (!value)
    return std::nullopt;
  auto said = dyn_cast<DictionaryAttr>(value);
  if (!said || said.size() != std::size(kMembers) ||
      !llvm::all_of(kMembers, [&](const auto &member) {
        return kInt.holds(said.get(member.first));
      }))
    return kBlockParameter.str() + " needs blocks, threads, shared and "
                                   "workspace, integers";
  if (Refusal reason = getBlockGrid(parameters)->refuse())
    return "in " + kBlockParameter.str() + " " + *reason;
  return std::nullopt;
}

bool hasDeviceForm(DictionaryAttr parameters) {
  return launchesKernels(parameters) || parameters.contains(kBlockParameter);
}

DictionaryAttr takeForms(DictionaryAttr parameters, const TargetInfo &target) {
  NamedAttrList taken(parameters);
  if (!runsLaunchers(target)) {
    taken.erase(kCudaWorkspaceParameter);
    taken.erase(kBlockParameter);
  } else if (parameters.contains(kBlockParameter)) {
    // What the others say.
    for (StringRef name : {kCudaWorkspaceParameter, kWorkspaceParameter,
                           kAlgorithmParameter, kReproducibleParameter})
      taken.erase(name);
  }
  return taken.getDictionary(parameters.getContext());
}

//===- In kernels ---------------------------------------------------------===//

static bool takesBlocks(const Call &call) {
  return call.parameters.contains(kBlockParameter);
}

static Grid getGrid(const Call &call, const TargetInfo &) {
  const BlockGrid grid = *getBlockGrid(call.parameters);
  return {grid.blocks, grid.threads};
}

/// The declaration says the symbol, and whose header that is.
const DeviceForm kBlockForm = {/*symbol=*/"", "fusec/op_block.h", getGrid,
                               takesBlocks};

} // namespace fusec::library
