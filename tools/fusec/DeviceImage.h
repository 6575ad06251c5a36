// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A file with code for a device, as a session takes it.
#ifndef FUSEC_TOOLS_FUSEC_DEVICEIMAGE_H
#define FUSEC_TOOLS_FUSEC_DEVICEIMAGE_H

#include "tools/fusec/DeviceTools.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>

namespace fusec::tool {

class DeviceImage {
public:
  /// Reads the file `name`, which `tools` has compiled.
  llvm::Error load(const DeviceTools &tools, const std::string &name);
  /// Valid as long as this.
  const fusec_device_image &get() const { return image; }

private:
  std::unique_ptr<llvm::MemoryBuffer> file; ///< what follows points into
  fusec_device_image image = {};
};

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_DEVICEIMAGE_H
