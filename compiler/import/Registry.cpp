// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/Registry.h"

#include "llvm/ADT/Twine.h"
#include <algorithm>
#include <set>
#include <string>

namespace fusec {

static std::string key(llvm::StringRef domain, llvm::StringRef op) {
  return (domain + "\n" + op).str();
}

Registry::Registry() {
  registerConditions(*this);
  registerElementwise(*this);
  registerActivations(*this);
  registerCasts(*this);
  registerShape(*this);
  registerSlicing(*this);
  registerGather(*this);
  registerPositions(*this);
  registerConstants(*this);
  registerCounted(*this);
  registerConv(*this);
  registerPool(*this);
  registerMatmul(*this);
  registerNorm(*this);
  registerSoftmax(*this);
  registerTransformer(*this);
  registerDeterminant(*this);
  registerLoss(*this);
  registerTraining(*this);
  registerSignal(*this);
  registerFourier(*this);
  registerUnsupported(*this);
  registerLibrary(*this);
  registerQuantized(*this);
  registerReduce(*this);
  registerImage(*this);
  registerEinsum(*this);
  registerResize(*this);
  registerSampling(*this);
  registerControl(*this);
  registerLoop(*this);
  registerScan(*this);
  registerRecurrent(*this);
  registerStateSpace(*this);
  registerSequence(*this);
  registerFlexAttention(*this);
  registerMachineLearning(*this);
  registerMicrosoft(*this);
  registerMicrosoftAttention(*this);
  registerMicrosoftFused(*this);
  registerMicrosoftGroupQueryAttention(*this);
  registerCategories(*this);
  registerLinearModels(*this);
  registerSupportVectors(*this);
  registerNgrams(*this);
  registerTreeEnsembles(*this);
  registerOldTreeEnsembles(*this);
  registerMicrosoftQuantized(*this);
  registerMicrosoftPackedAttention(*this);
  registerMicrosoftProducts(*this);
  registerMicrosoftTables(*this);
}

const Registry &Registry::get() {
  static const Registry registry;
  return registry;
}

Operator &Registry::addTo(llvm::StringRef domain, llvm::StringRef op,
                          int64_t since, Converter convert) {
  std::vector<Operator> &versions = operators[key(domain, op)];
  auto at = std::find_if(
      versions.begin(), versions.end(),
      [&](const Operator &version) { return version.since > since; });
  return *versions.insert(at, {since, convert});
}

const Operator *Registry::find(llvm::StringRef domain, llvm::StringRef op,
                               int64_t opset) const {
  auto found = operators.find(key(domain, op));
  if (found == operators.end())
    return nullptr;
  const Operator *best = nullptr;
  for (const Operator &version : found->second)
    if (version.since <= opset)
      best = &version;
  return best;
}

std::optional<int64_t> Registry::findFirst(llvm::StringRef domain,
                                           llvm::StringRef op) const {
  auto found = operators.find(key(domain, op));
  if (found == operators.end())
    return std::nullopt;
  return found->second.front().since;
}

std::vector<std::string> Registry::getNames(llvm::StringRef domain) const {
  std::vector<std::string> names;
  for (llvm::StringRef known : operators.keys())
    if (auto [of, op] = known.split('\n'); of == domain)
      names.push_back(op.str());
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> Registry::getDomains() const {
  std::set<std::string> domains;
  for (llvm::StringRef known : operators.keys())
    if (llvm::StringRef domain = known.split('\n').first; !domain.empty())
      domains.insert(domain.str());
  return {domains.begin(), domains.end()};
}

} // namespace fusec
