// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A driver without a GPU: memory of the host, at addresses that the host cannot
// read, and kernels by their names. It does all at once, but for errors of
// kernels, which come back when a stream is waited for, and from all calls that
// follow. The management library is in it, too.
#ifndef FUSEC_TEST_RUNTIME_CUDA_FAKECUDA_H
#define FUSEC_TEST_RUNTIME_CUDA_FAKECUDA_H

/// With FAKE_CUDA_KERNELS="tiles=2.5,naive=9:wrong,rows=1:fault" kernels whose
/// names have these words (the last one counts) take so many milliseconds, by
/// events, and fill their last operand with bytes, others where they are wrong;
/// or they fault. With FAKE_CUDA_CLOCKS="1410,1200" the clock of the processors
/// is each of these in turn.

/// What was called since the last time, a line each.
extern "C" const char *fake_cuda_take_log();
/// How many allocations, streams, events, modules and contexts there are.
extern "C" int fake_cuda_count_live();
/// The context that a GPU has by itself, of four at most.
extern "C" void *fake_cuda_get_context(int ordinal);
/// That of this thread, null if it has none.
extern "C" void *fake_cuda_get_current();
/// Whether calls since the last time found this context, and no other one.
extern "C" int fake_cuda_take_used(void *context);
/// The capability of the GPU, 80 unless it is set; how many GPUs there are.
/// They are as new: an error is gone.
extern "C" void fake_cuda_set(int architecture, int gpus);
/// Whether a stream is being captured.
extern "C" void fake_cuda_capture(void *stream, int isCaptured);

#endif
