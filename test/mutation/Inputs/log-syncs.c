// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Preloaded: writes to the file $SYNCS what is synced, and what is put in its place.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void say(const char *what, const char *path) {
  FILE *log = fopen(getenv("SYNCS"), "a");
  if (!log)
    return;
  fprintf(log, "%s %s\n", what, path);
  fclose(log);
}

int fsync(int descriptor) {
  char link[64], path[4096];
  snprintf(link, sizeof(link), "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof(path) - 1);
  path[length < 0 ? 0 : length] = 0;
  say("sync", path);
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  return real(descriptor);
}

int renameat2(int from, const char *old, int to, const char *new,
              unsigned flags) {
  say("rename", new);
  int (*real)(int, const char *, int, const char *, unsigned) =
      (int (*)(int, const char *, int, const char *, unsigned))dlsym(
          RTLD_NEXT, "renameat2");
  return real(from, old, to, new, flags);
}
