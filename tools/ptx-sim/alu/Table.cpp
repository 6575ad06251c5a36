// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ptx-sim/alu/Alu.h"

#include <string>
#include <unordered_map>

using namespace fusec::ptx;

namespace {

using Table = std::unordered_map<std::string, AluRow>;

void insert(void *context, const AluRow &row) {
  if (*row.name)
    static_cast<Table *>(context)->emplace(row.name, row);
}

[[maybe_unused]] bool hasAvx2() {
#if defined(__x86_64__) && defined(FUSEC_PTX_HAVE_AVX2)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

Table makeTable() {
  Table table;
#define ADD_ALL(ISA)                                                           \
  ISA::addIntegerRows(insert, &table);                                         \
  ISA::addBitRows(insert, &table);                                             \
  ISA::addFloatRows(insert, &table);                                           \
  ISA::addHalfRows(insert, &table);                                            \
  ISA::addCompareRows(insert, &table);                                         \
  ISA::addConvertRows(insert, &table);
#if defined(FUSEC_PTX_HAVE_AVX2)
  if (hasAvx2()) {
    ADD_ALL(avx2)
  } else
#endif
  {
    ADD_ALL(baseline)
  }
  addRoundedRows(insert, &table);
  return table;
}

} // namespace

const AluRow *fusec::ptx::findAluRow(const char *name) {
  static const Table table = makeTable();
  auto found = table.find(name);
  return found == table.end() ? nullptr : &found->second;
}
