// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Caches that exporters write as present = Concat(past, new): which of the
// states of a model are such, and what grows with them.
#ifndef FUSEC_COMPILER_IMPORT_GROWTH_H
#define FUSEC_COMPILER_IMPORT_GROWTH_H

#include "compiler/import/FlatGraph.h"
#include "compiler/import/Importer.h"
#include "compiler/import/OnnxProto.h"
#include "llvm/ADT/StringMap.h"

namespace fusec {

/// The shapes of values by their names. Nothing where values of one name, which
/// the bodies of a model may have, differ.
using ShapeRecord = llvm::StringMap<std::optional<std::vector<int64_t>>>;

/// A state whose next value is Concat(itself, new rows).
struct GrowingCache {
  std::string input;  ///< of the model
  std::string result; ///< of the Concat
  int64_t axis;       ///< along which it grows, not negative
};

/// What is known of the caches of a model before it is imported.
struct Growth {
  std::vector<GrowingCache> caches;
  /// The dimensions that options fix and that grow with the caches.
  std::vector<std::string> symbols;
  /// The rows that the caches have before the run that fills them, and how many
  /// a run adds. Both together are what they have room for.
  int64_t past = 0, rows = 0;
  /// The shapes of all values where the caches have `otherPast` rows, one more
  /// or one less: by how much they differ says how extents grow.
  int64_t otherPast = 0;
  ShapeRecord otherShapes;

  const GrowingCache *find(llvm::StringRef result) const;
  bool has(llvm::StringRef input) const;
  /// The options for another number of rows.
  ImportOptions at(ImportOptions options, int64_t otherPast) const;
};

/// The caches among `states`, by the names of inputs those of outputs, that
/// grow along a dimension which `options` fix by its name. `otherShapes` and
/// `rows` are left open. Adds to `problems` those that cannot grow together.
std::optional<Growth> findGrowth(const onnx::GraphProto &proto,
                                 const FlatGraph &graph,
                                 const llvm::StringMap<std::string> &states,
                                 const ImportOptions &options,
                                 std::vector<Problem> &problems,
                                 llvm::StringRef path);

/// The extent of a dimension of this name: what `dims` says for it, or for each
/// term of a sum, as exporters write "past_sequence_length + 1"; -1 if that is
/// open.
int64_t findExtent(llvm::StringRef name,
                   const std::map<std::string, int64_t> &dims);

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_GROWTH_H
