/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A device that runs kernels, as sessions see it: a table of functions. Whoever
 * has one makes it (fusec/cuda_driver.h for NVIDIA's GPUs) and hands it to the
 * sessions that shall run on it; it outlives them.
 *
 * Work is asynchronous, in the order of its stream. A failure may come back
 * from a later call than the one that caused it. Functions may be called from
 * any thread, for one stream by one at a time. They do not throw; those that
 * can fail return a status, and `last_error` has the text.
 */
#ifndef FUSEC_DEVICE_H
#define FUSEC_DEVICE_H

#include "fusec/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a node of a graph does. */
enum {
  FUSEC_NODE_KERNEL = 1,
  FUSEC_NODE_COPY = 2, /* from memory of the device to memory of the device */
  FUSEC_NODE_FILL = 3,
  FUSEC_NODE_MARK = 4
};

/* A step of a graph. It begins when those that it waits for have come to their
 * end; what it does is said as `launch`, `copy`, `fill` and `set_mark` have it.
 */
typedef struct fusec_device_node {
  uint32_t kind;          /* FUSEC_NODE_* */
  uint32_t num_before;    /* how many it waits for */
  const uint32_t *before; /* their numbers, which are smaller than its own */
  void *kernel;
  uint32_t grid, block, shared_bytes, num_arguments;
  const void *const *arguments;
  void *to;         /* of a copy, of a fill */
  const void *from; /* of a copy */
  uint64_t bytes;   /* of a copy; of the value that a fill writes */
  uint64_t count;   /* of a fill */
  uint64_t value;   /* of a fill: its first bytes; of a mark */
  const volatile uint32_t *mark;
} fusec_device_node;

struct fusec_device {
  void *self;
  const char *name;      /* for people: "NVIDIA H100 80GB HBM3" */
  uint32_t architecture; /* as CUDA has it: 90 */
  uint32_t images;       /* 1 << FUSEC_IMAGE_* of each kind that it loads */
  const char *driver;    /* its version: "13.0" */

  /* Of the last failure on this thread. */
  const char *(*last_error)(void *self);

  /* Memory of the device, aligned to 256 bytes. The host may not access it, but
   * reckon with the pointers. */
  int32_t (*allocate)(void *self, uint64_t bytes, void **memory);
  void (*release)(void *self, void *memory);
  /* Whether a pointer is to memory of the device. */
  int32_t (*holds)(void *self, const void *memory);

  int32_t (*create_stream)(void *self, void **stream);
  void (*destroy_stream)(void *self, void *stream);
  /* Waits for all work of the stream. */
  int32_t (*synchronize)(void *self, void *stream);

  /* `kind` is FUSEC_COPY_*. Memory of the host may be overwritten, or read,
   * when the call is back from a copy to the device, and when the stream is
   * synchronized after one to the host. */
  int32_t (*copy)(void *self, void *stream, void *to, const void *from,
                  uint64_t bytes, uint32_t kind);
  /* `count` times the bytes of `value`, of which there are 1, 2, 4 or 8, to
   * memory that is aligned to them. */
  int32_t (*fill)(void *self, void *stream, void *to, const void *value,
                  uint32_t value_bytes, uint64_t count);

  int32_t (*load_module)(void *self, const fusec_device_image *image,
                         void **module);
  void (*unload_module)(void *self, void *module);
  int32_t (*find_kernel)(void *self, void *module, const char *symbol,
                         void **kernel);
  /* `arguments` point to each of `num_arguments` pointers. */
  int32_t (*launch)(void *self, void *stream, void *kernel, uint32_t grid,
                    uint32_t block, uint32_t shared_bytes,
                    const void *const *arguments, uint32_t num_arguments);

  int32_t (*create_event)(void *self, void **event);
  void (*destroy_event)(void *self, void *event);
  int32_t (*record)(void *self, void *stream, void *event);
  /* Between two events that a synchronized stream has recorded. */
  int32_t (*elapsed)(void *self, void *begin, void *end, double *milliseconds);

  /* A number in memory of the host, 0 at first, which says how far a stream has
   * come: it can be read whatever has become of the device. */
  int32_t (*create_mark)(void *self, const volatile uint32_t **mark);
  void (*destroy_mark)(void *self, const volatile uint32_t *mark);
  /* Sets it when all that the stream was given before is done. */
  int32_t (*set_mark)(void *self, void *stream, const volatile uint32_t *mark,
                      uint32_t value);

  /* How fast its processors and its memory run now, in MHz; where nobody can
   * tell, a status. */
  int32_t (*clocks)(void *self, uint32_t *processor, uint32_t *memory);

  /* What `body` returns, which is called where the device's context is current,
   * as code that launches kernels of its own needs it; or the status of why it
   * cannot be. NULL: there is no such thing, as of a simulator. */
  int32_t (*within)(void *self, int32_t (*body)(void *ctx), void *ctx);

  /* Makes a graph of steps that streams are given at once, as often as one
   * likes. Nothing of `nodes` needs to stay. To update or to destroy a graph
   * does not change what a stream was given before. NULL: the device has no
   * graphs. */
  int32_t (*make_graph)(void *self, const fusec_device_node *nodes,
                        uint32_t num_nodes, void **graph);
  /* From now on node `number` accesses the memory that `node` names; what it
   * does and what it waits for stay. */
  int32_t (*update_graph)(void *self, void *graph, uint32_t number,
                          const fusec_device_node *node);
  int32_t (*launch_graph)(void *self, void *stream, void *graph);
  void (*destroy_graph)(void *self, void *graph);
  /* Whether what a stream is given now is not done, but becomes part of a graph
   * of its owner's ("stream capture"). NULL: there is no such thing. */
  int32_t (*is_captured)(void *self, void *stream, uint32_t *answer);
};

#ifdef __cplusplus
}
#endif

#endif /* FUSEC_DEVICE_H */
