// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model that is about to be quantised.
#ifndef FUSEC_TOOLS_FUSEC_QUANTIZE_NETWORK_H
#define FUSEC_TOOLS_FUSEC_QUANTIZE_NETWORK_H

#include "compiler/Driver.h"
#include "compiler/quantize/Apply.h"

namespace fusec::tool {

/// What of it becomes codes, and how.
struct Network {
  explicit Network(Driver &driver) : driver(driver) {}

  Driver &driver;
  ExportedNodes nodes;
  quantize::PlanOptions options;
  quantize::ApplyOptions apply;
  /// Of all that may become codes.
  quantize::Plan plan;
  /// Of all its tensors.
  quantize::Codings codings;

  /// The plan with products that stay in f32, by their numbers in `plan`. Its
  /// tensors are some of those of `plan`.
  quantize::Plan without(llvm::ArrayRef<size_t> products) const;
};

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_QUANTIZE_NETWORK_H
