// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records of a Fast-Run cache, for people and for programs.
#ifndef FUSEC_TOOLS_FUSEC_CACHEREPORT_H
#define FUSEC_TOOLS_FUSEC_CACHEREPORT_H

#include "runtime/fast_run/Cache.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace fusec::tool {

/// One line: key, date, search, what is taken and its time, device.
void printSummary(const fast_run::Record &record, llvm::raw_ostream &os);
/// The names of its columns.
void printSummaryHeader(llvm::raw_ostream &os);

/// The member "backend", an object.
void addBackend(llvm::json::OStream &json, const fast_run::Backend &backend);

/// The members workspace, naive, reproducible, default and unstable: all that a
/// timing says but for the time.
void addAttributes(llvm::json::OStream &json, const fast_run::Timing &timing);

/// All that a record says.
void printWhole(const fast_run::Record &record, llvm::raw_ostream &os);

/// The same as an object.
void printAsObject(const fast_run::Record &record, llvm::json::OStream &json);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_CACHEREPORT_H
