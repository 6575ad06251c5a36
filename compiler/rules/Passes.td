// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_COMPILER_RULES_PASSES
#define FUSEC_COMPILER_RULES_PASSES

include "mlir/Pass/PassBase.td"

def ApplyRules : Pass<"fuse-apply-rules", "::mlir::ModuleOp"> {
  let summary = "Apply the rules of libraries of users";
  let description = [{
    Contract: what the rules say; each network that one leaves is valid, has the types
    that it had, and each effect that one reports is the one that it had.

    Loads `libraries` (`fusec/rule_abi.h`) and tries their rules, in their order, on each
    operation, again until none applies. The network is as it was imported: composites
    are not expanded, and what the model writes as one operation is one. Rules above
    `level` and those in `disabled` are left out.

    What an application made and what reads something else after it is verified at once.
    A rule that leaves something invalid, reports another effect than it had, throws, or
    is applied more often than `max-applications` is named in a warning; then the pass
    begins again with the network as it was, without this rule.

    ```mlir
    %0 = fuse.softmax %x {axis = 1 : i64} : tensor<4x8xf32>
    %1 = fuse.arg_max %0 {axis = 1 : i64} : tensor<4x8xf32> -> tensor<4x1xi64>
    // becomes, by a rule that knows that a softmax keeps the order of its row
    %1 = fuse.arg_max %x {axis = 1 : i64} : tensor<4x8xf32> -> tensor<4x1xi64>
    ```
  }];
  let dependentDialects = ["::fusec::fuse::FuseDialect"];
  let options = [
    ListOption<"libraries", "libraries", "std::string", "The libraries of rules">,
    ListOption<"disabled", "disabled", "std::string", "The rules and pieces that are not applied">,
    Option<"level", "level", "unsigned", "3", "The highest level of the rules to apply">,
    Option<"remarks", "remarks", "bool", "false", "Report how often rules applied, and where not, with the reasons that they give">,
    Option<"maxApplications", "max-applications", "int64_t", "0", "A rule that is applied more often does not come to rest; 0: so many as the size of the network never needs">,
  ];
}

#endif // FUSEC_COMPILER_RULES_PASSES
