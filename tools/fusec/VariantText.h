// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a model.json says of variants and choices, for people.
#ifndef FUSEC_TOOLS_FUSEC_VARIANTTEXT_H
#define FUSEC_TOOLS_FUSEC_VARIANTTEXT_H

#include "llvm/Support/JSON.h"

#include <string>

namespace fusec::tool {

/// Where sessions take a variant in place of the default: "avx2 from 2
/// threads"; empty where they do not.
std::string describeSelected(const llvm::json::Object &variant);

/// Whether sessions take `algorithm` of a choice anywhere.
bool takes(const llvm::json::Object &choice, llvm::StringRef algorithm);

/// ", a lower precision than the model's", where `choice` of model.json takes
/// such a product, or an empty text.
llvm::StringRef describePrecision(const llvm::json::Object &choice);

/// Where sessions take another algorithm of a choice, behind a semicolon;
/// empty where they do not.
std::string describeSelections(const llvm::json::Object &choice);

/// The name of a variant, with its schedule where it is one of several: of
/// instruction sets, or for sessions of more threads.
std::string describeVariant(const llvm::json::Object &variant);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_VARIANTTEXT_H
