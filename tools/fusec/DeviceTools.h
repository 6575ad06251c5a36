// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What this program does with kernels for devices: a row for each platform of
// the table of targets that has such.
#ifndef FUSEC_TOOLS_FUSEC_DEVICETOOLS_H
#define FUSEC_TOOLS_FUSEC_DEVICETOOLS_H

#include "dialects/TargetInfo.h"
#include "fusec/device.h"
#include "fusec/runtime.h"
#include "tools/ptx-sim/Nvcc.h"

namespace fusec::tool {

struct DeviceTools {
  /// The platform's name, by which --device asks for its devices.
  llvm::StringLiteral name;
  /// Stands before the number of an architecture: "sm_" of sm_80.
  llvm::StringLiteral architecturePrefix;
  /// The code that sessions take (FUSEC_IMAGE_*), and the extension of files
  /// with it.
  uint32_t imageKind;
  llvm::StringLiteral imageExtension;
  /// Such code of the source at `path`, with headers from the folders
  /// `includes`. Throws ptx::Error.
  std::string (*compile)(const std::string &path,
                         const std::string &architecture,
                         const std::vector<std::string> &includes);
  /// What that compiles by and its version: what it makes depends on.
  std::string (*describeCompiler)();
  /// What each kernel of that source takes of a multiprocessor. Throws
  /// ptx::Error.
  std::map<std::string, ptx::KernelResources> (*measureResources)(
      const std::string &path, const std::string &architecture,
      const std::vector<std::string> &includes);
  /// Opens the first such device of this machine; where it fails,
  /// fusec_last_error(nullptr) says why.
  fusec_status (*open)(fusec_device **device);
  void (*close)(fusec_device *device);
};

/// All rows.
llvm::ArrayRef<DeviceTools> getDeviceTools();
/// The row of `platform`, which is one of devices.
const DeviceTools &getDeviceTools(const Platform &platform);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_DEVICETOOLS_H
