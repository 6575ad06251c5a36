// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusec op test, of an operator of a library.
#include "tools/fusec/op/TestAlgorithms.h"

#include "llvm/Support/raw_ostream.h"
#include <fmt/format.h>

namespace fusec::tool::op {

using operators::Answer;
using operators::Call;
using operators::CallAlgorithm;
using operators::Host;
using operators::Operator;

/// What was done by an algorithm in which there are no faults.
static std::string
describeTested(const Operator &op, const CallAlgorithm &algorithm,
               const std::optional<CallAlgorithm> &expected) {
  const operators::Algorithm *declared =
      op.findAlgorithm("cpu", algorithm.name);
  std::string text = declared && !declared->isReproducible
                         ? "the same results up to rounding"
                         : "the same bits";
  text += " twice and on 1, 2 and 7 threads, and nothing written outside of "
          "the results";
  if (op.scalar)
    text += ", and its function gives what compute gives";
  if (expected)
    text += ", which are those of " + expected->name;
  return text;
}

ExitCode testAlgorithms(const std::string &path,
                        const operators::Manifest &manifest, const Call &call,
                        const Answer &answer, uint64_t seed,
                        std::chrono::seconds patience) {
  const Operator &op = *call.op;
  const bool hasSeveral = answer.algorithms.size() > 1;
  ExitCode code = kExitFine;
  std::optional<CallAlgorithm> expected;
  for (const CallAlgorithm &algorithm : answer.algorithms) {
    llvm::outs().flush(); // what comes may take long
    // One that ends the child leaves the next one another.
    Host host(path, manifest.units.size());
    llvm::Expected<std::vector<std::string>> faults =
        host.test(call, answer.outputs, {seed, patience, algorithm, expected});
    std::vector<std::string> found;
    if (faults)
      found = std::move(*faults);
    else
      found.push_back(llvm::toString(faults.takeError()));
    const std::string by =
        hasSeveral ? op.name() + " by " + algorithm.name : op.name();
    for (const std::string &fault : found)
      llvm::outs() << "fault: " << by << ": " << fault << "\n";
    if (!found.empty())
      code = kExitCheckFailed;
    else if (hasSeveral)
      llvm::outs() << fmt::format("{}, {} bytes of scratch memory: no faults: ",
                                  by, algorithm.workspaceBytes)
                   << describeTested(op, algorithm, expected) << "\n";
    else
      llvm::outs() << "no faults: " << describeTested(op, algorithm, expected)
                   << "\n";
    if (!expected)
      expected = algorithm;
  }
  return code;
}

} // namespace fusec::tool::op
