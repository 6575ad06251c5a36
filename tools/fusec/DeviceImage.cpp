// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/DeviceImage.h"

namespace fusec::tool {

llvm::Error DeviceImage::load(const DeviceTools &tools,
                              const std::string &name) {
  auto opened = llvm::MemoryBuffer::getFile(name);
  if (!opened)
    return llvm::createStringError(opened.getError(),
                                   name + ": " + opened.getError().message());
  file = std::move(*opened);
  image.data = file->getBufferStart(); // a zero follows the text
  image.bytes = file->getBufferSize() + 1;
  image.kind = tools.imageKind;
  return llvm::Error::success();
}

} // namespace fusec::tool
