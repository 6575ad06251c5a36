// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texts of strangers, made fit to be shown. What is hidden in them may move
// what stands around it, speak to a terminal, or end a line: control
// characters, line separators, what changes the direction of writing, bytes
// that are no UTF-8.
#ifndef FUSEC_DIALECTS_WORDS_PLAIN_H
#define FUSEC_DIALECTS_WORDS_PLAIN_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace fusec {

/// `text` with what is hidden in it spelt out: `\n`, `\u001b`, `\u202e`,
/// `\xff`.
std::string onOneLine(llvm::StringRef text);

/// The same, but lines stay lines, each behind the first after `indent`: none
/// looks as if it began something else.
std::string onOwnLines(llvm::StringRef text, llvm::StringRef indent = "    ");

/// The same with a space for whatever is hidden: it becomes no longer.
std::string blankHidden(llvm::StringRef text);

/// JSON that says the same, with what is hidden in its strings written as `\u`
/// and digits. Bytes that are no UTF-8 become U+FFFD.
std::string plainJson(llvm::StringRef json);

} // namespace fusec

#endif // FUSEC_DIALECTS_WORDS_PLAIN_H
