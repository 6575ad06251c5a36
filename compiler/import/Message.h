// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How everything that the programs say to a person looks:
//
//   FILE: KIND: node 'N' (Op, opset 13): reason
//     hint: what to do
//
// KIND is error, unsupported, warning, remark, or internal error for a bug of
// fusec. Where no model is at fault (the command line, the machine), FILE is
// the program's name. The text is the same with and without colour.
#ifndef FUSEC_COMPILER_IMPORT_MESSAGE_H
#define FUSEC_COMPILER_IMPORT_MESSAGE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace fusec {

/// Whether text on `os` may have colours: it is a terminal (other than "dumb"),
/// and NO_COLOR is unset or empty (https://no-color.org).
bool hasColours(const llvm::raw_ostream &os);

/// Prints a text of the form above, and a newline; of what is hidden in it only
/// its newlines are printed as they are. Only its form decides what is
/// coloured: the file, the kind, names in quotes, and hints.
void printMessage(llvm::raw_ostream &os, llvm::StringRef text);

/// "did you mean X?" where `text` is nearly one of `names`, which it is not;
/// empty if it is near none.
std::string didYouMean(llvm::StringRef text, llvm::ArrayRef<std::string> names);

/// `text` as one word of a shell's command line: as it is where that will do,
/// else in single quotes. What a hint says to type goes through this.
std::string shellWord(llvm::StringRef text);

/// The two in a row, with a space between where both say something.
std::string joinHints(const llvm::Twine &first, const llvm::Twine &second);

/// The first line of a table, and a newline.
void printTableHeader(llvm::raw_ostream &os, llvm::StringRef text);

/// A share of a whole as a bar, a block for every four percent.
void printBar(llvm::raw_ostream &os, double percent);

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_MESSAGE_H
