// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much time on CPUs a container may use.
#ifndef FUSEC_RUNTIME_CPUQUOTA_H
#define FUSEC_RUNTIME_CPUQUOTA_H

#include <cstdint>

namespace fusec::rt {

/// The CPUs' time that the control groups of this process allow it, in CPUs,
/// rounded up; 0: none of them has a quota. Groups of version 1 (cpu.cfs_*) and
/// of version 2 (cpu.max) count, and so do all their parents that are mounted:
/// the least of their quotas holds. `root` stands before every path that is
/// read: a folder that looks like `/`.
/// https://docs.kernel.org/admin-guide/cgroup-v2.html#cpu-interface-files
/// https://docs.kernel.org/scheduler/sched-bwc.html
uint32_t quotaCpus(const char *root = "");

} // namespace fusec::rt

#endif
