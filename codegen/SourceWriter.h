// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lines of C++ as in the LLVM style: indentation, 80 columns, braces.
#ifndef FUSEC_CODEGEN_SOURCEWRITER_H
#define FUSEC_CODEGEN_SOURCEWRITER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <fmt/format.h>
#include <string>
#include <vector>

template <>
struct fmt::formatter<llvm::StringRef> : fmt::formatter<std::string_view> {
  auto format(llvm::StringRef text, format_context &context) const {
    return formatter<std::string_view>::format(text, context);
  }
};

namespace fusec::codegen {

class SourceWriter {
public:
  static constexpr unsigned kColumns = 80;

  /// One statement or declaration, broken into lines where it is too long.
  void line(const llvm::Twine &text);
  /// The same by fmt's rules: `line("return {};", 0)`.
  template <typename First, typename... Rest>
  void line(fmt::format_string<First, Rest...> format, First &&first,
            Rest &&...rest) {
    line(fmt::format(format, std::forward<First>(first),
                     std::forward<Rest>(rest)...));
  }
  /// The same one level deeper, for rows of an initialiser.
  void indented(const llvm::Twine &text);
  template <typename First, typename... Rest>
  void indented(fmt::format_string<First, Rest...> format, First &&first,
                Rest &&...rest) {
    indented(fmt::format(format, std::forward<First>(first),
                         std::forward<Rest>(rest)...));
  }
  /// Text that is not wrapped or indented: preprocessor lines, empty lines.
  void raw(const llvm::Twine &text = "");
  /// A `//` comment, wrapped between words. `text` may be anything: see
  /// commentText.
  void comment(llvm::StringRef text);
  /// The lines of another one, whose blocks are closed.
  void append(const SourceWriter &other);

  /// `header {`, then an indented body up to the matching `close`.
  void open(const llvm::Twine &header = {});
  /// `}` and `tail`. With `elide`, the braces around a single simple statement
  /// are left out, as LLVM's style wants.
  void close(llvm::StringRef tail = "", bool elide = false);

  /// `} else {` of the innermost block.
  void elseBlock();

  /// The number that the next line will have, from 1.
  unsigned nextLine() const { return lines.size() + 1; }
  std::string text() const;

private:
  struct OpenBlock {
    size_t headerEnd; ///< index of the line that ends in ` {`
    unsigned statements = 0;
    bool compound = false; ///< holds another block
  };
  void append(std::string text);
  void wrap(std::string text);

  std::vector<std::string> lines;
  std::vector<OpenBlock> blocks;
};

/// `text` fit for a comment: one line, no control characters, valid UTF-8, cut
/// at `limit` bytes.
std::string commentText(llvm::StringRef text, size_t limit = 200);

} // namespace fusec::codegen

#endif // FUSEC_CODEGEN_SOURCEWRITER_H
