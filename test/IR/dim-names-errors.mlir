// RUN: fuse-opt %s --split-input-file --verify-diagnostics

func.func @good(%x: tensor<?x4xf32> {fuse.dim_names = ["batch", ""]}) {
  return
}

// -----

// expected-error @+1 {{attribute 'fuse.dim_names' of argument 0 expects one name for each of 2 dimensions, found 1}}
func.func @count(%x: tensor<?x4xf32> {fuse.dim_names = ["batch"]}) {
  return
}

// -----

// expected-error @+1 {{attribute 'fuse.dim_names' of argument 0 expects an array of strings, found 3 : i64}}
func.func @kind(%x: tensor<?x4xf32> {fuse.dim_names = 3}) {
  return
}

// -----

// expected-error @+1 {{attribute 'fuse.dim_names' belongs on an argument that has a shape}}
func.func @scalar(%x: f32 {fuse.dim_names = []}) {
  return
}

// -----

// expected-error @+1 {{attribute 'fuse.dim_names' belongs on an argument of a function}}
func.func @place() attributes {fuse.dim_names = ["batch"]} {
  return
}
