// RUN: fuse-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{unknown figure 'clock_ghz' of target 'metal'}}
module attributes {fuse.target = #fuse.target<"metal", gpu, {clock_ghz = 1.0}>} {}

// -----

// expected-error@+1 {{figure 'memory_bw' of target 'metal' expects an f64, found 200 : i64}}
module attributes {fuse.target = #fuse.target<"metal", gpu, {memory_bw = 200}>} {}

// -----

// expected-error@+1 {{figure 'memory_bw' of target 'metal' expects a finite number that is not negative, found -1.0}}
module attributes {fuse.target = #fuse.target<"metal", gpu, {memory_bw = -1.0}>} {}

// -----

// expected-error@+1 {{figure 'memory_bw' of target 'metal' expects a finite number that is not negative}}
module attributes {fuse.target = #fuse.target<"metal", gpu, {memory_bw = 0x7FF8000000000000 : f64}>} {}

// -----

// expected-error@+1 {{a target needs a name}}
module attributes {fuse.target = #fuse.target<"", cpu, {}>} {}

// -----

// expected-error@+2 {{expected ::mlir::fuse::TargetKind to be one of: cpu, gpu}}
// expected-error@+1 {{failed to parse Fuse_TargetAttr parameter 'kind'}}
module attributes {fuse.target = #fuse.target<"metal", tpu, {}>} {}

// -----

// expected-error@+1 {{attribute 'fuse.target' expects #fuse.target, found "metal"}}
module attributes {fuse.target = "metal"} {}

// -----

// expected-error@+1 {{attribute 'fuse.target' belongs on a module}}
func.func @target_on_function() attributes {fuse.target = #fuse.target<"metal", gpu, {}>} {
  return
}

// -----

// expected-error@+1 {{figure 'l2_bytes' of target 't' expects at most 1e18}}
#t = #fuse.target<"t", cpu, {l2_bytes = 1.0e300}>

// -----

// expected-error@+1 {{figure 'unified' of target 't' expects 0 or 1}}
#t = #fuse.target<"t", cpu, {unified = 2.0}>

// -----

// expected-error@+1 {{figure 'max_threads' of target 'half' expects a whole number, found 2.500000e+00 : f64}}
module attributes {fuse.target = #fuse.target<"half", cpu, {max_threads = 2.5}>} {}
