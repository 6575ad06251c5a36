// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a model's file says of itself (model.json's "source"), as people read
// it.
#ifndef FUSEC_TOOLS_FUSEC_SOURCEROWS_H
#define FUSEC_TOOLS_FUSEC_SOURCEROWS_H

#include "llvm/Support/JSON.h"

namespace fusec::tool {

/// Pairs of what is told and how: {"producer", "pytorch 2.6.0"}. None where
/// `model`, a model.json, has no source. The texts are the model's own.
std::vector<std::pair<std::string, std::string>>
sourceRows(const llvm::json::Object &model);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_SOURCEROWS_H
