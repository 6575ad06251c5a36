// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The section of a library, read out of its file.
#include "compiler/operators/Manifest.h"

#include "compiler/io/MappedFile.h"

#include "llvm/Object/ELFObjectFile.h"

namespace fusec::operators {

llvm::Expected<Manifest> readLibrary(llvm::StringRef path) {
  auto file = io::MappedFile::open(path);
  if (!file)
    return file.takeError();
  auto fail = [&](llvm::Error error, const llvm::Twine &what) {
    return io::fileError(path, what + llvm::toString(std::move(error)));
  };
  llvm::StringRef bytes((*file)->bytes().data(), (*file)->bytes().size());
  auto object = llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(bytes, path));
  if (!object)
    return fail(object.takeError(), "is no library of operators: ");
  for (const llvm::object::SectionRef &section : (*object)->sections()) {
    llvm::Expected<llvm::StringRef> name = section.getName();
    if (!name)
      return fail(name.takeError(), "is damaged: ");
    if (*name != kSection)
      continue;
    llvm::Expected<llvm::StringRef> text = section.getContents();
    if (!text)
      return fail(text.takeError(), "is damaged: ");
    llvm::Expected<Manifest> manifest = parse(*text);
    if (!manifest)
      return fail(manifest.takeError(), "");
    return manifest;
  }
  return io::fileError(path, "is no library of operators: it has no section " +
                                 kSection + "; fusec op build makes them");
}

} // namespace fusec::operators
