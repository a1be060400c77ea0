// RUN: fuse-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics

func.func @operand_types(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{expected 1 operand types, found 2}}
  %0 = fuse.kernel (%a = %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> {
    fuse.yield %a : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @argument_types(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{argument types differ from operand types}}
  %0 = "fuse.kernel"(%x) ({
  ^bb0(%a: tensor<9xf32>):
    %1 = "test.use"(%a) : (tensor<9xf32>) -> tensor<8xf32>
    fuse.yield %1 : tensor<8xf32>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @argument_count(%x: tensor<8xf32>) {
  // expected-error@+1 {{argument types differ from operand types}}
  "fuse.kernel"(%x) ({
    fuse.yield
  }) : (tensor<8xf32>) -> ()
  return
}

// -----

func.func @no_yield(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected to end with 'fuse.yield'}}
  fuse.kernel (%a = %x) : (tensor<8xf32>) -> () {
    "test.terminator"() : () -> ()
  }
  return
}

// -----

func.func @empty(%x: tensor<8xf32>) {
  // expected-error@+1 {{expects a non-empty block}}
  fuse.kernel (%a = %x) : (tensor<8xf32>) -> () {
  }
  return
}

// -----

func.func @no_region() {
  // expected-error@+1 {{requires one region}}
  "fuse.kernel"() : () -> ()
  return
}

// -----

func.func @empty_region() {
  // expected-error@+1 {{region with 1 blocks}}
  "fuse.kernel"() ({
  }) : () -> ()
  return
}

// -----

func.func @yields_other_types(%x: tensor<8xf32>) -> tensor<8xf16> {
  // expected-error@+1 {{yields other types than its results have}}
  %0 = fuse.kernel (%a = %x) : (tensor<8xf32>) -> tensor<8xf16> {
    fuse.yield %a : tensor<8xf32>
  }
  return %0 : tensor<8xf16>
}

// -----

func.func @nested(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fuse.kernel (%a = %x) : (tensor<8xf32>) -> tensor<8xf32> {
    // expected-error@+1 {{cannot be a member of a kernel}}
    %1 = fuse.kernel (%b = %a) : (tensor<8xf32>) -> tensor<8xf32> {
      fuse.yield %b : tensor<8xf32>
    }
    fuse.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @host_member(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fuse.kernel (%a = %x) : (tensor<8xf32>) -> tensor<8xf32> {
    // expected-error@+1 {{runs on the host and cannot be a member of a kernel}}
    %1 = fuse.host_call @g(%a) : (tensor<8xf32>) -> tensor<8xf32>
    fuse.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @not_isolated(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-note@+1 {{required by region isolation constraints}}
  %0 = fuse.kernel () : () -> tensor<8xf32> {
    // expected-error@+1 {{using value defined outside the region}}
    %1 = fuse.unary relu %x : tensor<8xf32>
    fuse.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @yield_elsewhere(%x: tensor<8xf32>) {
  // expected-error@+1 {{expects parent op to be one of 'fuse.kernel, fuse.scan'}}
  fuse.yield %x : tensor<8xf32>
}

// -----

func.func @launch_of_nothing(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'missing' names no kernel module}}
  %0 = fuse.launch @missing outs(%x : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @launch_of_a_function(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'launch_of_a_function' names no kernel module}}
  %0 = fuse.launch @launch_of_a_function outs(%x : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

module @k {}
func.func @launch_results(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected one result for each tensor in outs, of its type}}
  fuse.launch @k outs(%x : tensor<8xf32>)
  return
}

// -----

func.func @launch_host_results(%x: tensor<8xf32>) -> tensor<9xf32> {
  // expected-error@+1 {{expected one result for each tensor in outs, of its type}}
  %0 = fuse.launch_host "g" [] outs(%x : tensor<8xf32>) -> tensor<9xf32>
  return %0 : tensor<9xf32>
}
