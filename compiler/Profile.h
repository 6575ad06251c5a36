// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the time of a compilation goes: a table (MLIR's timing of passes), and
// slices for LLVM's time profiler, which writes Chrome's trace format.
#ifndef FUSEC_COMPILER_PROFILE_H
#define FUSEC_COMPILER_PROFILE_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"

namespace fusec {

/// What is being measured. The table is printed to stderr when it is destroyed.
class Profile {
public:
  Profile(bool timing, bool trace);
  ~Profile();

  /// Measures `work`, which is called `name` and may add passes' own times.
  class Part {
  public:
    Part(Profile &profile, llvm::StringRef name);
    ~Part();
    /// Measures each pass that `passes` runs.
    void watch(mlir::PassManager &passes);

  private:
    Profile &profile;
    mlir::TimingScope scope;
  };

private:
  bool trace;
  mlir::DefaultTimingManager manager;
  mlir::TimingScope root;
};

} // namespace fusec

#endif // FUSEC_COMPILER_PROFILE_H
