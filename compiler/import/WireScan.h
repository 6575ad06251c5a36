// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Splits a serialized ModelProto into its structure and its weights.
#ifndef FUSEC_COMPILER_IMPORT_WIRESCAN_H
#define FUSEC_COMPILER_IMPORT_WIRESCAN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace fusec {

/// A model without the large raw_data of its initializers.
struct SlimModel {
  /// The message, shortened; parses as a ModelProto.
  std::string bytes;
  /// For each initializer of the graph, in order: its raw_data inside the
  /// scanned bytes, or an empty range where it was left in the message.
  std::vector<llvm::ArrayRef<char>> rawData;
};

/// Copies a serialized ModelProto except for initializer data of more than
/// 64 bytes, which stays where it is: protobuf would copy every weight to the
/// heap, and reading would touch every page of the file. Errors say at which
/// byte the message is truncated or malformed.
llvm::Expected<SlimModel> scanModel(llvm::ArrayRef<char> model);

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_WIRESCAN_H
