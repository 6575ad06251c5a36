// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model's inputs and outputs by name: reading, inventing and printing them.
#ifndef FUSEC_TOOLS_FUSEC_REF_MODELIO_H
#define FUSEC_TOOLS_FUSEC_REF_MODELIO_H

#include "compiler/io/TensorFile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/raw_ostream.h"

namespace fusec::ref {

/// Name, element type and shape of an input or output.
struct Port {
  std::string name;
  io::TensorSpec spec;
};

/// The arguments of `function`; what has no `fuse.name` is called inputN.
std::vector<Port> getInputs(mlir::func::FuncOp function);

/// The results of `function`; what has no `fuse.name` is called outputN.
std::vector<Port> getOutputs(mlir::func::FuncOp function);

/// A file that the user named for a port: "NAME=FILE", or just "FILE" where
/// there is one port.
struct PortFile {
  size_t port;
  std::string path;
};

/// What the files of an option belong to.
enum class PortKind { Input, Output };

/// Resolves the "NAME=FILE" arguments of `option` against `ports`. Errors name
/// the option: an unknown name (the message lists the known ones), a port named
/// twice.
llvm::Expected<std::vector<PortFile>>
resolvePortFiles(llvm::StringRef option, llvm::ArrayRef<std::string> arguments,
                 PortKind kind, llvm::ArrayRef<Port> ports);

/// The file of `port`, or null.
const PortFile *findFile(llvm::ArrayRef<PortFile> files, size_t port);

/// The file of a port, which has the port's type and shape. Errors name both.
llvm::Expected<io::Tensor> readPort(const Port &port, llvm::StringRef path);

/// One tensor per input of a model: read from its file, random where none is
/// named (io::randomTensor, by `seed` and position).
llvm::Expected<std::vector<io::Tensor>>
makeInputs(llvm::ArrayRef<Port> ports, llvm::ArrayRef<PortFile> files,
           uint64_t seed);

/// Prints "NAME: f32[2x3] = [1, 2.5, nan, ...]", row-major, at most `limit`
/// elements.
void printTensor(llvm::raw_ostream &os, llvm::StringRef name,
                 const io::Tensor &tensor, int64_t limit);

} // namespace fusec::ref

#endif // FUSEC_TOOLS_FUSEC_REF_MODELIO_H
