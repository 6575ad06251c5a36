// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ptx-sim/Decoder.h"
#include "tools/ptx-sim/MemoryOps.h"

#include <fmt/format.h>

using namespace fusec::ptx;

void Decoder::takeMemoryModifiers(MemDetail &detail, bool isAtomic) {
  static const std::map<std::string, Space> spaces = {
      {"global", Space::Global},      {"shared", Space::Shared},
      {"shared::cta", Space::Shared}, {"shared::cluster", Space::Shared},
      {"local", Space::Local},        {"const", Space::Const},
      {"param", Space::Param},        {"param::entry", Space::Param},
      {"param::func", Space::Param}};
  static const std::map<std::string, Order> orders = {
      {"weak", Order::Weak},       {"volatile", Order::Volatile},
      {"relaxed", Order::Relaxed}, {"acquire", Order::Acquire},
      {"release", Order::Release}, {"acq_rel", Order::AcqRel}};
  static const std::map<std::string, Scope> scopes = {{"cta", Scope::Cta},
                                                      {"cluster", Scope::Gpu},
                                                      {"gpu", Scope::Gpu},
                                                      {"sys", Scope::Sys}};
  // Hints to caches change nothing that is checked here.
  static const char *const hints[] = {"ca", "cg", "cs", "lu",      "cv",
                                      "wb", "wt", "nc", "unified", "mmio"};
  if (isAtomic) {
    detail.order = Order::Legacy;
    detail.scope = Scope::Gpu;
  }
  std::vector<std::string> left;
  for (const std::string &modifier : modifiers) {
    if (auto space = spaces.find(modifier); space != spaces.end())
      detail.space = space->second;
    else if (auto order = orders.find(modifier); order != orders.end())
      detail.order = order->second;
    else if (auto scope = scopes.find(modifier); scope != scopes.end())
      detail.scope = scope->second;
    else if (modifier.rfind("L1::", 0) == 0 || modifier.rfind("L2::", 0) == 0)
      ;
    else
      left.push_back(modifier);
  }
  modifiers = left;
  if (!isAtomic)
    for (const char *hint : hints)
      take(hint);
}

bool Decoder::decodeMemory() {
  const std::string &opcode = instruction->opcode;
  if (opcode == "ld" || opcode == "ldu")
    return decodeLoadStore(false);
  if (opcode == "st")
    return decodeLoadStore(true);
  if (opcode == "atom" || opcode == "red")
    return decodeAtomic(opcode == "atom");
  if (opcode == "cp")
    return decodeAsync();
  if (opcode == "mbarrier")
    return decodeMbarrier();
  return decodeAddressSpace();
}

bool Decoder::decodeLoadStore(bool isStore) {
  auto detail = std::make_shared<MemDetail>();
  takeMemoryModifiers(*detail, false);
  for (const char *vector : {"v2", "v4", "v8"})
    if (take(vector))
      detail->count = static_cast<uint8_t>(vector[1] - '0');
  detail->type = takeType();
  detail->bytes = static_cast<uint8_t>(sizeOf(detail->type));
  detail->isSigned = ptx::isSigned(detail->type);
  size_t count = instruction->operands.size();
  if (count == 3) // a cache policy
    --count;
  if (count != 2)
    bad("there should be an address and a value");
  const Operand &address = operand(isStore ? 0 : 1),
                &value = operand(isStore ? 1 : 0);
  unsigned width = detail->bytes;
  if (value.kind == Operand::Vector) {
    if (value.elements.size() != detail->count)
      bad(fmt::format("a vector of {} has {} elements", detail->count,
                      value.elements.size()));
    for (size_t i = 0; i < value.elements.size(); ++i)
      detail->slots[i] = value.elements[i].kind == Operand::Register ||
                                 value.elements[i].kind == Operand::Sink
                             ? registerOf(value.elements[i], width)
                             : source(value.elements[i], detail->type);
  } else if (value.kind == Operand::Register || value.kind == Operand::Sink) {
    detail->slots[0] = registerOf(value, width);
  } else {
    if (!isStore)
      bad("the result must be a register");
    detail->slots[0] = source(value, detail->type);
  }
  if (width < detail->bytes)
    bad("a register is too narrow for the type");
  detail->registerBytes = static_cast<uint8_t>(width);
  inst.flow = Flow::Op;
  inst.memory = detail;
  if (detail->bytes * detail->count > 32)
    return false;
  uint32_t size = 0;
  if (detail->space == Space::Param && address.reg < 0)
    if (auto slot = paramSlot(address.name, size)) {
      detail->address = *slot;
      detail->offset = static_cast<int64_t>(address.value);
      if (detail->offset < 0 ||
          detail->offset + detail->bytes * detail->count > size)
        bad("the parameter is not that large");
      inst.mode = size;
      inst.run = isStore ? storeFrame : loadFrame;
      return true;
    }
  decodeAddress(address, *detail);
  inst.run = isStore ? store : load;
  if (detail->space == Space::Param && detail->address == kNoSlot && !isStore) {
    if (detail->offset < 0 ||
        detail->offset + detail->bytes * detail->count > program.paramBytes)
      bad("the parameters are not that large");
    inst.run = loadParam;
  }
  return true;
}

bool Decoder::decodeAtomic(bool hasResult) {
  auto detail = std::make_shared<MemDetail>();
  takeMemoryModifiers(*detail, true);
  static const std::pair<const char *, AtomicOp> operations[] = {
      {"add", AtomicOp::Add},   {"min", AtomicOp::Min}, {"max", AtomicOp::Max},
      {"and", AtomicOp::And},   {"or", AtomicOp::Or},   {"xor", AtomicOp::Xor},
      {"exch", AtomicOp::Exch}, {"cas", AtomicOp::Cas}, {"inc", AtomicOp::Inc},
      {"dec", AtomicOp::Dec}};
  bool known = false;
  for (const auto &[name, operation] : operations)
    if (!known && take(name)) {
      detail->op = operation;
      known = true;
    }
  if (!known)
    return false;
  take("noftz");
  for (const char *vector : {"v2", "v4", "v8"})
    if (take(vector))
      detail->count = static_cast<uint8_t>(vector[1] - '0');
  detail->type = takeType();
  detail->bytes = detail->registerBytes =
      static_cast<uint8_t>(sizeOf(detail->type));
  bool isCas = detail->op == AtomicOp::Cas;
  if (detail->bytes > 8 && !isCas && detail->op != AtomicOp::Exch)
    return false;
  size_t count = (hasResult ? 1u : 0u) + 2 + (isCas ? 1u : 0u);
  if (instruction->operands.size() != count + 1) // a cache policy
    expectOperands(count, count);
  size_t next = 0;
  auto move = std::make_shared<MoveDetail>();
  auto slots = [&](const Operand &operand, std::vector<uint32_t> &to,
                   bool isResult) {
    if (operand.kind != Operand::Vector) {
      to.push_back(isResult ? result(operand, detail->type)
                            : source(operand, detail->type));
      return;
    }
    for (const Operand &element : operand.elements)
      to.push_back(isResult ? result(element, detail->type)
                            : source(element, detail->type));
  };
  if (hasResult)
    slots(operand(next++), move->to, true);
  decodeAddress(operand(next++), *detail);
  slots(operand(next++), move->from, false);
  inst.alu.src[1] = isCas ? source(operand(next++), detail->type) : kSinkSlot;
  if (move->from.size() != detail->count)
    bad("the vector has another length");
  inst.flow = Flow::Op;
  inst.run = atomic;
  inst.memory = detail;
  inst.move = move;
  return true;
}

bool Decoder::decodeAsync() {
  if (!take("async"))
    return false;
  inst.flow = Flow::Op;
  if (take("commit_group")) {
    inst.run = commitCopies;
    return true;
  }
  if (take("wait_all")) {
    inst.run = waitCopies;
    inst.mode = ~0u; // also what is not committed
    return true;
  }
  if (take("wait_group")) {
    expectOperands(1, 1);
    inst.run = waitCopies;
    inst.mode = static_cast<uint32_t>(operand(0).value);
    return true;
  }
  if (take("mbarrier")) {
    if (!take("arrive"))
      return false;
    inst.mode = take("noinc") ? kMbarrierCopiesNoInc : kMbarrierCopies;
    auto detail = std::make_shared<MemDetail>();
    takeMemoryModifiers(*detail, false);
    detail->type = takeType();
    detail->bytes = 8;
    decodeAddress(operand(0), *detail);
    inst.memory = detail;
    inst.run = mbarrier;
    return true;
  }
  if (!take("ca") && !take("cg"))
    return false; // .bulk and its kin
  std::vector<std::string> left;
  for (const std::string &modifier : modifiers)
    if (modifier.rfind("L2::", 0) != 0)
      left.push_back(modifier);
  modifiers = left;
  if (!(take("shared") || take("shared::cta")) || !take("global"))
    return false;
  auto copy = std::make_shared<CopyDetail>();
  copy->to.space = Space::Shared;
  copy->from.space = Space::Global;
  expectOperands(3, 5);
  decodeAddress(operand(0), copy->to);
  decodeAddress(operand(1), copy->from);
  uint64_t bytes = operand(2).value;
  if (operand(2).kind != Operand::Integer ||
      (bytes != 4 && bytes != 8 && bytes != 16))
    bad("4, 8 or 16 bytes are copied");
  copy->to.bytes = copy->from.bytes = static_cast<uint8_t>(bytes);
  if (instruction->operands.size() >= 4) {
    const Operand &size = operand(3);
    bool isPredicate = size.kind == Operand::Register &&
                       function->registers[size.reg].type == Scalar::Pred;
    if (isPredicate) {
      copy->ignored = predicateOf(size);
      copy->ignoredNegated = size.negated;
    }
    bool isPolicy = size.kind == Operand::Register &&
                    sizeOf(function->registers[size.reg].type) == 8;
    if (!isPolicy && !isPredicate)
      copy->sourceBytes = source(size, Scalar::U32);
  }
  inst.copy = copy;
  inst.run = copyAsync;
  return true;
}

bool Decoder::decodeMbarrier() {
  inst.flow = Flow::Op;
  if (take("pending_count")) {
    takeType(); // b64
    expectOperands(2, 2);
    inst.run = pendingCount;
    inst.alu.dst = result(operand(0), Scalar::B32);
    inst.alu.src[0] = source(operand(1), Scalar::B64);
    return true;
  }
  inst.run = mbarrier;
  auto detail = std::make_shared<MemDetail>();
  detail->bytes = 8;
  detail->space = Space::Generic;
  inst.alu.dst = inst.alu.src[0] = kNoSlot;
  bool parity = false;
  if (take("init"))
    inst.mode = kMbarrierInit;
  else if (take("inval"))
    inst.mode = kMbarrierInval;
  else if (take("arrive_drop"))
    inst.mode = kMbarrierArriveDrop;
  else if (take("arrive"))
    inst.mode = kMbarrierArrive;
  else if (take("test_wait") || take("try_wait"))
    inst.mode = (parity = take("parity")) ? kMbarrierTestParity : kMbarrierTest;
  else if (take("expect_tx"))
    inst.mode = kMbarrierExpectBytes;
  else if (take("complete_tx"))
    inst.mode = kMbarrierCompleteBytes;
  else
    return false;
  take("noComplete");
  inst.alu.aux = take("expect_tx"); // and then arrives
  takeMemoryModifiers(*detail, false);
  takeType(); // b64
  size_t next = 0;
  size_t count = instruction->operands.size();
  if (inst.mode == kMbarrierTest || inst.mode == kMbarrierTestParity) {
    if (count < 3 || count > 4)
      bad("there should be a predicate, an address and a phase");
    inst.alu.dst = result(operand(next++), Scalar::Pred);
  } else if (count && operand(0).kind != Operand::Address) {
    inst.alu.dst = operand(0).kind == Operand::Sink
                       ? kNoSlot
                       : result(operand(0), Scalar::B64);
    ++next;
  }
  decodeAddress(operand(next++), *detail);
  if (next < count)
    inst.alu.src[0] = source(
        operand(next), inst.mode == kMbarrierTest ? Scalar::B64 : Scalar::B32);
  bool counts = inst.mode == kMbarrierInit || inst.alu.aux ||
                inst.mode == kMbarrierExpectBytes ||
                inst.mode == kMbarrierCompleteBytes;
  if (counts && inst.alu.src[0] == kNoSlot)
    bad("the count is missing");
  inst.memory = detail;
  return true;
}

bool Decoder::decodeAddressSpace() {
  const std::string &opcode = instruction->opcode;
  inst.flow = Flow::Op;
  static const std::map<std::string, std::pair<uint32_t, Space>> spaces = {
      {"global", {0, Space::Global}},
      {"const", {0, Space::Const}},
      {"shared", {1, Space::Shared}},
      {"shared::cta", {1, Space::Shared}},
      {"shared::cluster", {1, Space::Shared}},
      {"local", {2, Space::Local}},
      {"param", {3, Space::Param}},
      {"param::entry", {3, Space::Param}}};
  auto takeSpace = [&] {
    for (const auto &[name, row] : spaces)
      if (take(name.c_str()))
        return row;
    unsupported("the space is missing or not supported");
  };
  if (opcode == "cvta") {
    inst.mode = take("to") ? 4 : 0;
    auto space = takeSpace();
    inst.mode |= space.first;
    Scalar type = takeType();
    if (sizeOf(type) == 8)
      inst.mode |= 8;
    expectOperands(2, 2);
    inst.alu.dst = result(operand(0), type);
    inst.alu.src[0] = source(operand(1), type);
    inst.run = toGeneric;
    return true;
  }
  if (opcode == "isspacep") {
    inst.mode = static_cast<uint32_t>(takeSpace().second);
    expectOperands(2, 2);
    inst.alu.dst = result(operand(0), Scalar::Pred);
    inst.alu.src[0] = source(operand(1), Scalar::U64);
    inst.run = isSpace;
    return true;
  }
  if (opcode == "prefetch" || opcode == "prefetchu" ||
      opcode == "applypriority" || opcode == "createpolicy" ||
      opcode == "pmevent" || opcode == "setmaxnreg" ||
      opcode == "griddepcontrol") {
    if (opcode == "createpolicy")
      result(operand(0), Scalar::B64);
    modifiers.clear();
    inst.run = nothing;
    return true;
  }
  return false;
}
