// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What reports about a model's layers have in common: JSON, or a page.
#ifndef FUSEC_TOOLS_FUSEC_REPORTPAGE_H
#define FUSEC_TOOLS_FUSEC_REPORTPAGE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace fusec::tool {

/// `text` as a page may have it.
std::string escaped(llvm::StringRef text);

/// The head of a page that loads nothing, about what `command` made of `model`;
/// `style` is added to that of all pages.
void beginPage(llvm::raw_ostream &os, llvm::StringRef command,
               llvm::StringRef model, llvm::StringRef style);
void endPage(llvm::raw_ostream &os);

/// Writes what `html` prints to a file called .html or .htm, and what `json`
/// prints to others; aside and renamed.
llvm::Error writeReportFile(const std::string &file,
                            llvm::function_ref<void(llvm::raw_ostream &)> json,
                            llvm::function_ref<void(llvm::raw_ostream &)> html);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_REPORTPAGE_H
