/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What models for devices have besides the structs of abi.h, which includes
 * this where these are known. */
#ifndef FUSEC_ABI_H
#include "fusec/abi.h"
#endif
#ifndef FUSEC_ABI_DEVICE_H
#define FUSEC_ABI_DEVICE_H

/* What the code of a device's kernels is in. */
enum {
  FUSEC_IMAGE_FATBIN = 1, /* CUDA's, for any number of architectures */
  FUSEC_IMAGE_PTX = 2     /* NVIDIA's PTX, with a terminating zero */
};

typedef struct fusec_device_image {
  const void *data;
  uint64_t bytes;
  uint32_t kind; /* FUSEC_IMAGE_* */
  uint32_t reserved;
} fusec_device_image;

/* What a kernel of a device is given begins at multiples of as many bytes: it
 * accesses so many at a time, and tests no pointer. */
#define FUSEC_DEVICE_ALIGNMENT 16u

/* A kernel of a device: its name in the image, and how it is launched. Its
 * arguments are scratch memory (of as many bytes as its variant says, or NULL)
 * and the operands, all of them pointers to multiples of
 * FUSEC_DEVICE_ALIGNMENT; parts of an array, as the host program hands them
 * over, are whole numbers of parts into it. */
typedef struct fusec_device_kernel {
  const char *symbol;
  uint32_t grid;         /* blocks */
  uint32_t block;        /* threads of each */
  uint32_t shared_bytes; /* of each, on top of what the code declares */
  uint32_t num_operands;
  uint32_t zeroed_bytes; /* so many at the end of its scratch, from a multiple
                            of FUSEC_ALIGNMENT on, are 0 when it begins and
                            when it ends */
  uint32_t reserved;
} fusec_device_kernel;

/* The memory behind an operand of a device's kernel that it may access, from
 * the pointer on. */
typedef struct fusec_device_operand {
  uint64_t bytes;
  uint32_t is_written; /* 0: it is read only */
  uint32_t reserved;
} fusec_device_operand;

struct fusec_device; /* fusec/device.h */

/* What a model for a device has in place of its tables for CPUs. */
typedef struct fusec_device_desc {
  const fusec_device_image *image;           /* NULL: whoever runs it has it */
  const fusec_variant_list *const *variants; /* per group of kernels */
  const fusec_device_kernel *const *kernels; /* per group: of each variant */
  const fusec_device_operand *const *operands; /* per group */
  uint32_t architecture; /* the least, as CUDA has it: 80 */
  uint32_t reserved;
  /* Between which bytes of the weights file lies what its kernels read. */
  uint64_t weights_begin, weights_end;
  /* Finds a device of this machine for sessions that are given none: 0, or the
   * fusec_status of why there is none. NULL: sessions must be given one. */
  int32_t (*open)(struct fusec_device **device);
  void (*close)(struct fusec_device *device);
} fusec_device_desc;

#endif /* FUSEC_ABI_DEVICE_H */
