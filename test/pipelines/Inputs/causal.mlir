// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A causal attention of 96 queries over 96 keys.
#q = affine_map<(h, m, n, k) -> (h, m, k)>
#k = affine_map<(h, m, n, k) -> (h, n, k)>
#v = affine_map<(h, m, n, k) -> (h, k, n)>
#y = affine_map<(h, m, n, k) -> (h, m, n)>
func.func @causal(%q: tensor<4x96x32xf32>, %k: tensor<4x96x32xf32>, %v: tensor<4x96x32xf32>) -> tensor<4x96x32xf32> {
  %scores = fuse.contract %q, %k maps = [#q, #k, #y] : tensor<4x96x32xf32>, tensor<4x96x32xf32> -> tensor<4x96x96xf32>
  %key = fuse.iota axis = 2 : tensor<4x96x96xi32>
  %query = fuse.iota axis = 1 : tensor<4x96x96xi32>
  %sees = fuse.cmp le %key, %query : tensor<4x96x96xi32>, tensor<4x96x96xi32> -> tensor<4x96x96xi1>
  %lowest = fuse.constant dense<0xFF800000> : tensor<f32>
  %hidden = fuse.broadcast %lowest dims = [] : tensor<f32> -> tensor<4x96x96xf32>
  %masked = fuse.select %sees, %scores, %hidden : tensor<4x96x96xi1>, tensor<4x96x96xf32>, tensor<4x96x96xf32> -> tensor<4x96x96xf32>
  %weights = fuse.softmax %masked {axis = 2 : i64} : tensor<4x96x96xf32>
  %y = fuse.contract %weights, %v maps = [#q, #v, #y] : tensor<4x96x96xf32>, tensor<4x96x32xf32> -> tensor<4x96x32xf32>
  return %y : tensor<4x96x32xf32>
}
