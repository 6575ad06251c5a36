// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quotas of CPUs in made-up trees of files, and that pools respect the real
// ones.
#include "runtime/src/CpuQuota.h"
#include "runtime/src/Cpu.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sched.h>
#include <string>

#include <gtest/gtest.h>

#include "fusec/runtime.hpp"

using fusec::rt::quotaCpus;

namespace {

/// A folder that looks like `/` to who asks for quotas.
class Tree {
public:
  Tree() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "quota-XXXXXX").string();
    root = ::mkdtemp(pattern.data());
  }
  ~Tree() { std::filesystem::remove_all(root); }

  void write(const std::string &path, const std::string &text) const {
    std::filesystem::create_directories(
        std::filesystem::path(root + path).parent_path());
    std::ofstream(root + path) << text;
  }
  void writeMount(const std::string &line) const {
    write("/proc/self/mountinfo",
          "22 1 254:0 / / rw - ext4 /dev/vda rw\n" + line +
              "\n31 23 0:28 / /tmp rw - tmpfs tmpfs rw\n");
  }
  uint32_t quota() const { return quotaCpus(root.c_str()); }

private:
  std::string root;
};

const char *const kVersion2 =
    "32 22 0:29 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw";
const char *const kVersion1 =
    "32 22 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct";

/// The files of a group of version 1.
void writeOld(const Tree &tree, const std::string &folder,
              const std::string &quota, const std::string &period) {
  tree.write(folder + "/cpu.cfs_quota_us", quota + "\n");
  tree.write(folder + "/cpu.cfs_period_us", period + "\n");
}

} // namespace

TEST(CpuQuota, ThereIsNoneWithoutGroups) {
  Tree tree;
  EXPECT_EQ(tree.quota(), 0u);
  tree.writeMount(kVersion2);
  EXPECT_EQ(tree.quota(), 0u);
  tree.write("/proc/self/cgroup", "0::/app\n");
  EXPECT_EQ(tree.quota(), 0u);
}

TEST(CpuQuota, OfVersion2IsRoundedUp) {
  Tree tree;
  tree.writeMount(kVersion2);
  tree.write("/proc/self/cgroup", "0::/app\n");
  const std::string file = "/sys/fs/cgroup/app/cpu.max";
  for (auto [text, cpus] : {std::pair<const char *, uint32_t>{"max 100000", 0},
                            {"200000 100000", 2},
                            {"150000 100000", 2},
                            {"1000 100000", 1},
                            {"50000 10000", 5},
                            {"0 100000", 0},
                            {"100000 0", 0},
                            {"", 0},
                            {"nonsense", 0}}) {
    tree.write(file, std::string(text) + "\n");
    EXPECT_EQ(tree.quota(), cpus) << text;
  }
}

TEST(CpuQuota, OfVersion2IsTheLeastOfAllParents) {
  Tree tree;
  tree.writeMount(kVersion2);
  tree.write("/proc/self/cgroup", "0::/a.slice/b.scope/c\n");
  tree.write("/sys/fs/cgroup/a.slice/b.scope/c/cpu.max", "max 100000\n");
  EXPECT_EQ(tree.quota(), 0u);
  tree.write("/sys/fs/cgroup/a.slice/b.scope/cpu.max", "800000 100000\n");
  EXPECT_EQ(tree.quota(), 8u);
  tree.write("/sys/fs/cgroup/a.slice/cpu.max", "250000 100000\n");
  EXPECT_EQ(tree.quota(), 3u);
  tree.write("/sys/fs/cgroup/cpu.max", "100000 100000\n");
  EXPECT_EQ(tree.quota(), 1u);
  // What is above the mount point is no group.
  tree.write("/sys/fs/cgroup/cpu.max", "max 100000\n");
  tree.write("/sys/fs/cpu.max", "100000 100000\n");
  EXPECT_EQ(tree.quota(), 3u);
}

TEST(CpuQuota, OfVersion1AndItsParents) {
  Tree tree;
  tree.writeMount(kVersion1);
  tree.write("/proc/self/cgroup", "11:cpuset:/x\n4:cpu,cpuacct:/user/app\n"
                                  "0::/elsewhere\n");
  const std::string point = "/sys/fs/cgroup/cpu,cpuacct";
  writeOld(tree, point + "/user/app", "-1", "100000");
  EXPECT_EQ(tree.quota(), 0u);
  writeOld(tree, point + "/user", "350000", "100000");
  EXPECT_EQ(tree.quota(), 4u);
  writeOld(tree, point + "/user/app", "120000", "100000");
  EXPECT_EQ(tree.quota(), 2u);
  writeOld(tree, point, "100000", "100000");
  EXPECT_EQ(tree.quota(), 1u);
}

TEST(CpuQuota, OtherControllersDoNotCount) {
  Tree tree;
  tree.writeMount("32 22 0:29 / /sys/fs/cgroup/cpuset rw - cgroup cgroup "
                  "rw,cpuset\n33 22 0:30 / /sys/fs/cgroup/cpuacct rw - cgroup "
                  "cgroup rw,cpuacct");
  tree.write("/proc/self/cgroup", "2:cpuacct:/\n1:cpuset:/\n");
  writeOld(tree, "/sys/fs/cgroup/cpuset", "100000", "100000");
  writeOld(tree, "/sys/fs/cgroup/cpuacct", "100000", "100000");
  EXPECT_EQ(tree.quota(), 0u);
}

// Both versions are mounted where systemd keeps its own groups in version 2.
TEST(CpuQuota, OfBothVersionsTheLeastHolds) {
  Tree tree;
  tree.writeMount(std::string(kVersion1) +
                  "\n33 22 0:30 / /sys/fs/cgroup/unified rw - cgroup2 c rw");
  tree.write("/proc/self/cgroup", "1:cpu,cpuacct:/app\n0::/app\n");
  writeOld(tree, "/sys/fs/cgroup/cpu,cpuacct/app", "300000", "100000");
  EXPECT_EQ(tree.quota(), 3u);
  tree.write("/sys/fs/cgroup/unified/app/cpu.max", "200000 100000\n");
  EXPECT_EQ(tree.quota(), 2u);
  writeOld(tree, "/sys/fs/cgroup/cpu,cpuacct/app", "100000", "100000");
  EXPECT_EQ(tree.quota(), 1u);
}

// A container sees its own group at the mount point; without a namespace of
// groups /proc/self/cgroup says what the host calls it.
TEST(CpuQuota, OfContainers) {
  Tree tree;
  tree.writeMount("32 22 0:29 /docker/0123 /sys/fs/cgroup/cpu rw - cgroup "
                  "cgroup rw,cpu");
  writeOld(tree, "/sys/fs/cgroup/cpu", "200000", "100000");
  writeOld(tree, "/sys/fs/cgroup/cpu/inner", "100000", "100000");
  tree.write("/proc/self/cgroup", "4:cpu:/docker/0123\n");
  EXPECT_EQ(tree.quota(), 2u);
  tree.write("/proc/self/cgroup", "4:cpu:/docker/0123/inner\n");
  EXPECT_EQ(tree.quota(), 1u);
  for (const char *outside : {"/", "/docker/01234", "/../other", "/else"}) {
    tree.write("/proc/self/cgroup", "4:cpu:" + std::string(outside) + "\n");
    EXPECT_EQ(tree.quota(), 2u) << outside;
  }
}

TEST(CpuQuota, MountPointsMayHaveSpaces) {
  Tree tree;
  tree.writeMount("32 22 0:29 / /mnt/my\\040groups rw - cgroup2 none rw");
  tree.write("/proc/self/cgroup", "0::/\n");
  tree.write("/mnt/my groups/cpu.max", "300000 100000\n");
  EXPECT_EQ(tree.quota(), 3u);
}

TEST(CpuQuota, PoolsHaveAThreadForEachCpuThatMayBeUsed) {
  cpu_set_t set;
  ASSERT_EQ(sched_getaffinity(0, sizeof(set), &set), 0);
  uint32_t expected = static_cast<uint32_t>(CPU_COUNT(&set));
  if (const uint32_t quota = quotaCpus())
    expected = std::min(expected, quota);
  EXPECT_EQ(fusec::rt::availableCpus(), expected);
  EXPECT_EQ(fusec::ThreadPool().threads(), expected);
}
