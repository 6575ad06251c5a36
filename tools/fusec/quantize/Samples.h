// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The samples of a calibration, in a folder:
//   one input        each .npy or .pb file is a sample, with its batch
//   several inputs   each folder in it is a sample, with NAME.npy or NAME.pb
//   for
//                    each input, or input_0.pb, input_1.pb, ... in their order
// A model of one input takes both.
#ifndef FUSEC_TOOLS_FUSEC_QUANTIZE_SAMPLES_H
#define FUSEC_TOOLS_FUSEC_QUANTIZE_SAMPLES_H

#include "compiler/CompileOptions.h"
#include "tools/fusec-ref/ModelIo.h"

namespace fusec::tool {

class Samples {
public:
  /// Lists the samples in `folder`, in the order of their names, in which
  /// numbers count as such. Throws InputError where there are none.
  explicit Samples(const std::string &folder);

  size_t size() const { return names.size(); }
  /// The name of a sample's file or folder.
  const std::string &name(size_t number) const { return names[number]; }
  /// What tells these samples from others: a hash of their names, sizes and
  /// times.
  std::string identity() const;

  /// Sets the shapes of inputs that neither the model nor the options fix, as
  /// the first sample has them.
  void takeShapes(CompileOptions &options) const;

  /// The tensors of a sample, one for each input of the model. Throws
  /// InputError where one is not there, has another type or shape, has no
  /// elements, or has some that are infinite or NaN.
  std::vector<io::Tensor> read(size_t number,
                               llvm::ArrayRef<ref::Port> inputs) const;

private:
  std::string path(size_t number) const;
  std::string findFile(size_t number, llvm::ArrayRef<ref::Port> inputs,
                       size_t input) const;

  std::string folder;
  std::vector<std::string> names;
  bool areFolders = false;
};

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_QUANTIZE_SAMPLES_H
