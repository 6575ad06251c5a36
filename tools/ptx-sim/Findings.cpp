// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ptx-sim/Findings.h"

#include "tools/ptx-sim/Module.h"

using namespace fusec::ptx;

void Findings::add(Finding finding) {
  std::string key = finding.kind + '\n' + finding.kernel + '\n' + finding.file +
                    '\n' + std::to_string(finding.line) + '\n' +
                    finding.instruction;
  auto [place, isNew] = known.emplace(key, list.size());
  if (isNew)
    list.push_back(std::move(finding));
  else
    ++list[place->second].count;
  if (isFirstEnough)
    throw Error(Error::BadInput, list.back().message);
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
