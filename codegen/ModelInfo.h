// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A module before emission as the emitters see it: its inputs, outputs,
// weights, groups with their variants, and launches, all with identifiers.
#ifndef FUSEC_CODEGEN_MODELINFO_H
#define FUSEC_CODEGEN_MODELINFO_H

#include "dialects/TargetInfo.h"
#include "dialects/fuse/FuseOps.h"
#include "dialects/kernel/KernelOps.h"
#include "dialects/library/Library.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include <map>
#include <set>
#include <string>
#include <vector>

namespace fusec::codegen {

/// Where an input or output has a symbol of which runs may have a smaller
/// extent; as fusec_padding_desc.
struct PaddingInfo {
  unsigned symbol, axis;
  uint64_t inner;
  bool hasValue; ///< or else copies of the last element
  uint64_t value;
};

/// An input or output of the model.
struct TensorInfo {
  std::string name; ///< as in the model, any characters
  std::string identifier;
  mlir::MemRefType type;
  mlir::BlockArgument argument;
  /// What people should know of it, or empty.
  std::string note = {};
  /// Of an output: the number of the input that it may share memory with, or
  /// -1.
  int alias = -1;
  std::vector<PaddingInfo> padding = {}; ///< outermost first
};

/// What the model carries from one run to the next: neither of the two is
/// among its inputs and outputs.
struct StateInfo {
  TensorInfo past, present;
  /// Whether the next value may be written over the last one.
  bool isInPlace = false;
  /// Of the number of rows that other states hold: how many a run adds, and how
  /// many there is room for; else 0.
  int64_t rows = 0, room = 0;
};

struct WeightInfo {
  fuse::WeightOp op;
  std::string identifier;
  uint64_t offset; ///< into the weights file
};

struct VariantInfo {
  std::string name; ///< "default", "naive"
  std::string isa;  ///< the instruction set that it serves; empty: all
  kernel::FuncOp func = {};
  std::string function; ///< the C++ function
  std::string schedule; ///< in words, may be empty
  std::string proposer; ///< of the schedule, may be empty
  uint64_t workspaceBytes = 0, zeroedBytes = 0;
  /// Of a GPU: blocks, and threads of each.
  uint64_t grid = 0, block = 0;
  /// Bytes of shared memory that a launch requests for each block.
  uint64_t sharedBytes = 0;
  std::string hash;   ///< of the kernel, 16 hexadecimal digits, or empty
  std::string choice; ///< what a fusec.lock says of it, or empty
  /// From how many threads on it runs in place of the default, by instruction
  /// set.
  std::map<std::string, std::vector<int64_t>> selected;
  /// Where the function stands; set when it is printed.
  std::string file;
  unsigned firstLine = 0, lastLine = 0;
};

struct GroupInfo {
  std::string identifier;
  std::string key;                ///< 16 hexadecimal digits, or empty
  std::vector<std::string> nodes; ///< names of the model's nodes
  std::vector<std::string> parameters;
  /// Of a GPU: instances of its largest statement, reduced dimensions included.
  uint64_t points = 0;
  /// The one that is launched first. The default of an instruction set is the
  /// first that serves it.
  std::vector<VariantInfo> variants;
};

struct LaunchInfo {
  kernel::LaunchOp op;
  unsigned group;
  std::string identifier;
};

/// One of the ways that a choice of the host program has.
struct AlternativeInfo {
  std::string name;       ///< of the algorithm
  std::string identifier; ///< its constant in the host program
  std::string hash;       ///< 16 hexadecimal digits, or empty
  std::vector<unsigned> launches, calls;
  uint64_t arenaBytes = 0;     ///< up to the end of its last buffer
  uint64_t workspaceBytes = 0; ///< of its buffers
};

/// A choice that is left to whoever runs the model.
struct ChoiceInfo {
  kernel::ChoiceOp op;
  std::string identifier;
  std::string key; ///< 16 hexadecimal digits, or empty
  std::vector<AlternativeInfo> alternatives; ///< the default first
};

/// A call of the library's, or of an operator of a user's.
struct CallInfo {
  kernel::CallOp op;
  const library::Routine *routine;
  std::string identifier;
  std::vector<std::string> nodes;
  uint64_t workspaceBytes;
  /// Of an operator of a user's: its declaration, and what the program calls
  /// the place where it is called.
  fuse::OperatorOp declared = {};
  std::string site = {};
  /// Whether it launches kernels of its own on a device, and does not run on
  /// the host.
  bool launchesKernels = false;
  /// The header that declares what the host program calls.
  llvm::StringRef getHeader() const;
};

/// A symbolic dimension, and its extent in an entry.
struct ExtentInfo {
  std::string name; ///< as in the model, any characters
  std::string identifier;
  int64_t extent;
  int64_t least; ///< that a run may have, whose inputs are padded; or -1
};

/// Which kernels an entry launches, of those in files that it shares with
/// others: the table that its descriptor names.
struct KernelTable {
  std::string identifier;       ///< of the entry
  std::vector<unsigned> groups; ///< their numbers in the files
};

struct ModelInfo {
  std::string name; ///< as in the module
  /// Of files, a namespace and symbols. Of further targets in a folder it has
  /// the target behind it, of further entries their extents; the typed
  /// interface is called as the first one is.
  std::string identifier;
  std::string interface;
  /// The first entry for the target, which the files are called after: those
  /// of the host programs, and of the kernels.
  std::string files;
  /// Of the first target and entry: the identifiers of the further ones.
  std::vector<std::string> others;
  /// Of an entry; empty where the model has one shape.
  std::vector<ExtentInfo> extents;
  /// Whether runs may have smaller ones, of this entry or another one.
  bool isPadded() const {
    return !extents.empty() && extents.front().least >= 0;
  }
  /// Of what all entries for a target launch together.
  std::vector<KernelTable> tables;
  const TargetInfo *target = nullptr;
  mlir::func::FuncOp main;
  std::vector<TensorInfo> inputs, outputs;
  std::vector<StateInfo> states;
  std::vector<WeightInfo> weights;
  std::vector<GroupInfo> groups;
  std::vector<LaunchInfo> launches;
  std::vector<ChoiceInfo> choices;
  std::vector<CallInfo> calls;
  uint64_t arenaBytes = 0;     ///< whatever is chosen
  uint64_t hostArenaBytes = 0; ///< of a program for a device, beside that
  int64_t algorithms = 0;    ///< version of the set that variants are of, or 0
  uint64_t weightsBytes = 0; ///< of the file; 0: there is none
  uint64_t weightsId = 0;
  /// A hash of what reads the weights file; 0: no other weights may be in it.
  uint64_t structure = 0;
  uint64_t weightsBegin = 0, weightsEnd = 0; ///< where those of this target lie

  /// Instruction sets beyond those that kernels are scheduled for, for which
  /// they are compiled, too: units of these kernels are instructions there.
  std::set<llvm::StringRef> furtherIsas;
  /// All that kernels are compiled for, each in its place among those of
  /// fusec_isa; the empty name stands for one of these that they are not.
  std::vector<llvm::StringRef> getIsas() const;

  /// The vendors whose libraries the calls need, each once, by name.
  std::vector<const library::Vendor *> getVendors() const;
  /// The headers of routines that kernels call, each once, by name.
  std::set<llvm::StringRef> getDeviceHeaders() const;
  /// Whether kernels run on a device, which has a memory of its own.
  bool isForDevice() const { return target->platform->isDevice; }
  /// What users call the target: "cpu", "cuda-sm80".
  llvm::StringRef getTargetName() const {
    return isForDevice() ? target->name : target->platform->name;
  }
  /// What a kernel of a GPU is called in its module, which has no namespaces.
  std::string getSymbol(const VariantInfo &variant) const {
    return files + "_" + variant.function;
  }
  bool isFirst() const { return identifier == interface; }
  /// Whether it is the first entry for its target, which has the files.
  bool hasFiles() const { return identifier == files; }
  /// Of the arena where nothing is chosen.
  uint64_t getDefaultArena() const;
};

/// Collects all of it. Fails with located errors where the module is not ready
/// for emission: no main function, an unknown kernel, a buffer without place.
mlir::FailureOr<ModelInfo> collectModel(mlir::ModuleOp module);

/// "f32[10, 20]".
std::string describeType(mlir::MemRefType type);

/// The element type as NumPy's users call it: "f32", "u8", "bool".
std::string dtypeName(mlir::MemRefType type);

/// A kernel.call as the registry of the library sees it.
library::Call describeCall(kernel::CallOp op);

/// Bytes of a memref's elements.
uint64_t byteSize(mlir::MemRefType type);

} // namespace fusec::codegen

#endif // FUSEC_CODEGEN_MODELINFO_H
