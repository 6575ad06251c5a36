// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ptx-sim/Findings.h"

#include "tools/ptx-sim/Module.h"

#include <algorithm>

using namespace fusec::ptx;

namespace {

/// "ld" of "@%p1 ld.shared.f32 %f1, [%r1]". What is of no line is whole: work
/// on a stream.
std::string opcodeOf(const Finding &finding) {
  const std::string &text = finding.instruction;
  if (!finding.line)
    return text;
  const size_t begin = text[0] == '@' ? text.find(' ') + 1 : 0;
  return text.substr(begin, text.find_first_of(". ;", begin) - begin);
}

} // namespace

Finding &Findings::place(const Finding &finding, bool &isNew) {
  std::string key = finding.kind + '\n' + finding.kernel + '\n' + finding.file +
                    '\n' + std::to_string(finding.line) + '\n' +
                    opcodeOf(finding);
  auto [place, added] = known.emplace(key, list.size());
  isNew = added;
  if (isNew) {
    list.push_back(finding);
    return list.back();
  }
  Finding &there = list[place->second];
  there.instructions.insert(finding.instructions.begin(),
                            finding.instructions.end());
  if (finding.reach > there.reach) {
    there.instruction = finding.instruction;
    there.message = finding.message;
    there.reach = finding.reach;
  }
  return there;
}

void Findings::add(Finding finding) {
  bool isNew;
  finding.instructions = {finding.instruction};
  Finding &there = place(finding, isNew);
  if (!isNew)
    ++there.count;
  if (isFirstEnough)
    throw Error(Error::BadInput, there.message);
}

void Findings::join(const Findings &other) {
  for (const Finding &finding : other.list) {
    bool isNew;
    Finding &there = place(finding, isNew);
    there.count = std::max(there.count, finding.count);
  }
}

void Counts::add(const Counts &other) {
  warpInstructions += other.warpInstructions;
  threadInstructions += other.threadInstructions;
  globalLoadBytes += other.globalLoadBytes;
  globalStoreBytes += other.globalStoreBytes;
  sharedLoadBytes += other.sharedLoadBytes;
  sharedStoreBytes += other.sharedStoreBytes;
  globalRequests += other.globalRequests;
  globalSectors += other.globalSectors;
  globalVectorBytes += other.globalVectorBytes;
  sharedRequests += other.sharedRequests;
  bankConflicts += other.bankConflicts;
  barriers += other.barriers;
  atomics += other.atomics;
  launches += other.launches;
}
