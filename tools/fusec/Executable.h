// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A built model in this process: loaded by dlopen, run through the runtime's C
// interface.
#ifndef FUSEC_TOOLS_FUSEC_EXECUTABLE_H
#define FUSEC_TOOLS_FUSEC_EXECUTABLE_H

#include "compiler/io/TensorFile.h"
#include "fusec/runtime.h"
#include "tools/fusec-ref/ModelIo.h"
#include "tools/fusec/Build.h"
#include "tools/fusec/DeviceImage.h"
#include "tools/fusec/LaunchWatch.h"
#include "tools/fusec/OperatorWatch.h"
#include "tools/fusec/RunDevice.h"
#include "tools/fusec/Trace.h"

#include <memory>

namespace fusec::tool {

/// Opens the library of a model and asks for its descriptor; `library` is what
/// dlclose takes, if there is one.
llvm::Expected<const fusec_model_desc *> openLibrary(const BuiltModel &built,
                                                     void *&library);

/// The inputs or outputs of a descriptor.
std::vector<ref::Port> portsOf(const fusec_tensor_desc *tensors,
                               uint32_t count);

/// The same tensors as the runtime takes them.
std::vector<fusec_tensor> describe(llvm::ArrayRef<io::Tensor> tensors);

/// Why `threads` threads (0: one per CPU) cannot run here, or an empty text.
std::string probeThreads(unsigned threads);
inline constexpr const char *kThreadsHint =
    "give --threads fewer; without it there is one per CPU";

/// Threads that models run on. Those that take turns share them: a second pool
/// would wait for work on the processors that the first one needs.
using SharedPool = std::shared_ptr<fusec_thread_pool>;
/// So many threads, 0: one per CPU.
llvm::Expected<SharedPool> makePool(unsigned threads);

/// How a model is run.
struct LoadOptions {
  SharedPool pool;
  /// Of all groups that have it; empty: their defaults.
  std::string variant;
  /// What kernels run on (RunDevice); empty: what is there.
  std::string device;
  /// A weights file that the model is given in place of its own
  /// (--swappable-weights); empty: none.
  std::string weights = {};
  LaunchTrace *trace = nullptr; ///< gets every launch
  /// Chooses the variants of groups that `variant` leaves open.
  fusec_tuner *tuner = nullptr;
  /// In place of a trace: sees what launches leave in the arena.
  LaunchWatch *watch = nullptr;
  unsigned markEvery = 0; ///< fusec_session_options::mark_every
};

class Executable {
public:
  /// Loads the library and creates a model and a session. Throws UsageError
  /// where no group has the variant, or the model has no kernels for a device
  /// that was named.
  static llvm::Expected<std::unique_ptr<Executable>>
  load(const BuiltModel &built, const LoadOptions &how);
  ~Executable();

  /// How many entries the model has, for the target that was taken: 1 where it
  /// has one shape.
  size_t countEntries() const { return entries.size(); }
  const fusec_model_desc &getEntry(size_t number) const {
    return *entries[number];
  }
  /// "batch=4 seq=64"; empty where the model has one shape.
  std::string describeEntry(size_t number) const;
  /// Takes an entry for the runs that follow, at first it is number 0: inputs
  /// and outputs are this one's. Errors: the runtime's text.
  llvm::Error takeEntry(size_t number);
  /// All extents that runs of an entry may have, its own first: more than these
  /// where it pads.
  std::vector<std::vector<int64_t>> listExtents(size_t number) const;
  /// The same with such extents.
  llvm::Error takeExtents(llvm::ArrayRef<int64_t> extents);
  std::string describeExtents(llvm::ArrayRef<int64_t> extents) const;

  llvm::ArrayRef<ref::Port> inputs() const { return inputPorts; }
  llvm::ArrayRef<ref::Port> outputs() const { return outputPorts; }
  /// What the session carries from one run to the next, called as the inputs
  /// that it is.
  llvm::ArrayRef<ref::Port> states() const { return statePorts; }
  /// Their values, after the last run.
  llvm::Expected<std::vector<io::Tensor>> readStates() const;
  /// Makes them zeros.
  llvm::Error resetStates();
  /// Gives the one that `value` is called as this value.
  llvm::Error setState(const io::Tensor &value);
  /// All of them, as fusec_session_save writes them.
  llvm::Expected<std::string> saveStates() const;
  llvm::StringRef isa() const { return fusec_session_isa(session); }
  /// What the kernels of a model for a GPU run on; null for CPUs.
  const RunDevice *getDevice() const { return device.get(); }
  /// Whether the model, of which other kernels may run, has some for GPUs.
  bool isForGpus() const { return forGpus; }
  /// For people: what kernels run on.
  std::string describePlace() const;
  /// What was found wrong with the kernels that ran, a line each.
  std::vector<std::string> listFindings() const;
  /// Of the target and the entry that were taken.
  const fusec_model_desc &descriptor() const {
    return *fusec_session_descriptor(session);
  }
  unsigned threads() const { return fusec_thread_pool_threads(pool.get()); }

  /// Runs the model once, in so many milliseconds; on a device that has orders
  /// in both, where other bits are a finding, but of kernels that are not
  /// reproducible. Errors: the runtime's text.
  llvm::Expected<std::vector<io::Tensor>> run(llvm::ArrayRef<io::Tensor> inputs,
                                              double *milliseconds = nullptr);

  /// Runs it `count` times more, and before that as often as takes a tenth of a
  /// second or `count` runs.
  RunTimes time(llvm::ArrayRef<io::Tensor> inputs, unsigned count);

private:
  Executable() = default;
  void takePorts();
  llvm::Error watchOperators(const BuiltModel &built,
                             const fusec_model_desc &desc,
                             fusec_session_options &options);
  llvm::Error runInReverse(llvm::ArrayRef<io::Tensor> inputs,
                           llvm::ArrayRef<io::Tensor> forward,
                           const std::string &before);
  bool isReproducible() const;
  std::vector<io::Tensor> makeResults() const;
  fusec_status runOnce(std::vector<fusec_tensor> &in,
                       std::vector<fusec_tensor> &out);
  llvm::Error failure(llvm::StringRef what) const;

  void *library = nullptr;
  fusec_model *model = nullptr;
  fusec_session *session = nullptr;
  SharedPool pool;
  LaunchTrace *trace = nullptr;
  std::unique_ptr<OperatorWatch> operators; ///< null where it calls none
  std::unique_ptr<RunDevice> device;
  /// Of a session that is watched; in memory of `device`, if there is one.
  std::unique_ptr<WatchedArena> arena;
  bool forGpus = false;
  DeviceImage image;
  std::vector<std::string> differences; ///< between orders
  std::vector<const fusec_model_desc *> entries;
  std::vector<ref::Port> inputPorts, outputPorts, statePorts;
};

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_EXECUTABLE_H
