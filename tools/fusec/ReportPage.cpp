// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/ReportPage.h"

#include "compiler/io/MappedFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

namespace fusec::tool {

static constexpr const char *kPageStyle = R"(
body { font: 15px/1.45 system-ui, sans-serif; color: #222; max-width: 1100px;
  margin: 2em auto; padding: 0 1em; }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: right; padding: 6px 10px; border-bottom: 1px solid #ddd;
  vertical-align: middle; }
td:first-child, th:first-child { text-align: left; overflow-wrap: anywhere; }
svg { background: #f7f7f9; display: block; })";

std::string escaped(llvm::StringRef text) {
  std::string result;
  llvm::raw_string_ostream os(result);
  llvm::printHTMLEscaped(text, os);
  return result;
}

void beginPage(llvm::raw_ostream &os, llvm::StringRef command,
               llvm::StringRef model, llvm::StringRef style) {
  os << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "
        "charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
        "'none'; style-src 'unsafe-inline'\">\n<title>fusec "
     << command << ": " << escaped(model) << "</title>\n<style>" << kPageStyle
     << style << "</style>\n</head>\n<body>\n<h1>" << escaped(model)
     << "</h1>\n";
}

void endPage(llvm::raw_ostream &os) { os << "</body>\n</html>\n"; }

llvm::Error
writeReportFile(const std::string &file,
                llvm::function_ref<void(llvm::raw_ostream &)> json,
                llvm::function_ref<void(llvm::raw_ostream &)> html) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::StringRef extension = llvm::sys::path::extension(file);
  const bool isPage = extension.equals_insensitive(".html") ||
                      extension.equals_insensitive(".htm");
  (isPage ? html : json)(os);
  return io::writeFileAside(file, llvm::ArrayRef(text.data(), text.size()));
}

} // namespace fusec::tool
