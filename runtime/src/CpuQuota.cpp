// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// /proc/self/cgroup names the group of this process in each hierarchy, and
// /proc/self/mountinfo where a hierarchy, or a part of it, is mounted.
#include "CpuQuota.h"

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace fusec::rt {

namespace {

/// The lines of a text file; none, where it cannot be read.
class Lines {
public:
  Lines(const char *root, const char *path) {
    char name[2 * PATH_MAX];
    snprintf(name, sizeof(name), "%s%s", root, path);
    file = fopen(name, "re");
  }
  Lines(const Lines &) = delete;
  Lines &operator=(const Lines &) = delete;
  ~Lines() {
    free(line);
    if (file)
      fclose(file);
  }

  /// The next one, which may be changed, without its end; null behind the last.
  char *next() {
    if (!file || getline(&line, &capacity, file) < 0)
      return nullptr;
    line[strcspn(line, "\n")] = 0;
    return line;
  }

private:
  FILE *file = nullptr;
  char *line = nullptr;
  size_t capacity = 0;
};

/// A path in a hierarchy or in the file system.
struct Path {
  char text[PATH_MAX] = "";

  /// False where it is too long.
  bool set(const char *first, const char *second = "") {
    const int length = snprintf(text, sizeof(text), "%s%s", first, second);
    return length >= 0 && static_cast<size_t>(length) < sizeof(text);
  }
};

/// Where a hierarchy is mounted.
struct Mount {
  Path group; ///< which group of it the mount point is
  Path point;
};

/// Whether `name` is an entry of a list with commas.
bool contains(const char *list, const char *name) {
  const size_t length = strlen(name);
  for (const char *entry = list; entry; entry = strchr(entry, ',')) {
    entry += *entry == ',';
    if (strncmp(entry, name, length) == 0 &&
        (entry[length] == 0 || entry[length] == ','))
      return true;
  }
  return false;
}

/// Undoes what mountinfo does to spaces and the like: \040.
void unescape(char *text) {
  char *to = text;
  for (const char *from = text; *from; ++to) {
    const bool isEscape = from[0] == '\\' && from[1] >= '0' && from[1] <= '3' &&
                          from[2] >= '0' && from[2] <= '7' && from[3] >= '0' &&
                          from[3] <= '7';
    *to = isEscape ? static_cast<char>((from[1] - '0') * 64 +
                                       (from[2] - '0') * 8 + from[3] - '0')
                   : *from;
    from += isEscape ? 4 : 1;
  }
  *to = 0;
}

/// Finds the hierarchy of version 2, or that of version 1 with the controller
/// of CPUs.
bool findMount(const char *root, bool isVersion2, Mount &mount) {
  Lines lines(root, "/proc/self/mountinfo");
  while (char *line = lines.next()) {
    // "36 35 0:30 GROUP POINT rw,nosuid shared:9 - TYPE SOURCE OPTIONS"
    char *rest = strstr(line, " - ");
    if (!rest)
      continue;
    *rest = 0;
    char *state = nullptr;
    const char *type = strtok_r(rest + 3, " ", &state);
    strtok_r(nullptr, " ", &state);
    const char *options = strtok_r(nullptr, " ", &state);
    if (!type || strcmp(type, isVersion2 ? "cgroup2" : "cgroup") != 0 ||
        (!isVersion2 && !(options && contains(options, "cpu"))))
      continue;
    char *field = strtok_r(line, " ", &state);
    for (int number = 0; field && number < 3; ++number)
      field = strtok_r(nullptr, " ", &state);
    char *point = strtok_r(nullptr, " ", &state);
    if (!field || !point)
      continue;
    unescape(field);
    unescape(point);
    return mount.group.set(field) && mount.point.set(point);
  }
  return false;
}

/// Finds the group of this process in that hierarchy.
bool findGroup(const char *root, bool isVersion2, Path &group) {
  Lines lines(root, "/proc/self/cgroup");
  while (char *line = lines.next()) {
    // "4:cpu,cpuacct:/user.slice", of version 2 "0::/user.slice"
    char *controllers = strchr(line, ':');
    char *path = controllers ? strchr(controllers + 1, ':') : nullptr;
    if (!path)
      continue;
    *path++ = 0;
    ++controllers;
    if (isVersion2 ? *controllers == 0 : contains(controllers, "cpu"))
      return group.set(path);
  }
  return false;
}

/// The first two numbers of a file's first line; a number that is none of them,
/// as "max" and -1, is 0. A second one that is not there stays as it is.
bool readNumbers(const char *root, const char *folder, const char *name,
                 long long &first, long long &second) {
  Path path;
  if (!path.set(folder, name))
    return false;
  Lines lines(root, path.text);
  const char *line = lines.next();
  if (!line)
    return false;
  char *end = nullptr;
  first = strtoll(line, &end, 10);
  if (end == line)
    first = 0;
  const char *space = strchr(line, ' ');
  if (space)
    second = strtoll(space, nullptr, 10);
  return true;
}

/// The quota of the group whose folder this is; 0: it has none.
uint32_t readQuota(const char *root, bool isVersion2, const char *folder) {
  long long quota = 0, period = 0, unused = 0;
  if (isVersion2
          ? !readNumbers(root, folder, "/cpu.max", quota, period)
          : !readNumbers(root, folder, "/cpu.cfs_quota_us", quota, unused) ||
                !readNumbers(root, folder, "/cpu.cfs_period_us", period,
                             unused))
    return 0;
  if (quota <= 0 || period <= 0)
    return 0;
  const long long cpus = quota / period + (quota % period != 0);
  return cpus < UINT32_MAX ? static_cast<uint32_t>(cpus) : UINT32_MAX;
}

/// The least of the quotas from `folder` up to the mount point, of which it has
/// at least `shortest` characters.
uint32_t leastQuota(const char *root, bool isVersion2, Path &folder,
                    size_t shortest) {
  uint32_t least = 0;
  for (;;) {
    const uint32_t quota = readQuota(root, isVersion2, folder.text);
    if (quota && (!least || quota < least))
      least = quota;
    char *last = strrchr(folder.text, '/');
    if (!last || static_cast<size_t>(last - folder.text) < shortest)
      return least;
    *last = 0;
  }
}

uint32_t quotaOf(const char *root, bool isVersion2) {
  Mount mount;
  Path group, folder;
  if (!findMount(root, isVersion2, mount) ||
      !findGroup(root, isVersion2, group))
    return 0;
  // A container sees a part of the hierarchy, of which the mount point is the
  // top, but its group, where it has no namespace of groups, as the host does.
  const char *below = group.text;
  const size_t top =
      strcmp(mount.group.text, "/") == 0 ? 0 : strlen(mount.group.text);
  const bool isInside = strncmp(below, mount.group.text, top) == 0 &&
                        (below[top] == '/' || below[top] == 0);
  below = isInside ? below + top : "";
  // One that lies outside, "/..", is not to be seen.
  if (strcmp(below, "/") == 0 || strncmp(below, "/..", 3) == 0)
    below = "";
  if (!folder.set(mount.point.text, below))
    return 0;
  return leastQuota(root, isVersion2, folder, strlen(mount.point.text));
}

} // namespace

uint32_t quotaCpus(const char *root) {
  const uint32_t first = quotaOf(root, /*isVersion2=*/false);
  const uint32_t second = quotaOf(root, /*isVersion2=*/true);
  return first && second ? (first < second ? first : second) : first | second;
}

} // namespace fusec::rt
