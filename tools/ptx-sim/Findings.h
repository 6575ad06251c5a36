// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What was found wrong, and what was counted.
#ifndef FUSEC_TOOLS_PTXSIM_FINDINGS_H
#define FUSEC_TOOLS_PTXSIM_FINDINGS_H

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace fusec::ptx {

struct Finding {
  std::string kind; ///< "race", see README.md for all
  std::string kernel;
  std::string file;        ///< of the CUDA source, else of the PTX
  int line = 0;            ///< in that file
  std::string instruction; ///< as it is written in the PTX
  std::string message;
  uint64_t count = 1; ///< how often it happened, at all these instructions
  /// Of several messages the one that reaches furthest is kept, the first of
  /// equals, with the instruction that it is of.
  int reach = 0;
  /// Of a line the ones that do the same, as a loop that was unrolled has them.
  std::set<std::string> instructions = {};
};

class Findings {
public:
  /// Once for each kind, line and opcode; more are counted.
  void add(Finding finding);
  /// Adds what another run of the same found: counts are those of the run in
  /// which it happened more often.
  void join(const Findings &other);
  const std::vector<Finding> &all() const { return list; }
  bool empty() const { return list.empty(); }

  /// Whether the first one ends the launch, by an Error: to know that there is
  /// something takes less time than to count all of it.
  bool isFirstEnough = false;

private:
  /// The one of its kind, line and opcode, which is this one where it is new.
  Finding &place(const Finding &finding, bool &isNew);
  std::vector<Finding> list;
  std::map<std::string, size_t> known;
};

/// Of one launch, or of all launches of a kernel.
struct Counts {
  uint64_t warpInstructions = 0, threadInstructions = 0;
  uint64_t globalLoadBytes = 0,
           globalStoreBytes = 0; ///< what threads asked for
  uint64_t sharedLoadBytes = 0, sharedStoreBytes = 0;
  uint64_t globalRequests = 0, globalSectors = 0; ///< of a warp; of 32 bytes
  uint64_t globalVectorBytes = 0; ///< in accesses of 128 bits a thread
  uint64_t sharedRequests = 0, bankConflicts = 0; ///< passes beyond the first
  uint64_t barriers = 0;                          ///< arrivals of warps
  uint64_t atomics = 0;                           ///< of threads
  uint64_t launches = 0;

  void add(const Counts &other);
};

} // namespace fusec::ptx

#endif // FUSEC_TOOLS_PTXSIM_FINDINGS_H
