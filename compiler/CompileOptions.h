// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everything that a user can choose about a compilation.
#ifndef FUSEC_COMPILER_COMPILEOPTIONS_H
#define FUSEC_COMPILER_COMPILEOPTIONS_H

#include "codegen/Codegen.h"
#include "compiler/import/Importer.h"
#include "dialects/TargetInfo.h"
#include "passes/Rules.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <vector>

namespace fusec {

namespace lock {
class Advisor;
}

/// The numerics by which a row has the same bits in each batch.
inline constexpr llvm::StringLiteral kBatchInvariant = "batch-invariant";

/// Which remarks are reported.
enum class Remarks {
  None,
  Fusion, ///< why neighbours were not fused
  All,    ///< what every pass left undone
};

struct CompileOptions {
  /// The model: .onnx, or .mlir of any stage.
  std::string input;
  /// Its bytes, where they are no file's; `input` is then only a name.
  std::shared_ptr<const io::MappedFile> memory;
  /// What the model is called in emitted source; empty: as the module of text
  /// is, or the input's file name, or "model" where that is no file.
  std::string name;
  /// The stage to stop after; empty: all.
  std::string until;

  ImportOptions import;
  /// Symbolic dimensions that have several extents, and the combinations of
  /// these that the model is compiled for, into one folder; each is an entry.
  /// One or none: `import.dims` says all.
  std::vector<std::string> symbols;
  std::vector<std::vector<int64_t>> entries;
  /// The file that they are from (--entries); empty: --dim names them.
  std::string entriesFile;
  /// Of `symbols`, those of which a run may have a smaller extent than an
  /// entry, which is then padded (--pad).
  std::vector<std::string> padded;
  /// Which of them this compilation is for; `import.dims` has its extents.
  size_t entry = 0;
  codegen::EmitOptions emit;

  /// The row of the table of targets (dialects/TargetInfo.h) that decisions
  /// rest on, of a CPU or a GPU; empty: the one that text of a stage names, or
  /// `defaultCpu`.
  std::string row;
  /// Whether a CPU was asked for, so that text of a stage that is for GPUs is
  /// refused.
  bool forCpu = false;
  std::string defaultCpu = kDefaultTarget.str();
  /// Whether the row is that of this machine's CPU because it is: programs are
  /// for this machine alone, also where its row is that of any CPU.
  bool forThisMachine = false;
  /// Of further targets, whose code goes into the same folder.
  std::vector<std::string> furtherRows;
  /// This is the compilation for one of them, or for a further entry: not the
  /// first for the model.
  bool isFurther = false;
  /// The platform, which keys of groups and choices name, "cpu" or "cuda":
  /// `Driver::lower` sets it by the row.
  std::string target = "cpu";
  /// The level of optimisation, of which each has what those below have:
  /// 0: a kernel for each primitive, and only the folding that later stages
  ///    need;
  /// 1: rewrites that keep the bits of level 0. Up to here each sum has the
  ///    order of the model;
  /// 2: fusion, and rewrites that round in another way;
  /// 3: weights in the order in which kernels load them.
  unsigned level = kHighestLevel;
  /// Rules, or pieces of several, that are not applied (compiler/Rules.h).
  std::vector<std::string> disabledRules;
  /// Libraries of rules of users, which are applied before all others
  /// (fusec/rule_abi.h).
  std::vector<std::string> ruleLibraries;
  /// One group per operation, for comparison.
  bool noFuse = false;
  /// Which floats are rounded as they were written: "auto" (those that
  /// something is decided by), "strict" (all) or "relaxed" (none).
  std::string precision = "auto";
  /// Whether outputs have the same bits at any number of threads
  /// ("reproducible"), or need not where that is faster ("fast"): then threads
  /// add up in whichever order they run, and sums may also be taken that the
  /// model does not have, as Winograd's. By kBatchInvariant they depend on no
  /// extent but those that sums run over, either.
  std::string numerics = "reproducible";
  /// Libraries of others whose routines are offered as algorithms, by the names
  /// of the library's registry; none of them is called unless it is named.
  std::vector<std::string> vendors;
  /// Lower precisions than the model's that products may have, by the names of
  /// passes/graph/Algorithms.h: none has one unless it is named.
  std::vector<std::string> allowed;
  /// Alternatives to take: "name=algorithm"; the name * is every choice's.
  std::vector<std::string> choices;
  /// Operators that have a text and kernels are choices between both, also
  /// where nobody decides: for who lists what there is.
  bool comparesKernels = false;
  /// How many variants of a kernel there are at most for each instruction set:
  /// the chosen one, from two on the naive one, then the next cheapest. Of
  /// choices between graphs, as many less the naive one.
  unsigned variants = 2;
  /// Whether further variants may be some that `numerics` does not allow: for
  /// who measures them.
  bool anyVariants = false;
  /// Bytes that what is chosen for its cost may need besides its operands and
  /// results; none: as many as it likes.
  std::optional<uint64_t> workspaceLimit;
  /// A fusec.lock with decisions to take; empty: none.
  std::string lock;
  /// What `lock` lacks is an error.
  bool frozen = false;
  /// Who is asked about groups and choices that the lock lacks; null: nobody.
  std::shared_ptr<lock::Advisor> advisor;
  /// A fusec.lock to which `Driver::emit` adds what was decided; empty: none.
  std::string writeLock;
  /// Who proposes schedules: "auto", "isl" (no fallback) or "structural".
  std::string proposer = "auto";
  /// Check all dependences again after each rewrite of a schedule.
  bool verifySchedules = false;
  Remarks remarks = Remarks::None;
  /// Print to stderr how long each pass took.
  bool timing = false;
  /// Make slices of stages, passes and scops for LLVM's time profiler, which
  /// must be running.
  bool trace = false;

  bool hasEntries() const { return entries.size() > 1; }
  /// The least extents that a run may have which takes the entry: its own, but
  /// of those that are padded one more than those of the next smaller entry, or
  /// 1.
  std::vector<int64_t> getLeast(size_t number) const;
  /// The same for another entry.
  CompileOptions forEntry(size_t number) const;
  /// The same for each entry as a model of its own, of one shape.
  std::vector<CompileOptions> forEachShape() const;
};

/// "batch=4 seq=64".
std::string describeEntry(llvm::ArrayRef<std::string> symbols,
                          llvm::ArrayRef<int64_t> extents);

} // namespace fusec

#endif // FUSEC_COMPILER_COMPILEOPTIONS_H
