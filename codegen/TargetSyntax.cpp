// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/TargetSyntax.h"

#include "dialects/NarrowFloats.h"
#include "dialects/TypeInfo.h"
#include "dialects/coded/CodedFloats.h"
#include "dialects/kernel/Nibbles.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace fusec::codegen {

const IndexSyntax kWideIndices = {
    /*type=*/"int64_t",
    /*unrolled=*/"Unrolled",
    /*view=*/"View",
    /*isInt=*/false,
};

const IndexSyntax kNarrowIndices = {
    /*type=*/"int32_t",
    /*unrolled=*/"Unrolled32",
    /*view=*/"View32",
    /*isInt=*/true,
};

const TargetSyntax kCpuSyntax = {
    /*name=*/"cpu",
    /*kernelFileSuffix=*/"_kernels.cpp",
    /*naiveFileSuffix=*/"_kernels_naive.h",
    /*vocabulary=*/"fusec/kernel/kernel.h",
    /*contextType=*/"const fusec_kernel_ctx *",
    /*contextName=*/"ctx",
    /*functionQualifier=*/"",
    /*launchBounds=*/"",
    /*restrictKeyword=*/"FUSEC_RESTRICT",
    /*unrollPrefix=*/"FUSEC_UNROLL ",
    /*unrollByPrefix=*/"",
    /*rollPrefix=*/"FUSEC_ROLL ",
    /*mostShort=*/16,
    /*arrayQualifier=*/"alignas(64) ",
    /*sharedQualifier=*/"",
    /*integersWrap=*/true,
    /*parallelFor=*/"parallel_for",
};

const TargetSyntax kCudaSyntax = {
    /*name=*/"cuda",
    /*kernelFileSuffix=*/"_kernels.cuh",
    /*naiveFileSuffix=*/"_kernels_naive.cuh",
    /*vocabulary=*/"fusec/cuda/kernel.h",
    /*contextType=*/"void *",
    /*contextName=*/"memory",
    /*functionQualifier=*/"extern \"C\" __global__ ",
    /*launchBounds=*/"__launch_bounds__",
    /*restrictKeyword=*/"FUSEC_RESTRICT",
    /*unrollPrefix=*/"FUSEC_UNROLL ",
    /*unrollByPrefix=*/"FUSEC_UNROLL_BY",
    /*rollPrefix=*/"FUSEC_ROLL ",
    /*mostShort=*/0,
    /*arrayQualifier=*/"",
    /*sharedQualifier=*/"__shared__ alignas(16) ",
    /*integersWrap=*/false,
    /*parallelFor=*/"",
};

std::string valueTypeName(Type type) {
  if (getNarrowFloat(type)) // A float that is one of these numbers.
    return isa<VectorType>(type) ? "f32x16" : "float";
  if (auto vector = dyn_cast<VectorType>(type)) {
    if (vector.getRank() != 1 || vector.getNumElements() != 16)
      return "";
    Type element = vector.getElementType();
    if (element.isF32())
      return "f32x16";
    if (element.isF64())
      return "f64x16";
    if (element.isInteger(32))
      return "i32x16";
    if (element.isInteger(64) || element.isIndex())
      return "i64x16";
    return element.isInteger(1) ? "mask16" : "";
  }
  const TypeInfo *info = getTypeInfo(type);
  return info && info->computeName == info->name ? info->cName.str() : "";
}

std::string storageTypeName(Type type, bool qualified) {
  const TypeInfo *info = getTypeInfo(type);
  if (!info)
    return "";
  StringRef name = info->cName;
  if (!qualified)
    name.consume_front("fusec::");
  return name.str();
}

std::string storageTypeName(MemRefType type, bool qualified) {
  if (!kernel::isNibbles(type))
    return storageTypeName(type.getElementType(), qualified);
  std::string name =
      type.getElementType().isUnsignedInteger() ? "u4x2" : "i4x2";
  return qualified ? "fusec::" + name : name;
}

std::string viewTypeName(MemRefType type, bool isInput,
                         const IndexSyntax &index) {
  std::string name = index.view.str() + (isInput ? "<const " : "<");
  name += storageTypeName(type);
  for (int64_t extent : type.getShape())
    name += ", " + std::to_string(extent);
  return name + ">";
}

bool sharesStorageName(Type type) {
  bool isPart = type.getIntOrFloatBitWidth() < 8 && !type.isInteger(1);
  return isPart || isCoded(type);
}

std::string abiTypeName(Type type) {
  const TypeInfo *info = getTypeInfo(type);
  if (!info)
    return "";
  if (info->name == "i1")
    return "FUSEC_BOOL";
  StringRef name = info->name;
  return name.consume_front("ui") ? ("FUSEC_U" + name).str()
                                  : "FUSEC_" + name.upper();
}

} // namespace fusec::codegen
