// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the parts of the driver without a GPU have in common.
#ifndef FUSEC_TEST_RUNTIME_CUDA_FAKEDRIVER_H
#define FUSEC_TEST_RUNTIME_CUDA_FAKEDRIVER_H

#include <cstdint>
#include <string>

namespace fake_cuda {

constexpr int kInvalid = 1;

extern int live; ///< how many things there are that someone must destroy
extern int late; ///< the error of a kernel, which is seen later

/// Adds a line to the log.
void note(const std::string &line);
std::string text(uint64_t number);
/// Where the host has a byte of the device.
uint8_t *inHost(uint64_t address);
/// Whether the device has all of these bytes.
bool has(uint64_t address, uint64_t bytes);
/// What a call returns: it must find the context current, and no error there.
/// What a kernel did wrong is seen when a stream has been waited for.
int check(bool isFine);
/// A call names this context.
void use(void *context);

unsigned countParameters(const std::string &kernel);
void launchKernel(const std::string &name, unsigned grid, unsigned block,
                  void **arguments);

} // namespace fake_cuda

#endif
