// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that update memory by compare-and-swap often begin with a plain load:
//
//   old = *address;
//   do {
//     assumed = old;
//     old = atomicCAS(address, assumed, f(assumed));
//   } while (assumed != old);
//
// What is loaded is a guess. Whatever it is, nothing comes of it unless the
// atomic finds the same there, so it does not race with other atomics. That
// holds where the value goes nowhere else: neither it nor what is computed of
// it is stored, tested, or an address, before the atomic has compared it.
#include "tools/ptx-sim/MemoryOps.h"
#include "tools/ptx-sim/WarpOps.h"

#include <algorithm>

using namespace fusec::ptx;

namespace {

/// What a register holds of the guess. Where paths meet, the greater one.
enum Kind : uint8_t {
  Exact,    ///< the value itself
  Computed, ///< what was computed of it
  Stale,    ///< either, but the address is another one now: for no use at all
};

/// What registers hold, by their slots.
struct State {
  std::map<uint32_t, Kind> guesses;
  std::set<uint32_t> results; ///< of the atomic, on all paths
  /// Predicates: whether the guess was right, or (false) was not.
  std::map<uint32_t, bool> verdicts;
  bool isReached = false;

  bool join(const State &other) {
    if (!isReached) {
      *this = other;
      isReached = true;
      return true;
    }
    bool changed = false;
    for (auto [slot, kind] : other.guesses) {
      auto [place, isNew] = guesses.emplace(slot, kind);
      changed |= isNew || place->second < kind;
      place->second = std::max(place->second, kind);
    }
    auto keep = [&](auto &ours, auto isKept) {
      for (auto at = ours.begin(); at != ours.end();)
        if (isKept(*at)) {
          ++at;
        } else {
          at = ours.erase(at);
          changed = true;
        }
    };
    keep(results,
         [&](uint32_t slot) { return other.results.count(slot) != 0; });
    keep(verdicts, [&](const auto &verdict) {
      auto found = other.verdicts.find(verdict.first);
      return found != other.verdicts.end() && found->second == verdict.second;
    });
    return changed;
  }
  void forget(uint32_t slot) {
    guesses.erase(slot);
    results.erase(slot);
    verdicts.erase(slot);
  }
};

bool isMove(const Inst &inst) {
  return inst.flow == Flow::Alu && inst.source->opcode == "mov";
}

/// All that an instruction reads of registers, but for its guard.
template <class F> void eachSource(const Inst &inst, F f) {
  for (uint32_t slot : inst.alu.src)
    f(slot);
  auto list = [&](const std::vector<uint32_t> &slots) {
    std::for_each(slots.begin(), slots.end(), f);
  };
  auto memory = [&](const MemDetail &detail) {
    f(detail.address);
    if (inst.run != load && inst.run != loadParam && inst.run != loadFrame)
      std::for_each(detail.slots, detail.slots + detail.count, f);
  };
  if (inst.memory)
    memory(*inst.memory);
  if (inst.move)
    list(inst.move->from);
  if (inst.call)
    list(inst.call->arguments);
  if (inst.copy) {
    memory(inst.copy->to);
    memory(inst.copy->from);
    f(inst.copy->sourceBytes);
    f(inst.copy->ignored);
  }
  if (inst.matrix) {
    memory(inst.matrix->memory);
    for (const auto *fragment :
         {&inst.matrix->fragmentA, &inst.matrix->fragmentB,
          &inst.matrix->fragmentC, &inst.matrix->fragmentD})
      list(*fragment);
  }
}

template <class F> void eachResult(const Inst &inst, F f) {
  if (inst.alu.dst)
    f(inst.alu.dst);
  if (inst.alu.dst2)
    f(inst.alu.dst2);
  if (inst.run == load || inst.run == loadParam || inst.run == loadFrame)
    std::for_each(inst.memory->slots, inst.memory->slots + inst.memory->count,
                  f);
  if (inst.move)
    std::for_each(inst.move->to.begin(), inst.move->to.end(), f);
  if (inst.call)
    std::for_each(inst.call->results.begin(), inst.call->results.end(), f);
  if (inst.matrix)
    std::for_each(inst.matrix->fragmentD.begin(), inst.matrix->fragmentD.end(),
                  f);
}

/// The only definition of each register that has one, and constants: what an
/// address is made of.
class Addresses {
public:
  explicit Addresses(const Code &code) {
    for (const Code::Constant &one : code.constants)
      constants[one.slot] = static_cast<int64_t>(one.low);
    for (const Inst &inst : code.insts)
      eachResult(inst, [&](uint32_t slot) {
        auto [place, isNew] = definitions.emplace(slot, &inst);
        if (!isNew || inst.hasPredicate)
          place->second = nullptr;
      });
  }
  /// A register, or none, and what is added to it.
  std::pair<uint32_t, int64_t> of(const MemDetail &detail) const {
    uint32_t slot = detail.address;
    int64_t offset = detail.offset;
    while (slot != kNoSlot) {
      if (auto found = constants.find(slot); found != constants.end())
        return {kNoSlot, offset + found->second};
      auto found = definitions.find(slot);
      const Inst *inst = found == definitions.end() ? nullptr : found->second;
      if (!inst) // of several, registers made of it need not be up to date
        return {detail.address, detail.offset};
      if (inst->flow == Flow::Alu && inst->source->opcode == "add") {
        auto added = constants.find(inst->alu.src[1]);
        if (added == constants.end())
          return {slot, offset};
        offset += added->second;
      } else if (!isMove(*inst)) {
        return {slot, offset};
      }
      slot = inst->alu.src[0];
    }
    return {slot, offset};
  }

private:
  std::map<uint32_t, int64_t> constants;
  std::map<uint32_t, const Inst *> definitions;
};

/// Follows what one load gives through the function.
class Guess {
public:
  Guess(const Code &code, const Addresses &addresses, const Inst &load)
      : code(code), addresses(addresses), load(load),
        place(addresses.of(*load.memory)) {}
  /// Whether it goes to atomics that compare it, and to nothing else.
  bool isGuess();

private:
  bool isSameAddress(const Inst &inst) const {
    const MemDetail &a = *load.memory, &b = *inst.memory;
    return a.space == b.space && a.bytes == b.bytes && addresses.of(b) == place;
  }
  bool step(const Inst &inst, State &state);
  bool compute(const Inst &inst, State &state);
  static State afterBranch(const Inst &inst, const State &state, bool isTaken);
  void flowTo(size_t index, const State &state);

  const Code &code;
  const Addresses &addresses;
  const Inst &load;
  const std::pair<uint32_t, int64_t> place; ///< its address
  std::vector<State> states;                ///< before each instruction
  std::vector<size_t> work;
  bool isCompared = false;
};

/// Registers to registers: what is computed of a guess is no other use of it.
bool Guess::compute(const Inst &inst, State &state) {
  int known = -1;
  bool isResult = false;
  auto look = [&](uint32_t slot) {
    if (auto found = state.guesses.find(slot); found != state.guesses.end())
      known = std::max<int>(known, found->second);
    isResult |= state.results.count(slot) != 0;
  };
  eachSource(inst, look);
  if (inst.hasPredicate)
    look(inst.predicate);
  auto has = [&](const char *modifier) {
    const auto &all = inst.source->modifiers;
    return std::find(all.begin(), all.end(), modifier) != all.end();
  };
  if (known >= 0 && has("cc"))
    return false; // the carry is not followed
  // A guess is equal to what the atomic found: that is how it was compared.
  const bool isEqual = has("eq");
  const bool isVerdict = inst.source->opcode == "setp" && known == Exact &&
                         isResult && inst.alu.aux == kNoCombine &&
                         inst.alu.dst2 == kSinkSlot && (isEqual || has("ne")) &&
                         !isFloat(scalarNamed(inst.source->modifiers.back()));
  if (isVerdict)
    known = -1;
  else if (known == Exact && !isMove(inst))
    known = Computed;
  eachResult(inst, [&](uint32_t slot) {
    if (slot == kSinkSlot)
      return;
    state.verdicts.erase(slot);
    if (!inst.hasPredicate)
      state.forget(slot);
    if (isVerdict && !inst.hasPredicate)
      state.verdicts[slot] = isEqual;
    if (known >= 0) {
      auto [place, isNew] = state.guesses.emplace(slot, Kind(known));
      place->second = std::max(place->second, Kind(known));
      state.results.erase(slot);
    } else if (isMove(inst) && isResult && !inst.hasPredicate) {
      state.results.insert(slot);
    }
  });
  return true;
}

bool Guess::step(const Inst &inst, State &state) {
  // Moves of pairs are computed, too.
  if (inst.flow == Flow::Alu || inst.run == moveVector) {
    if (!compute(inst, state))
      return false;
  } else {
    if (inst.hasPredicate && state.guesses.count(inst.predicate))
      return false;
    bool isUsed = false;
    eachSource(
        inst, [&](uint32_t slot) { isUsed |= state.guesses.count(slot) != 0; });
    if (isUsed) {
      if (!isSwap(inst) || !isSameAddress(inst))
        return false;
      auto compared = state.guesses.find(inst.move->from[0]);
      if (compared == state.guesses.end() || compared->second != Exact)
        return false;
      auto made = state.guesses.find(inst.alu.src[1]);
      if (made != state.guesses.end() && made->second == Stale)
        return false;
      isCompared = true;
    }
    eachResult(inst, [&](uint32_t slot) {
      if (inst.hasPredicate || slot == kSinkSlot)
        return;
      state.forget(slot);
      if (isSwap(inst) && isSameAddress(inst))
        state.results.insert(slot);
    });
  }
  bool isElsewhere = &inst == &load;
  eachResult(inst, [&](uint32_t slot) { isElsewhere |= slot == place.first; });
  if (isElsewhere) {
    for (auto &[slot, kind] : state.guesses)
      kind = Stale;
    state.results.clear();
    state.verdicts.clear();
  }
  // Where it is guarded, and the register had another one, that stays.
  if (&inst == &load)
    state.guesses.emplace(load.memory->slots[0], Exact);
  return true;
}

/// Behind a branch that tests the verdict: where the guess was right, nothing
/// is one any more.
State Guess::afterBranch(const Inst &inst, const State &state, bool isTaken) {
  State after = state;
  auto verdict = state.verdicts.find(inst.predicate);
  if (inst.flow == Flow::Branch && inst.hasPredicate &&
      verdict != state.verdicts.end() &&
      (verdict->second != inst.negated) == isTaken)
    for (auto at = after.guesses.begin(); at != after.guesses.end();)
      at = at->second == Stale ? std::next(at) : after.guesses.erase(at);
  return after;
}

void Guess::flowTo(size_t index, const State &state) {
  if (index < states.size() && states[index].join(state))
    work.push_back(index);
}

bool Guess::isGuess() {
  if (std::none_of(code.insts.begin(), code.insts.end(), [&](const Inst &inst) {
        return isSwap(inst) && isSameAddress(inst);
      }))
    return false;
  states.resize(code.insts.size());
  work.push_back(static_cast<size_t>(&load - code.insts.data()));
  while (!work.empty()) {
    size_t index = work.back();
    work.pop_back();
    const Inst &inst = code.insts[index];
    State state = states[index];
    if (!step(inst, state))
      return false;
    bool goesOn = inst.hasPredicate;
    switch (inst.flow) {
    case Flow::Branch:
      flowTo(inst.target, afterBranch(inst, state, true));
      break;
    case Flow::BranchIndexed:
      for (uint32_t target : inst.targets)
        flowTo(target, state);
      break;
    case Flow::Return:
    case Flow::Exit:
      break;
    default:
      goesOn = true;
    }
    if (goesOn)
      flowTo(index + 1, afterBranch(inst, state, false));
  }
  return isCompared;
}

} // namespace

bool fusec::ptx::isSwap(const Inst &inst) {
  return inst.run == atomic && inst.memory->op == AtomicOp::Cas;
}

void fusec::ptx::markGuesses(Code &code) {
  if (std::none_of(code.insts.begin(), code.insts.end(), isSwap))
    return;
  const Addresses addresses(code);
  for (Inst &inst : code.insts)
    if (inst.run == load && inst.memory->order == Order::Weak &&
        inst.memory->count == 1 &&
        inst.memory->bytes == inst.memory->registerBytes &&
        Guess(code, addresses, inst).isGuess())
      inst.memory->order = Order::Guess;
}
