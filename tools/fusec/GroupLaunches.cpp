// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/GroupLaunches.h"

#include "dialects/TypeInfo.h"
#include "dialects/kernel/Choices.h"

using namespace mlir;

namespace fusec::tool {

namespace {
/// The launches of a program with their numbers among all, by the branch that
/// they are in and the text of their locations: those of a group and of its
/// launch are the same, whatever the kernel is called.
using Launches = std::map<std::string, std::vector<NumberedLaunch>>;

} // namespace

uint64_t countBytes(Type type) {
  auto shaped = cast<ShapedType>(type);
  return uint64_t(shaped.getNumElements()) *
         getTypeInfo(shaped.getElementType())->storageBytes();
}

static std::string printed(Location location) {
  std::string text;
  llvm::raw_string_ostream os(text);
  location.print(os);
  return text;
}

/// The alternative of `choice` that `op` is in.
template <typename Choice>
static StringRef getAlgorithm(Choice choice, Operation *op) {
  Region *region = op->getParentRegion();
  while (region->getParentOp() != choice)
    region = region->getParentOp()->getParentRegion();
  return cast<StringAttr>(choice.getAlgorithms()[region->getRegionNumber()]);
}

static Branch nameBranch(StringRef choice, StringRef algorithm) {
  return (choice + "=" + algorithm + "\n").str();
}

static Launches findLaunches(func::FuncOp program) {
  Launches launches;
  uint32_t number = 0;
  program.walk([&](kernel::LaunchOp launch) {
    Branch branch;
    for (Operation *outer = launch; (outer = outer->getParentOp());)
      if (auto choice = dyn_cast<kernel::ChoiceOp>(outer))
        branch += nameBranch(choice.getSymName(), getAlgorithm(choice, launch));
    launches[branch + printed(launch.getLoc())].push_back({number, launch});
    ++number;
  });
  return launches;
}

ChoicesLeft::ChoicesLeft(func::FuncOp program) {
  program.walk([&](kernel::ChoiceOp choice) {
    for (auto algorithm : choice.getAlgorithms().getAsValueRange<StringAttr>())
      made.insert({choice.getSymName().str(), algorithm.str()});
  });
  if (auto all = program->getAttrOfType<ArrayAttr>(kChoicesAttr))
    for (auto taken : all.getAsRange<DictionaryAttr>())
      settled[taken.getAs<StringAttr>("name").str()] =
          taken.getAs<StringAttr>("algorithm").str();
  for (const auto &alternative : made)
    settled.erase(alternative.first);
}

bool ChoicesLeft::has(StringRef name, StringRef algorithm) const {
  auto only = settled.find(name.str());
  return made.count({name.str(), algorithm.str()}) ||
         (only != settled.end() && only->second == algorithm);
}

std::optional<Branch> ChoicesLeft::find(Operation *op) const {
  Branch branch;
  for (Operation *outer = op; (outer = outer->getParentOp());) {
    auto choice = dyn_cast<fuse::ChoiceOp>(outer);
    if (!choice)
      continue;
    const StringRef name = choice.getSymName(),
                    algorithm = getAlgorithm(choice, op);
    if (!has(name, algorithm))
      return std::nullopt;
    if (!settled.count(name.str()))
      branch += nameBranch(name, algorithm);
  }
  return branch;
}

/// Whether `launch` leaves as much as `group` has results; `byName`: and calls
/// a kernel that is called as the group.
static bool fits(fuse::GroupOp group, kernel::LaunchOp launch, bool byName) {
  if (launch->getNumOperands() < group.getNumResults() ||
      (byName && launch.getKernel() != group.getSymName()))
    return false;
  return llvm::all_of(
      llvm::zip(group.getResultTypes(),
                launch->getOperands().take_back(group.getNumResults())),
      [](auto pair) {
        auto [result, memory] = pair;
        return countBytes(result) == countBytes(memory.getType());
      });
}

/// Of each of `groups` the number of its launch among `launches`, which are in
/// the same order. What a group became may be none, as where it fills memory:
/// if that leaves several ways, all have none.
static std::vector<std::optional<size_t>>
align(llvm::ArrayRef<fuse::GroupOp> groups,
      llvm::ArrayRef<NumberedLaunch> launches) {
  std::vector<std::optional<size_t>> result(groups.size());
  for (bool byName : {false, true}) {
    // From each group and each launch on, in how many ways; 2 are several.
    std::vector<std::vector<unsigned>> ways(
        groups.size() + 1, std::vector<unsigned>(launches.size() + 1, 0));
    ways.back().back() = 1;
    auto takes = [&](size_t group, size_t launch) {
      return launch < launches.size() && ways[group + 1][launch + 1] &&
             (groups.size() == launches.size() ||
              fits(groups[group], launches[launch].second, byName));
    };
    for (size_t group = groups.size(); group-- > 0;)
      for (size_t launch = 0; launch <= launches.size(); ++launch)
        ways[group][launch] = std::min(
            2u, ways[group + 1][launch] +
                    (takes(group, launch) ? ways[group + 1][launch + 1] : 0));
    if (ways[0][0] != 1)
      continue;
    for (size_t group = 0, launch = 0; group < groups.size(); ++group)
      if (takes(group, launch))
        result[group] = launch++;
    break;
  }
  return result;
}

std::vector<std::pair<fuse::GroupOp, std::optional<NumberedLaunch>>>
findGroupLaunches(func::FuncOp function, func::FuncOp program,
                  const ChoicesLeft &choices) {
  Launches launches = findLaunches(program);
  // By what they and their launches have in common.
  std::map<std::string, std::vector<fuse::GroupOp>> groups;
  std::vector<std::string> order;
  function->walk([&](fuse::GroupOp group) {
    // Of an alternative that nobody takes nothing is there.
    if (std::optional<Branch> branch = choices.find(group)) {
      order.push_back(*branch + printed(group.getLoc()));
      groups[order.back()].push_back(group);
    }
  });
  std::map<std::string, std::vector<std::optional<size_t>>> numbers;
  for (const auto &[text, alike] : groups)
    numbers[text] = align(alike, launches[text]);
  std::vector<std::pair<fuse::GroupOp, std::optional<NumberedLaunch>>> result;
  std::map<std::string, size_t> taken;
  for (const std::string &text : order) {
    const size_t next = taken[text]++;
    result.push_back({groups[text][next], std::nullopt});
    if (std::optional<size_t> number = numbers[text][next])
      result.back().second = launches[text][*number];
  }
  return result;
}

} // namespace fusec::tool
