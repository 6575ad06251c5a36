// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_PASSES_MODEL_PASSES
#define FUSEC_PASSES_MODEL_PASSES

include "mlir/Pass/PassBase.td"

def ApplyChoices : Pass<"model-apply-choices", "::mlir::ModuleOp"> {
  let summary = "Take one alternative of each choice";
  let description = [{
    Contract: afterwards no `kernel.choice` is left, unless `alternatives` says that
    programs shall have several: then those that are in no other one and that nobody
    forces stay, with as many alternatives as it says, the one that was taken first and the others by
    cost, and with their `key`; or unless a lock or an Advisor says that sessions of other
    instruction sets, or of more threads, take other ones: then these stay, with
    `selected`. Of all others the launches and buffers of the
    alternative that was taken stand in their place. Kernels and weights that nothing
    uses any more are gone, so the pass runs before kernels are scheduled.
    The host program's attribute `kernel.choices` lists, for each choice, what was
    taken and why, behind what it lists already, which was decided before; it ends up in
    model.json. The attribute `kernel.model_key` of a
    module that had choices is the key of the model, whatever was taken.

    `choices` forces alternatives: `name=algorithm`, where the name `*` stands for
    all choices that have such an algorithm; it is an error if there is none. Else
    `lock` names a fusec.lock (passes/lock), whose entry for the same choice says
    what is taken; it is an error if the choice has no such alternative. Else it is
    what was measured (passes/lock/Advisor.h), if a compilation asks for that. Else the
    least cost is taken of those whose buffers are within `workspace-limit` (where all
    have more, of those that have least), the first of equals: per launch, the target's
    `launchSteps`, and for each statement its points times the operations of its body,
    over the cores that have work (with `numerics=fast` all have, of a kernel that is one
    long reduction: parts of it are added up in any order); per call of the library what
    its row in the registry says. What an operator of a user's takes nobody knows:
    alternatives that call one come last, as they stand. Where an alternative has a lower
    precision than the model, the costs of all tell precisions apart: products of bytes, of which the target
    adds several to a sum in one step, count as that step; and a kernel takes at least as
    long as its weights take to come from memory, those that a second-level cache does
    not hold.

    ```mlir
    kernel.choice @sum ["direct", "split_reduce"] {
      kernel.launch @sum_direct(%x, %y) : memref<8000xf32>, memref<f32>
    }, {
      %0 = kernel.buffer : memref<8xf32>
      kernel.launch @sum_split_reduce(%x, %0) : memref<8000xf32>, memref<8xf32>
      kernel.launch @sum_split_reduce_2(%0, %y) : memref<8xf32>, memref<f32>
    }
    // becomes
    kernel.launch @sum_direct(%x, %y) : memref<8000xf32>, memref<f32>
    ```
  }];
  let dependentDialects = ["::fusec::kernel::KernelDialect", "::fusec::sched::SchedDialect"];
  let options = [
    ListOption<"choices", "choices", "std::string", "Alternatives to take: name=algorithm">,
    Option<"lockFile", "lock", "std::string", "\"\"", "A fusec.lock with alternatives to take">,
    Option<"alternatives", "alternatives", "unsigned", "1", "How many alternatives of a choice stay at most">,
    Option<"workspaceLimit", "workspace-limit", "int64_t", "-1", "Bytes that buffers of an alternative may have that is taken for its cost; -1: any">,
    Option<"numerics", "numerics", "std::string", "\"reproducible\"", "reproducible, or fast: kernels may add up in whichever order threads run">,
    Option<"lenient", "lenient", "bool", "false", "What `choices` forces may be missing">,
    Option<"remarks", "remarks", "bool", "false", "Report what was taken, with the reason">,
    Option<"target", "target", "std::string", "\"cpu\"", "What the targets of the lock are, part of its keys">,
  ];
  let statistics = [Statistic<"numChoices", "num-choices", "Choices applied">];
}

def InsertFills : Pass<"model-insert-fills", "::mlir::ModuleOp"> {
  let summary = "Fill memory that no kernel has to write";
  let description = [{
    Contract: takes a host program whose choices are made, before memory is planned.
    It runs twice. Before kernels are scheduled three things become a `kernel.fill`:
    - A loop that data may end early leaves rows of what it stacks unwritten: such
      memory is filled with zeros, once, before the loop.
    - The launch of a kernel without inputs that writes the same number to every
      element, as a start of zeros does. The kernel goes if nothing else launches it.
    - A copy of memory that was filled, or of a weight whose elements are all equal.
      The buffer or the weight goes if nothing else reads it.

    A kernel without inputs that writes anything else keeps its launch (a remark), and
    so does one whose number the type of its elements does not hold.

    ```mlir
    kernel.launch @zeros(%0) : memref<32xf32>
    kernel.copy %0, %1 : memref<32xf32>
    // becomes
    kernel.fill %1 with 0.000000e+00 : f32 : memref<32xf32>
    ```

    When kernels are made (`sums`), a fill of zeros stands before each launch of a group
    for each output that a variant of it, with `kernel.zeroed`, adds to: one, whichever
    variants there are, and nothing else changes.

    ```mlir
    kernel.fill %total with 0.000000e+00 : f32 : memref<f32>   // added
    kernel.launch @total(%x, %total) : memref<524288xf32>, memref<f32>
    ```
  }];
  let dependentDialects = ["::fusec::kernel::KernelDialect"];
  let options = [
    Option<"sums", "sums", "bool", "false", "Fill what kernels, which are made, add to, and nothing else">,
    Option<"remarks", "remarks", "bool", "false", "Report kernels without inputs that are no fills, with the reason">];
  let statistics = [Statistic<"numFills", "num-fills", "Fills inserted">];
}

def MergeKernels : Pass<"model-merge-kernels", "::mlir::ModuleOp"> {
  let summary = "Launch one kernel where several are equal up to names";
  let description = [{
    Contract: kernels (`sched.scop` or `kernel.func`) that are launched and equal
    but for the names of themselves, their arrays, statements and iterators
    become one, whose location fuses theirs. It takes the part of their names
    that they have in common, without indices. Only kernels that are a group's
    single variant take part, so the pass runs before variants are made: then
    the isl passes see each kernel once. Two kernels of one common name that
    differ are a remark.

    ```mlir
    kernel.launch @encoder_0_softmax(%a, %b) : memref<8x64xf32>, memref<8x64xf32>
    kernel.launch @encoder_1_softmax(%b, %c) : memref<8x64xf32>, memref<8x64xf32>
    // becomes
    kernel.launch @encoder_softmax(%a, %b) : memref<8x64xf32>, memref<8x64xf32>
    kernel.launch @encoder_softmax(%b, %c) : memref<8x64xf32>, memref<8x64xf32>
    ```
  }];
  let dependentDialects = ["::fusec::kernel::KernelDialect", "::fusec::sched::SchedDialect"];
  let options = [Option<"remarks", "remarks", "bool", "false", "Report kernels that look alike and differ, with the reason">];
  let statistics = [Statistic<"numMerged", "num-merged", "Kernels that another one replaced">];
}

def PackWeights : Pass<"model-pack-weights", "::mlir::ModuleOp"> {
  let summary = "Store weights in the order in which kernels load them";
  let description = [{
    Contract: takes vectorised kernels, leaves vectorised kernels. Where the lanes of
    a weight that a kernel loads one after the other lie a row apart, as those of a
    contraction do, each row is a page of its own and only some sets of the cache
    hold any. Such a weight `[rows..., columns]` becomes panels of 16 columns,
    `[panels, rows..., 16]`: its data, and the subscripts of every load. Columns that
    fill no panel are followed by zeros. Where tiles load each element once, of a weight that no
    core's second-level cache keeps, memory sets the time, and a panel has all columns of
    a tile: they come as one stream. Rows whose terms kernels multiply several at
    a time (`kernel.terms`) are side by side in each column, `[panels, rows... / 4,
    16, 4]`, so that the terms of 16 columns are one load. A weight stays as it is where one of its
    readers loads lanes along the rows, whole rows or the middle of a panel, or is also
    launched with what is computed; a remark says so if another one would gain.
    Weights that nothing reads go, with their data. Of the two rules `packing.panels` and
    `packing.nibbles`, for weights of 4 bits, those are left out that `disabled` names, by
    themselves or as `packing`.

    The readers are the variants "default" (of a group without one, what is launched).
    Of the others, one that can load what these do loads it. One that cannot gets a copy
    of the weight as it was, and one that would gain from panels where there are none a
    copy in panels, each as a further input, which all variants of the group have. The
    same holds for weights of 4 bits, which lie two to a byte where lanes begin at whole
    groups.

    ```mlir
    fuse.weight @w = dense_resource<w> : tensor<512x1024xf32>
    %0 = kernel.load %w[%k, %j_tile * 16] : memref<512x1024xf32> -> vector<16xf32>
    // becomes
    fuse.weight @w = dense_resource<w> : tensor<64x512x16xf32>
    %0 = kernel.load %w[%j_tile, %k, 0] : memref<64x512x16xf32> -> vector<16xf32>
    ```
  }];
  let dependentDialects = ["::fusec::fuse::FuseDialect", "::fusec::kernel::KernelDialect"];
  let options = [ListOption<"disabled", "disabled", "std::string", "The rules that are not applied">];
  let statistics = [Statistic<"numPacked", "num-packed", "Weights packed in panels">];
}

def DescribeVariants : Pass<"model-describe-variants", "::mlir::ModuleOp"> {
  let summary = "Say what each variant is known by elsewhere";
  let description = [{
    Contract: takes kernels as they are emitted. Each that was made of a config gets
    `hash`, 16 hexadecimal digits of what it does and how: the same in every model,
    under every name, and whichever variants stand beside it. What was measured of
    one holds for another of the same hash. All but naive ones get `choice`, too: what
    a line of a fusec.lock says of them behind the group's key. A choice of which
    several alternatives are left gets a `hash` for each. The module's
    `kernel.algorithms` is the version of the set of algorithms. A kernel without a
    config, written by hand, is left (a remark); one with a config of which nobody is
    the proposer is an error.

    ```mlir
    kernel.func @sum attributes {config = #sched.config<...>, proposer = "isl"} ...
    // becomes
    kernel.func @sum attributes {
        choice = "proposer=isl variant=default config=#sched.config<...>",
        config = #sched.config<...>, hash = "0123456789abcdef", proposer = "isl"} ...
    ```
  }];
  let dependentDialects = ["::fusec::kernel::KernelDialect"];
  let options = [Option<"remarks", "remarks", "bool", "false", "Report kernels that are not described, with the reason">];
  let statistics = [Statistic<"numVariants", "num-variants", "Variants described">];
}

def LaunchCalls : Pass<"model-launch-calls", "::mlir::ModuleOp"> {
  let summary = "Launch kernels for what the library has for a device";
  let description = [{
    Contract: takes the host program of kernels for a GPU, before it is partitioned; that
    for a CPU stays as it is. A `kernel.call` whose routine has a form for devices
    becomes the launch of a kernel in which each block of a grid does its part; equal
    calls share a kernel. What the routine updates is copied to the result before, and the kernel has the
    result in its place: nothing reads the operand any more, so that both may be the
    same memory. An operator of a user's with `op.block` has a function that blocks call
    likewise. A call that has nothing to do for its shapes goes. The others stay (a remark): they run on
    the host.

    ```mlir
    kernel.call @top_k(%x) outs(%v, %i) {...} : (memref<4x9xf32>) -> (memref<4x3xf32>, memref<4x3xi64>)
    // becomes
    kernel.launch @top_k(%x, %v, %i) : memref<4x9xf32>, memref<4x3xf32>, memref<4x3xi64>
    // with
    kernel.func @top_k(%x: memref<4x9xf32>, %v: memref<4x3xf32>, %i: memref<4x3xi64>)
        attributes {..., threads = 32 : i64} {
      kernel.for %b = 0 to 4 map(block) {
        kernel.call @top_k(%x) block %b outs(%v, %i) {...}
            : (memref<4x9xf32>) -> (memref<4x3xf32>, memref<4x3xi64>)
      }
    }
    ```
  }];
  let dependentDialects = ["::fusec::kernel::KernelDialect"];
  let options = [Option<"remarks", "remarks", "bool", "false", "Report calls that stay, with the reason">];
  let statistics = [Statistic<"numLaunched", "num-launched", "Calls that became launches">];
}

def Partition : Pass<"model-partition", "::mlir::ModuleOp"> {
  let summary = "Put on the host what runs there, in a GPU's program";
  let description = [{
    Contract: takes the host program of kernels for a GPU, before memory is planned; that
    for a CPU stays as it is. Memory without a space is the GPU's. Afterwards all that the
    host itself reads and writes lies in its own (`#kernel.space<host>`): operands of
    calls (a remark), but for operators that launch kernels of their own
    (`op.cuda_workspace`), and what loops and branches
    ask. Buffers that nothing on the GPU needs move there; for others, and for inputs and
    outputs, there is a buffer beside them, and copies. A weight that a call reads is
    read where the file lies. Copies are merged: memory is copied where the other side
    asks for it and something was written since, and at the ends of blocks where it
    outlives them. What a loop asks is copied again behind each iteration that uses it.

    ```mlir
    kernel.launch @scores(%x, %0) : memref<4x9xf32>, memref<4x9xf32>
    kernel.call @top_k(%0) outs(%v, %i) {...} : (memref<4x9xf32>) -> (memref<4x3xf32>, memref<4x3xi64>)
    // becomes, with #host = #kernel.space<host>
    kernel.launch @scores(%x, %0) : memref<4x9xf32>, memref<4x9xf32>
    %1 = kernel.buffer : memref<4x9xf32, #host>
    kernel.copy %0, %1 : memref<4x9xf32>, memref<4x9xf32, #host>
    %2 = kernel.buffer : memref<4x3xf32, #host>
    %3 = kernel.buffer : memref<4x3xi64, #host>
    kernel.call @top_k(%1) outs(%2, %3) {...}
        : (memref<4x9xf32, #host>) -> (memref<4x3xf32, #host>, memref<4x3xi64, #host>)
    kernel.copy %2, %v : memref<4x3xf32, #host>, memref<4x3xf32>
    kernel.copy %3, %i : memref<4x3xi64, #host>, memref<4x3xi64>
    ```
  }];
  let dependentDialects = ["::fusec::kernel::KernelDialect"];
  let options = [Option<"remarks", "remarks", "bool", "false", "Report what runs on the host, with the reason">];
  let statistics = [
    Statistic<"numHostSteps", "num-host-steps", "Calls that run on the host">,
    Statistic<"numCopies", "num-copies", "Copies between host and device">];
}

def PlanMemory : Pass<"model-plan-memory", "::mlir::func::FuncOp"> {
  let summary = "Place the buffers of a host program in one arena";
  let description = [{
    Contract: each `kernel.buffer` of a function with `fuse.outputs` gets an
    `offset` (bytes, a multiple of 64), so that buffers that are alive at the
    same time do not overlap; the function's `kernel.arena_bytes` is the size of
    the arena. Buffers in host memory of a GPU's program have an arena of their own, of
    `kernel.host_arena_bytes`. A buffer is alive from the first to the last operation that uses
    it or a view of it; one that is defined outside of a loop and used inside, as
    long as the loop; one that is defined inside, within an iteration. On a GPU, whose
    steps run side by side where none needs another, two buffers share memory only where
    all that use the one are over before any that use the other begin, as far as a session
    has steps under way (16). The
    largest buffers come first, each into the smallest
    gap that holds it; behind all others those of a `kernel.choice`, so that a program
    whose alternatives need none has no larger arena for their sake. A buffer that has
    an offset already keeps it, with a remark; overlapping ones are an error. Unused buffers go.

    ```mlir
    %0 = kernel.buffer : memref<1024xf32>
    // becomes
    %0 = kernel.buffer offset = 4096 : memref<1024xf32>
    ```
  }];
  let dependentDialects = ["::fusec::kernel::KernelDialect"];
  let options = [Option<"remarks", "remarks", "bool", "false", "Report buffers that were not placed, with the reason">];
  let statistics = [
    Statistic<"numBuffers", "num-buffers", "Buffers placed">,
    Statistic<"numBytesSaved", "num-bytes-saved", "Bytes that sharing memory saves">];
}

#endif // FUSEC_PASSES_MODEL_PASSES
