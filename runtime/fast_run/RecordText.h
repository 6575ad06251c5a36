// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A record as a line of text, in a file that several writers and versions of
// fusec share:
//
//   file     = "fusec.cache 1" { line }           one a line each
//   line     = SUM " " ( record | "closed" )
//   record   = ( "group" | "model" ) { field } { "|" { field } }
//   field    = NAME "=" value
//   value    = word | '"' { character | '\"' | '\\' } '"'
//
// SUM is a hash of the rest of the line, 16 hexadecimal digits: a line that was
// cut off or damaged shows. The fields before the first bar are those of the
// record and its backend, those behind a bar a timing's. Fields that are empty,
// zero or false are left out. A word has no spaces, quotes or bars; no value
// has control characters. "closed" is the last line of a writer that ended as
// it should.
#ifndef FUSEC_RUNTIME_FAST_RUN_RECORDTEXT_H
#define FUSEC_RUNTIME_FAST_RUN_RECORDTEXT_H

#include "runtime/fast_run/Record.h"

#include <string_view>

namespace fusec::fast_run {

/// The first line of a file.
inline constexpr std::string_view kCacheHeader = "fusec.cache 1";
/// What a line may have, in bytes, and a record in timings: more than fusec
/// writes, and little enough that no file can make a reader take all memory.
inline constexpr size_t kMostLineBytes = 1 << 18, kMostTimings = 256;

/// FNV-1a of 64 bits, as 16 hexadecimal digits
/// (http://www.isthe.com/chongo/tech/comp/fnv/).
std::string hash(std::string_view text);

/// The line of `record`, without its end. The same for equal records.
std::string print(const Record &record);
/// The line that says that a writer has ended.
std::string printClosed();

/// What a line says: a record, or that the writer has ended.
struct Line {
  std::optional<Record> record;
  bool closed = false;
};

/// Reads a line; returns why it says nothing, or an empty text.
std::string parse(std::string_view text, Line &line);

} // namespace fusec::fast_run

#endif
