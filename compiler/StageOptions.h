// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the options of a compilation say to the passes of several stages.
#ifndef FUSEC_COMPILER_STAGEOPTIONS_H
#define FUSEC_COMPILER_STAGEOPTIONS_H

#include "compiler/CompileOptions.h"
#include "passes/graph/Passes.h"
#include "passes/schedule/Passes.h"
#include "passes/weigh/Passes.h"

namespace fusec {

/// Up to level 1 results have the same bits: each sum keeps its order.
bool keepsBits(const CompileOptions &options);
/// Rows have the same bits whatever batch they are in.
bool isBatchInvariant(const CompileOptions &options);
/// Of the passes, which know no batch: what is said of a whole program.
std::string getNumerics(const CompileOptions &options);
/// How floats round. What a kernel fuses may depend on a batch, so that nothing
/// may round by that.
std::string getPrecision(const CompileOptions &options);
/// Whether loops leave out what a mask hides. That may be an infinity, without
/// which bits change.
bool skipsMasked(const CompileOptions &options);

fuse::MarkPreciseOptions getMarks(const CompileOptions &options);
sched::ConvertFuseToSchedOptions getConversion(const CompileOptions &options);
/// The stages from groups to their schedules, as groups are weighed by: without
/// a lock, which is about what is taken.
weigh::AddScheduling getScheduling(const CompileOptions &options);

} // namespace fusec

#endif // FUSEC_COMPILER_STAGEOPTIONS_H
