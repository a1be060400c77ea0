// RUN: fuse-opt %s --split-input-file --verify-diagnostics

func.func @nothing(%x: f32) -> f32 {
  // expected-error@+1 {{attribute 'fuse.short_result' belongs on an op of f32}}
  return {fuse.short_result} %x : f32
}

// -----

func.func @half(%x: f16) -> f16 {
  // expected-error@+1 {{attribute 'fuse.short_result' belongs on an op of f32}}
  %0 = math.exp %x {fuse.short_result} : f16
  return %0 : f16
}

// -----

func.func @number(%x: f32) -> f32 {
  // expected-error@+1 {{attribute 'fuse.short_result' expects a unit attribute, found 8 : i64}}
  %0 = math.exp %x {fuse.short_result = 8} : f32
  return %0 : f32
}
