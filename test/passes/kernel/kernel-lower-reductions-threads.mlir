// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions along loops that threads of a GPU share.
// RUN: fusec-opt %s --kernel-lower-reductions | FileCheck %s
// RUN: fusec-opt %s --kernel-lower-reductions --kernel-lower-reductions | FileCheck %s

module attributes {fuse.target = "cuda-sm80"} {
  // A loop over what a thread has side by side carries its partial result.
  // CHECK-LABEL: kernel.func @side_by_side
  // CHECK:       kernel.for %j_thread = 0 to 128 map(thread) {
  // CHECK-NEXT:    kernel.for %j = 0 to 4 map(unroll) carries(add %sum_partial : memref<f32, #kernel.space<thread>>) {
  // CHECK:           kernel.store %{{.*}}, %sum_partial[]
  // CHECK:       kernel.combine {{ *}}add
  kernel.func @side_by_side(%x: memref<512xf32>, %y: memref<f32>)
      attributes {group = "side_by_side", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    %sum = kernel.local : memref<f32, #kernel.space<thread>>
    %one = arith.constant 1.0 : f32
    kernel.store %one, %sum[] : f32, memref<f32, #kernel.space<thread>>
    kernel.for %j_thread = 0 to 128 map(thread) carries(add %sum : memref<f32, #kernel.space<thread>>) {
      kernel.for %j = 0 to 4 map(unroll) carries(add %sum : memref<f32, #kernel.space<thread>>) {
        %0 = kernel.load %x[%j_thread * 4 + %j] : memref<512xf32> -> f32
        %1 = kernel.load %sum[] : memref<f32, #kernel.space<thread>> -> f32
        %2 = arith.addf %1, %0 : f32
        kernel.store %2, %sum[] : f32, memref<f32, #kernel.space<thread>>
      }
    }
    kernel.for %first = 0 to 1 map(thread) {
      %0 = kernel.load %sum[] : memref<f32, #kernel.space<thread>> -> f32
      kernel.store %0, %y[] : f32, memref<f32>
    }
    kernel.return
  }

  // What each thread has begins neutral, and is its partial result.
  // CHECK-LABEL: kernel.func @own
  // CHECK:       kernel.store %{{.*}}, %sum[]
  // CHECK-NEXT:  kernel.for %j = 0 to 300 map(thread) {
  // CHECK:       }
  // CHECK-NEXT:  %[[PART:.*]] = kernel.load %sum[]
  // CHECK-NEXT:  %[[TOTAL:.*]] = kernel.combine {{ *}}add %[[PART]] : f32
  // CHECK-NEXT:  kernel.store %[[TOTAL]], %sum[]
  // CHECK-NEXT:  kernel.for %{{.*}} = 0 to 1 map(thread)
  kernel.func @own(%x: memref<300xf32>, %y: memref<f32>)
      attributes {group = "own", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    %sum = kernel.local : memref<f32, #kernel.space<thread>>
    %zero = arith.constant 0.0 : f32
    kernel.store %zero, %sum[] : f32, memref<f32, #kernel.space<thread>>
    kernel.for %j = 0 to 300 map(thread) carries(add %sum : memref<f32, #kernel.space<thread>>) {
      %0 = kernel.load %x[%j] : memref<300xf32> -> f32
      %1 = kernel.load %sum[] : memref<f32, #kernel.space<thread>> -> f32
      %2 = arith.addf %1, %0 : f32
      kernel.store %2, %sum[] : f32, memref<f32, #kernel.space<thread>>
    }
    kernel.for %one = 0 to 1 map(thread) {
      %0 = kernel.load %sum[] : memref<f32, #kernel.space<thread>> -> f32
      kernel.store %0, %y[] : f32, memref<f32>
    }
    kernel.return
  }

  // What it holds before counts once, not for each thread.
  // CHECK-LABEL: kernel.func @begun
  // CHECK:       kernel.store %{{.*}}, %sum[]
  // CHECK:       %sum_partial = kernel.local : memref<f32, #kernel.space<thread>>
  // CHECK:       kernel.for %j = 0 to 300 map(thread) {
  // CHECK-NOT:     %sum[]
  // CHECK:       }
  // CHECK:       %[[TOTAL:.*]] = kernel.combine {{ *}}add
  // CHECK-NEXT:  %[[BEFORE:.*]] = kernel.load %sum[]
  // CHECK-NEXT:  %[[SUM:.*]] = arith.addf %[[BEFORE]], %[[TOTAL]] : f32
  // CHECK-NEXT:  kernel.store %[[SUM]], %sum[]
  kernel.func @begun(%x: memref<300xf32>, %y: memref<f32>)
      attributes {group = "begun", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    %sum = kernel.local : memref<f32, #kernel.space<thread>>
    %one = arith.constant 1.0 : f32
    kernel.store %one, %sum[] : f32, memref<f32, #kernel.space<thread>>
    kernel.for %j = 0 to 300 map(thread) carries(add %sum : memref<f32, #kernel.space<thread>>) {
      %0 = kernel.load %x[%j] : memref<300xf32> -> f32
      %1 = kernel.load %sum[] : memref<f32, #kernel.space<thread>> -> f32
      %2 = arith.addf %1, %0 : f32
      kernel.store %2, %sum[] : f32, memref<f32, #kernel.space<thread>>
    }
    kernel.for %first = 0 to 1 map(thread) {
      %0 = kernel.load %sum[] : memref<f32, #kernel.space<thread>> -> f32
      kernel.store %0, %y[] : f32, memref<f32>
    }
    kernel.return
  }

  // Of memory that they share the first thread stores the result; a loop around that
  // does nothing else with it is done first.
  // CHECK-LABEL: kernel.func @memory
  // CHECK:       %y_partial = kernel.local
  // CHECK:       kernel.for %i = 0 to 5 {
  // CHECK-NEXT:    kernel.for %j = 0 to 300 map(thread) {
  // CHECK:       }
  // CHECK-NEXT:  }
  // CHECK:       %[[TOTAL:.*]] = kernel.combine {{ *}}max
  // CHECK-NEXT:  kernel.for %{{.*}} = 0 to 1 map(thread) {
  // CHECK-NEXT:    %[[BEFORE:.*]] = kernel.load %y[]
  // CHECK-NEXT:    %[[MAX:.*]] = arith.maximumf %[[BEFORE]], %[[TOTAL]] : f32
  // CHECK-NEXT:    kernel.store %[[MAX]], %y[]
  kernel.func @memory(%x: memref<5x300xf32>, %y: memref<f32>)
      attributes {group = "memory", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    kernel.for %i = 0 to 5 carries(max %y : memref<f32>) {
      kernel.for %j = 0 to 300 map(thread) carries(max %y : memref<f32>) {
        %0 = kernel.load %x[%i, %j] : memref<5x300xf32> -> f32
        %1 = kernel.load %y[] : memref<f32> -> f32
        %2 = arith.maximumf %1, %0 : f32
        kernel.store %2, %y[] : f32, memref<f32>
      }
    }
    kernel.return
  }

  // In an iteration of a loop, nobody overwrites what another thread still reads of
  // the one before.
  // CHECK-LABEL: kernel.func @selected
  // CHECK:       kernel.for %i = 0 to 5 {
  // CHECK:         kernel.for %j = 0 to 300 map(thread) {
  // CHECK:         kernel.barrier {{ *}}block
  // CHECK-NEXT:    kernel.for %[[T:.*]] = 0 to 64 map(thread) {
  // CHECK:           kernel.store %{{.*}}, %most_row[%[[T]]]
  // CHECK:           kernel.store %{{.*}}, %at_row[%[[T]]]
  // CHECK-NEXT:    }
  // CHECK-NEXT:    kernel.barrier {{ *}}block
  // CHECK-NEXT:    kernel.for %[[E:.*]] = 0 to 64 {
  // CHECK:           %[[HELD:.*]] = kernel.load %most[]
  // CHECK:           %[[OFFERED:.*]] = kernel.load %most_row[%[[E]]]
  // CHECK:           arith.cmpf ogt, %[[OFFERED]], %[[HELD]]
  kernel.func @selected(%x: memref<5x300xf32>, %y: memref<5xi64>)
      attributes {group = "selected", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    %least = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0 : i64
    kernel.for %i = 0 to 5 {
      %most = kernel.local : memref<f32, #kernel.space<thread>>
      %at = kernel.local : memref<i64, #kernel.space<thread>>
      kernel.store %least, %most[] : f32, memref<f32, #kernel.space<thread>>
      kernel.store %zero, %at[] : i64, memref<i64, #kernel.space<thread>>
      kernel.for %j = 0 to 300 map(thread) carries(select %most : memref<f32, #kernel.space<thread>>, select %at : memref<i64, #kernel.space<thread>>) {
        %0 = kernel.load %most[] : memref<f32, #kernel.space<thread>> -> f32
        %1 = kernel.load %at[] : memref<i64, #kernel.space<thread>> -> i64
        %2 = kernel.load %x[%i, %j] : memref<5x300xf32> -> f32
        %3 = kernel.apply affine_map<(d0) -> (d0)>(%j)
        %4 = arith.index_cast %3 : index to i64
        %5 = arith.cmpf ogt, %2, %0 : f32
        %6 = arith.select %5, %2, %0 : f32
        %7 = arith.select %5, %4, %1 : i64
        kernel.store %6, %most[] : f32, memref<f32, #kernel.space<thread>>
        kernel.store %7, %at[] : i64, memref<i64, #kernel.space<thread>>
      }
      kernel.for %first = 0 to 1 map(thread) {
        %0 = kernel.load %at[] : memref<i64, #kernel.space<thread>> -> i64
        kernel.store %0, %y[%i] : i64, memref<5xi64>
      }
    }
    kernel.return
  }

  // Blocks that share a row: the sum of each goes to scratch memory, and the last one
  // has what the sum begins with, and the rest.
  // CHECK-LABEL: kernel.func @blocks
  // CHECK-SAME:  workspace_bytes = 84 : i64, zeroed_bytes = 20 : i64
  // CHECK-DAG:   %tickets = kernel.workspace offset = 64 : memref<5xi32>
  // CHECK-DAG:   %sum_parts = kernel.workspace offset = 0 : memref<5x3xf32>
  // CHECK:       kernel.for %i = 0 to 5 map(block) {
  // CHECK-NEXT:    kernel.for %jt = 0 to 3 map(block) {
  // CHECK-NEXT:      %cst = arith.constant 1.0
  // CHECK-NOT:       %sum = kernel.local
  // CHECK:           %part_sum = kernel.local
  // CHECK:           kernel.for %j = 0 to 100 map(thread) {
  // CHECK:           %[[PART:.*]] = kernel.combine {{ *}}add
  // CHECK:           kernel.for %{{.*}} = 0 to 1 map(thread) {
  // CHECK:             kernel.store %{{.*}}, %sum_parts[%i, %jt]
  // CHECK-NOT:       kernel.barrier
  // CHECK:           kernel.last_block of 3 %tickets[%i] : memref<5xi32> {
  // CHECK:             %sum = kernel.local
  // CHECK-NEXT:        kernel.store %cst, %sum[]
  // CHECK:             kernel.for %[[OTHER:.*]] = 0 to 3 map(thread) {
  // CHECK:               kernel.load %sum_parts[%i, %[[OTHER]]]
  // CHECK:             kernel.combine {{ *}}add
  // CHECK:             math.sqrt
  // CHECK:             kernel.store %{{.*}}, %y[%i]
  kernel.func @blocks(%x: memref<5x300xf32>, %y: memref<5xf32>)
      attributes {group = "blocks", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    kernel.for %i = 0 to 5 map(block) {
      %sum = kernel.local : memref<f32, #kernel.space<thread>>
      %one = arith.constant 1.0 : f32
      kernel.store %one, %sum[] : f32, memref<f32, #kernel.space<thread>>
      kernel.for %jt = 0 to 3 map(block) carries(add %sum : memref<f32, #kernel.space<thread>>) {
        kernel.for %j = 0 to 100 map(thread) carries(add %sum : memref<f32, #kernel.space<thread>>) {
          %0 = kernel.load %x[%i, %jt * 100 + %j] : memref<5x300xf32> -> f32
          %1 = kernel.load %sum[] : memref<f32, #kernel.space<thread>> -> f32
          %2 = arith.addf %1, %0 : f32
          kernel.store %2, %sum[] : f32, memref<f32, #kernel.space<thread>>
        }
      }
      kernel.for %first = 0 to 1 map(thread) {
        %0 = kernel.load %sum[] : memref<f32, #kernel.space<thread>> -> f32
        %1 = math.sqrt %0 : f32
        kernel.store %1, %y[%i] : f32, memref<5xf32>
      }
    }
    kernel.return
  }

  // What threads other than the first store, and the last block reads, is behind a barrier.
  // CHECK-LABEL: kernel.func @kept
  // CHECK:           kernel.store %{{.*}}, %z[%i, %jt * 100 + %j]
  // CHECK:           kernel.barrier block
  // CHECK-NEXT:      kernel.last_block of 3 %tickets[%i] : memref<5xi32> {
  // CHECK:             kernel.load %z[%i, 7]
  kernel.func @kept(%x: memref<5x300xf32>, %y: memref<5xf32>, %z: memref<5x300xf32>)
      attributes {group = "kept", variant = "default", num_inputs = 1 : i64, num_outputs = 2 : i64, threads = 64 : i64} {
    kernel.for %i = 0 to 5 map(block) {
      %sum = kernel.local : memref<f32, #kernel.space<thread>>
      %zero = arith.constant 0.0 : f32
      kernel.store %zero, %sum[] : f32, memref<f32, #kernel.space<thread>>
      kernel.for %jt = 0 to 3 map(block) carries(add %sum : memref<f32, #kernel.space<thread>>) {
        kernel.for %j = 0 to 100 map(thread) carries(add %sum : memref<f32, #kernel.space<thread>>) {
          %0 = kernel.load %x[%i, %jt * 100 + %j] : memref<5x300xf32> -> f32
          kernel.store %0, %z[%i, %jt * 100 + %j] : f32, memref<5x300xf32>
          %1 = kernel.load %sum[] : memref<f32, #kernel.space<thread>> -> f32
          %2 = arith.addf %1, %0 : f32
          kernel.store %2, %sum[] : f32, memref<f32, #kernel.space<thread>>
        }
      }
      kernel.for %first = 0 to 1 map(thread) {
        %0 = kernel.load %sum[] : memref<f32, #kernel.space<thread>> -> f32
        %1 = kernel.load %z[%i, 7] : memref<5x300xf32> -> f32
        %2 = arith.mulf %0, %1 : f32
        kernel.store %2, %y[%i] : f32, memref<5xf32>
      }
    }
    kernel.return
  }

  // Of a tile each thread has sums of its own: scratch memory has those of neighbouring
  // threads side by side, and each adds up its own in the last block.
  // CHECK-LABEL: kernel.func @tile
  // CHECK-DAG:   %acc_parts = kernel.workspace offset = 0 : memref<4x3x2x1x48xf32>
  // CHECK:       kernel.for %it = 0 to 4 map(block) {
  // CHECK-NEXT:    kernel.for %kt = 0 to 3 map(block) {
  // CHECK:           %part_acc = kernel.local : memref<2x1xf32, #kernel.space<thread>>
  // CHECK:           kernel.for %[[E:.*]] = 0 to 2 map(unroll) {
  // CHECK-NEXT:        kernel.store %{{.*}}, %part_acc[%[[E]], 0]
  // CHECK:           kernel.for %k = 0 to 8 carries(add %part_acc
  // CHECK:           kernel.for %each = 0 to 48 map(thread) {
  // CHECK-NEXT:        kernel.for %[[E:.*]] = 0 to 2 map(unroll) {
  // CHECK:               kernel.store %{{.*}}, %acc_parts[%it, %kt, %[[E]], 0, %each]
  // CHECK:           kernel.barrier block
  // CHECK-NEXT:      kernel.last_block of 3 %tickets[%it] : memref<4xi32> {
  // CHECK:             %acc = kernel.local : memref<2x1xf32, #kernel.space<thread>>
  // CHECK:             kernel.for %t = 0 to 48 map(thread) {
  // CHECK:             kernel.for %[[T:.*]] = 0 to 48 map(thread) {
  // CHECK-NEXT:          kernel.for %[[P:.*]] = 0 to 3 carries(add %acc
  // CHECK-NEXT:            kernel.for %[[E:.*]] = 0 to 2 map(unroll) {
  // CHECK-NEXT:              kernel.load %acc_parts[%it, %[[P]], %[[E]], 0, %[[T]]]
  // CHECK:             kernel.store %{{.*}}, %y[%it * 96 +
  kernel.func @tile(%x: memref<384x24xf32>, %y: memref<384xf32>)
      attributes {group = "tile", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    kernel.for %it = 0 to 4 map(block) {
      %acc = kernel.local : memref<2x1xf32, #kernel.space<thread>>
      kernel.for %t = 0 to 48 map(thread) {
        kernel.for %p = 0 to 2 map(unroll) {
          %zero = arith.constant 0.0 : f32
          kernel.store %zero, %acc[%p, 0] : f32, memref<2x1xf32, #kernel.space<thread>>
        }
      }
      kernel.for %kt = 0 to 3 map(block) carries(add %acc : memref<2x1xf32, #kernel.space<thread>>) {
        kernel.for %t = 0 to 48 map(thread) {
          kernel.for %k = 0 to 8 carries(add %acc : memref<2x1xf32, #kernel.space<thread>>) {
            kernel.for %p = 0 to 2 map(unroll) {
              %0 = kernel.load %x[%it * 96 + %t * 2 + %p, %kt * 8 + %k] : memref<384x24xf32> -> f32
              %1 = kernel.load %acc[%p, 0] : memref<2x1xf32, #kernel.space<thread>> -> f32
              %2 = arith.addf %1, %0 : f32
              kernel.store %2, %acc[%p, 0] : f32, memref<2x1xf32, #kernel.space<thread>>
            }
          }
        }
      }
      kernel.for %t = 0 to 48 map(thread) {
        kernel.for %p = 0 to 2 map(unroll) {
          %0 = kernel.load %acc[%p, 0] : memref<2x1xf32, #kernel.space<thread>> -> f32
          kernel.store %0, %y[%it * 96 + %t * 2 + %p] : f32, memref<384xf32>
        }
      }
    }
    kernel.return
  }

  // Each block adds its sum to the output, which holds zeros before.
  // CHECK-LABEL: kernel.func @added(
  // CHECK-SAME:  %y: memref<5xf32> {kernel.zeroed}
  // CHECK-NOT:   kernel.workspace
  // CHECK:       kernel.for %i = 0 to 5 map(block) {
  // CHECK-NEXT:    kernel.for %jt = 0 to 3 map(block) {
  // CHECK-NEXT:      %sum = kernel.local
  // CHECK:           kernel.combine {{ *}}add
  // CHECK:           kernel.for %{{.*}} = 0 to 1 map(thread) {
  // CHECK-NEXT:        %[[SUM:.*]] = kernel.load %sum[]
  // CHECK-NEXT:        kernel.atomic add %[[SUM]], %y[%i] : f32, memref<5xf32>
  // CHECK-NOT:   kernel.last_block
  kernel.func @added(%x: memref<5x300xf32>, %y: memref<5xf32>)
      attributes {group = "added", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    kernel.for %i = 0 to 5 map(block) {
      %sum = kernel.local : memref<f32, #kernel.space<thread>>
      %zero = arith.constant 0.0 : f32
      kernel.store %zero, %sum[] : f32, memref<f32, #kernel.space<thread>>
      kernel.for %jt = 0 to 3 map(block) atomic carries(add %sum : memref<f32, #kernel.space<thread>>) {
        kernel.for %j = 0 to 100 map(thread) carries(add %sum : memref<f32, #kernel.space<thread>>) {
          %0 = kernel.load %x[%i, %jt * 100 + %j] : memref<5x300xf32> -> f32
          %1 = kernel.load %sum[] : memref<f32, #kernel.space<thread>> -> f32
          %2 = arith.addf %1, %0 : f32
          kernel.store %2, %sum[] : f32, memref<f32, #kernel.space<thread>>
        }
      }
      kernel.for %first = 0 to 1 map(thread) {
        %0 = kernel.load %sum[] : memref<f32, #kernel.space<thread>> -> f32
        kernel.store %0, %y[%i] : f32, memref<5xf32>
      }
    }
    kernel.return
  }

  // Blocks that share columns are the outermost loops again, and the parts of
  // neighbouring columns lie side by side.
  // CHECK-LABEL: kernel.func @columns(
  // CHECK-SAME:  workspace_bytes = 1032 : i64, zeroed_bytes = 8 : i64
  // CHECK-DAG:   %tickets = kernel.workspace offset = 1024 : memref<2xi32>
  // CHECK-DAG:   %sum_parts = kernel.workspace offset = 0 : memref<2x4x32xf32>
  // CHECK:       kernel.for %it = 0 to 2 map(block) {
  // CHECK-NEXT:    kernel.for %jt = 0 to 4 map(block) {
  // CHECK-NEXT:      kernel.for %i = 0 to 32 map(column) {
  // CHECK:             kernel.for %j = 0 to 100 map(thread) {
  // CHECK:             kernel.combine {{ *}}add
  // CHECK:             kernel.for %{{.*}} = 0 to 1 map(thread) {
  // CHECK:               kernel.store %{{.*}}, %sum_parts[%it, %jt, %i]
  // CHECK:             kernel.barrier block
  // CHECK-NEXT:        kernel.last_block of 4 %tickets[%it] : memref<2xi32> {
  // CHECK:               kernel.for %[[P:.*]] = 0 to 4 map(thread) {
  // CHECK:                 kernel.load %sum_parts[%it, %[[P]], %i]
  // CHECK:               kernel.combine {{ *}}add
  // CHECK:               kernel.for %{{.*}} = 0 to 1 map(thread) {
  // CHECK:                 kernel.store %{{.*}}, %y[%it * 32 + %i]
  kernel.func @columns(%x: memref<400x64xf32>, %y: memref<64xf32>)
      attributes {group = "columns", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 256 : i64} {
    kernel.for %it = 0 to 2 map(block) {
      kernel.for %i = 0 to 32 map(column) {
        %sum = kernel.local : memref<f32, #kernel.space<thread>>
        %zero = arith.constant 0.0 : f32
        kernel.store %zero, %sum[] : f32, memref<f32, #kernel.space<thread>>
        kernel.for %jt = 0 to 4 map(block) carries(add %sum : memref<f32, #kernel.space<thread>>) {
          kernel.for %j = 0 to 100 map(thread) carries(add %sum : memref<f32, #kernel.space<thread>>) {
            %0 = kernel.load %x[%jt * 100 + %j, %it * 32 + %i] : memref<400x64xf32> -> f32
            %1 = kernel.load %sum[] : memref<f32, #kernel.space<thread>> -> f32
            %2 = arith.addf %1, %0 : f32
            kernel.store %2, %sum[] : f32, memref<f32, #kernel.space<thread>>
          }
        }
        kernel.for %first = 0 to 1 map(thread) {
          %0 = kernel.load %sum[] : memref<f32, #kernel.space<thread>> -> f32
          kernel.store %0, %y[%it * 32 + %i] : f32, memref<64xf32>
        }
      }
    }
    kernel.return
  }

  // What the threads of a column have found lies beside that of its neighbours.
  // CHECK-LABEL: kernel.func @greatest_of_columns(
  // CHECK-DAG:     %most_row = kernel.local : memref<4x16xf32, #kernel.space<shared>>
  // CHECK-DAG:     %at_row = kernel.local : memref<4x16xi64, #kernel.space<shared>>
  // CHECK:         kernel.for %i = 0 to 16 map(column) {
  // CHECK:           kernel.for %[[T:.*]] = 0 to 4 map(thread) {
  // CHECK:             kernel.store %{{.*}}, %most_row[%[[T]], %i]
  // CHECK:           kernel.barrier {{ *}}block
  // CHECK-NEXT:      kernel.for %[[E:.*]] = 0 to 4 {
  // CHECK:             kernel.load %most_row[%[[E]], %i]
  kernel.func @greatest_of_columns(%x: memref<300x16xf32>, %y: memref<16xi64>)
      attributes {group = "greatest_of_columns", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    %least = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0 : i64
    kernel.for %i = 0 to 16 map(column) {
      %most = kernel.local : memref<f32, #kernel.space<thread>>
      %at = kernel.local : memref<i64, #kernel.space<thread>>
      kernel.store %least, %most[] : f32, memref<f32, #kernel.space<thread>>
      kernel.store %zero, %at[] : i64, memref<i64, #kernel.space<thread>>
      kernel.for %j = 0 to 300 map(thread) carries(select %most : memref<f32, #kernel.space<thread>>, select %at : memref<i64, #kernel.space<thread>>) {
        %0 = kernel.load %most[] : memref<f32, #kernel.space<thread>> -> f32
        %1 = kernel.load %at[] : memref<i64, #kernel.space<thread>> -> i64
        %2 = kernel.load %x[%j, %i] : memref<300x16xf32> -> f32
        %3 = kernel.apply affine_map<(d0) -> (d0)>(%j)
        %4 = arith.index_cast %3 : index to i64
        %5 = arith.cmpf ogt, %2, %0 : f32
        %6 = arith.select %5, %2, %0 : f32
        %7 = arith.select %5, %4, %1 : i64
        kernel.store %6, %most[] : f32, memref<f32, #kernel.space<thread>>
        kernel.store %7, %at[] : i64, memref<i64, #kernel.space<thread>>
      }
      kernel.for %first = 0 to 1 map(thread) {
        %0 = kernel.load %at[] : memref<i64, #kernel.space<thread>> -> i64
        kernel.store %0, %y[%i] : i64, memref<16xi64>
      }
    }
    kernel.return
  }
}
