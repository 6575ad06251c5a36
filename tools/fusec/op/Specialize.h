// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The calls of an operator whose body is text that kernels are made for: all
// element types that it takes, for the extents that a command line gives.
#ifndef FUSEC_TOOLS_FUSEC_OP_SPECIALIZE_H
#define FUSEC_TOOLS_FUSEC_OP_SPECIALIZE_H

#include "tools/fusec/op/BodyModel.h"
#include <map>

namespace fusec::tool::op {

/// The extents of an input, behind any number of dimensions where it has rows.
struct GivenShape {
  bool hasRows = false;
  std::vector<int64_t> dims;
};
/// By the input's name.
using GivenShapes = std::map<std::string, GivenShape>;

/// Reads "x=*x768,g=768". Throws UsageError.
GivenShapes parseGivenShapes(llvm::StringRef text);

/// A call that kernels are made for. Where tensors have rows, their extents are
/// those of `rows` of them.
struct Specialization {
  std::vector<BodyTensor> inputs, outputs;
  /// For how many rows there are kernels, ascending; none where nothing has
  /// rows.
  std::vector<int64_t> entries;
};

/// All of them; `types` are those that type variables stand for, or none: all
/// that they may. Inputs whose extents follow from those of others need not be
/// given. Throws UsageError where some is missing, and fop::Mistake where the
/// text does not take the extents.
std::vector<Specialization>
specialize(const fop::Definition &definition, const fop::Library &library,
           const GivenShapes &given, const std::vector<std::string> &types,
           const std::vector<fop::ParamValue> &params);

} // namespace fusec::tool::op

#endif // FUSEC_TOOLS_FUSEC_OP_SPECIALIZE_H
