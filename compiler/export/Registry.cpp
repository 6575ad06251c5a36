// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/export/Registry.h"

namespace fusec {

ExportRegistry::ExportRegistry() {
  registerExportElementwise(*this);
  registerExportAccesses(*this);
  registerExportGather(*this);
  registerExportContractions(*this);
  registerExportReductions(*this);
  registerExportActivations(*this);
  registerExportNorms(*this);
  registerExportWindows(*this);
  registerExportQuantized(*this);
  registerExportRecurrent(*this);
  registerExportSampling(*this);
  registerExportTransformer(*this);
  registerExportControl(*this);
  registerExportCalls(*this);
}

const ExportRegistry &ExportRegistry::get() {
  static const ExportRegistry registry;
  return registry;
}

} // namespace fusec
