// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which ONNX operators are known, and how they are converted.
#ifndef FUSEC_COMPILER_IMPORT_REGISTRY_H
#define FUSEC_COMPILER_IMPORT_REGISTRY_H

#include "llvm/ADT/StringMap.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fusec {

class Node;

/// Converts a node, or throws NodeError.
using Converter = void (*)(Node &);

struct Operator {
  /// The first version of the operator set that this entry is for.
  int64_t since;
  Converter convert;
  /// Moves or converts elements of f8, f6 and f4, which are codes, and does not
  /// compute with them.
  bool takesCodes = false;
  /// Operators of users may take its operands in place of its result, which
  /// then is not computed at import.
  bool isTakenApart = false;
  /// Some operands may be sequences.
  bool takesSequences = false;
};

/// The table of operators, keyed by domain, type and version. Filled once by
/// the register functions of ops/, one per class of operators.
class Registry {
public:
  static const Registry &get();

  /// Adds an operator of ONNX's own domain.
  Operator &add(llvm::StringRef op, int64_t since, Converter convert) {
    return addTo("", op, since, convert);
  }
  Operator &addTo(llvm::StringRef domain, llvm::StringRef op, int64_t since,
                  Converter convert);

  /// The entry with the highest `since` up to `opset`, or null.
  const Operator *find(llvm::StringRef domain, llvm::StringRef op,
                       int64_t opset) const;

  /// The first version from which `op` is known, or nothing.
  std::optional<int64_t> findFirst(llvm::StringRef domain,
                                   llvm::StringRef op) const;
  /// The operators of `domain`, sorted.
  std::vector<std::string> getNames(llvm::StringRef domain) const;
  /// The domains that have operators, sorted.
  std::vector<std::string> getDomains() const;

private:
  Registry();
  llvm::StringMap<std::vector<Operator>> operators;
};

/// The newest version of ONNX's operator set whose operators the table
/// describes.
constexpr int64_t kNewestOpset = 28;

void registerConditions(Registry &registry);
void registerElementwise(Registry &registry);
void registerActivations(Registry &registry);
void registerCasts(Registry &registry);
void registerShape(Registry &registry);
void registerSlicing(Registry &registry);
void registerGather(Registry &registry);
void registerPositions(Registry &registry);
void registerConstants(Registry &registry);
void registerCounted(Registry &registry);
void registerConv(Registry &registry);
void registerPool(Registry &registry);
void registerMatmul(Registry &registry);
void registerNorm(Registry &registry);
void registerSoftmax(Registry &registry);
void registerTransformer(Registry &registry);
void registerDeterminant(Registry &registry);
void registerLoss(Registry &registry);
void registerTraining(Registry &registry);
void registerSignal(Registry &registry);
void registerFourier(Registry &registry);
void registerUnsupported(Registry &registry);
void registerLibrary(Registry &registry);
void registerQuantized(Registry &registry);
void registerReduce(Registry &registry);
void registerImage(Registry &registry);
void registerEinsum(Registry &registry);
void registerResize(Registry &registry);
void registerSampling(Registry &registry);
void registerControl(Registry &registry);
void registerLoop(Registry &registry);
void registerScan(Registry &registry);
void registerRecurrent(Registry &registry);
void registerStateSpace(Registry &registry);
void registerSequence(Registry &registry);
void registerFlexAttention(Registry &registry);
void registerMachineLearning(Registry &registry);
void registerMicrosoft(Registry &registry);
void registerMicrosoftAttention(Registry &registry);
void registerMicrosoftGroupQueryAttention(Registry &registry);
void registerMicrosoftFused(Registry &registry);
void registerCategories(Registry &registry);
void registerLinearModels(Registry &registry);
void registerSupportVectors(Registry &registry);
void registerNgrams(Registry &registry);
void registerTreeEnsembles(Registry &registry);
void registerOldTreeEnsembles(Registry &registry);
void registerMicrosoftQuantized(Registry &registry);
void registerMicrosoftPackedAttention(Registry &registry);
void registerMicrosoftProducts(Registry &registry);
void registerMicrosoftTables(Registry &registry);

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_REGISTRY_H
