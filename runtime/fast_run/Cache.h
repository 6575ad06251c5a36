// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cache of Fast-Run: a folder of segments, one for each writer, or one
// file. Records are a set: whoever merges caches, in whichever order and
// however often, gets the same bytes.
#ifndef FUSEC_RUNTIME_FAST_RUN_CACHE_H
#define FUSEC_RUNTIME_FAST_RUN_CACHE_H

#include "runtime/fast_run/FileSystem.h"
#include "runtime/fast_run/Record.h"

#include <functional>
#include <map>
#include <tuple>

namespace fusec::fast_run {

/// Of the records of one group on one backend, one for each kernel that was the
/// fastest: the newest, of two of one second the one whose text is greater.
class Records {
public:
  void add(Record record);
  void add(const Records &others);
  /// Removes what `isWanted` says no to; returns how many that were.
  template <typename Predicate> size_t keepIf(Predicate &&isWanted) {
    const size_t before = records.size();
    for (auto place = records.begin(); place != records.end();)
      place = isWanted(place->second) ? std::next(place) : records.erase(place);
    return before - records.size();
  }

  /// All of them, in the order of a merged file.
  std::vector<const Record *> getAll() const;
  /// Those of a key, the newest first.
  std::vector<const Record *> find(RecordKind kind,
                                   const std::string &key) const;
  /// Dates `record` at least a second after those of its key and backend. What
  /// is measured again within a second is the newer one then.
  void dateAfterKnown(Record &record) const;
  size_t size() const { return records.size(); }
  bool empty() const { return records.empty(); }

  /// The text of a file that has them, closed.
  std::string print() const;

private:
  /// Kind, key, fields of the backend, kernel.
  using Identity =
      std::tuple<RecordKind, std::string, std::string, std::string>;
  std::map<Identity, Record> records;
};

/// Why something of a cache is not used. `line` counts from 1; 0 is the file.
struct Damage {
  std::string file;
  uint64_t line = 0;
  std::string reason;
};

/// A file of a cache.
struct Segment {
  std::string file;
  /// Whether this version of fusec knows what is in it.
  bool known = false;
  /// Whether its writer has ended as it should: nothing more comes.
  bool closed = false;
};

/// What a path has.
struct Contents {
  Records records;
  std::vector<Damage> damages;
  std::vector<Segment> segments;
  /// Why there is nothing at all; empty where there may be.
  std::string error;
};

/// Reads a folder of segments or a file. What cannot be read of it is left out,
/// and named. A folder that is not there is an error, for `mayLack` an empty
/// one; so is a folder of other files, of which none is a segment.
Contents read(FileSystem &files, const std::string &path, bool mayLack = false);

/// Adds the lines of `text`, from `file`, to `contents`.
void parseSegment(const std::string &text, const std::string &file,
                  Contents &contents);

/// A segment of a writer's own. From the moment `append` returns an empty text
/// its record is on the disk, whatever happens to the process.
class Writer {
public:
  /// Makes the folder `place` where there is none; the segment comes with its
  /// first line.
  Writer(FileSystem &system, std::string place)
      : files(system), folder(std::move(place)) {}
  Writer(const Writer &) = delete;
  Writer &operator=(const Writer &) = delete;
  ~Writer() { close(); }

  /// Why nothing could be added now, or an empty text. Leaves no file.
  std::string probe();
  /// Returns why it could not, or an empty text.
  std::string append(const Record &record);
  /// Says that nothing more comes.
  void close();

private:
  FileSystem &files;
  std::string folder, segment;
};

/// Which segments compaction removes.
enum class Removed {
  closed, ///< those that nobody writes to any more
  all     ///< also those of writers that were killed: nobody may be writing
};

/// Writes all that a folder has into one file there and then removes segments
/// that are in it; what this version does not know stays. Records that
/// `isWanted` says no to are left out; `contents` is what there was, without
/// them. Returns why it could not, or an empty text.
std::string compact(FileSystem &files, const std::string &folder,
                    Removed removed, Contents &contents,
                    const std::function<bool(const Record &)> &isWanted = {});

/// Text of an errno.
std::string describe(int code);

} // namespace fusec::fast_run

#endif
