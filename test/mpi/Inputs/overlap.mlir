// Each collective, and a product beside it that needs nothing of it. To the planner the two ranks are on two machines.
#rows = #fuse.sharding<grid = [2], dims = [[0], []]>
module attributes {fuse.target = #fuse.target<"cpu", cpu, {ranks_per_node = 1.0, network_bw = 1.0e+03, network_alpha_ns = 1.0e+03}>} {
  func.func @main(%x: tensor<64x64xf32> {fuse.name = "x", fuse.sharding = #rows}, %s: tensor<64x64xbf16> {fuse.name = "s", fuse.sharding = #rows})
      -> (tensor<64x64xf32> {fuse.name = "sum", fuse.sharding = #rows}, tensor<64x64xbf16> {fuse.name = "short", fuse.sharding = #rows},
          tensor<64x64xf32> {fuse.name = "parts", fuse.sharding = #rows}, tensor<64x64xf32> {fuse.name = "turned", fuse.sharding = #rows},
          tensor<64x64xf32> {fuse.name = "given", fuse.sharding = #rows}, tensor<64x64xf32> {fuse.name = "product", fuse.sharding = #rows}) {
    %a = fuse.all_reduce sum %x in <grid = [2], axes = [0]> : tensor<64x64xf32>
    %a1 = fuse.unary tanh %a : tensor<64x64xf32>
    %b = fuse.all_reduce sum %s in <grid = [2], axes = [0]> : tensor<64x64xbf16>
    %b1 = fuse.unary tanh %b : tensor<64x64xbf16>
    %c = fuse.reduce_scatter sum %x dimension = 1 in <grid = [2], axes = [0]> : tensor<64x64xf32> -> tensor<64x32xf32>
    %c1 = fuse.unary tanh %c : tensor<64x32xf32>
    %d = fuse.all_gather %c1 dimension = 1 in <grid = [2], axes = [0]> : tensor<64x32xf32> -> tensor<64x64xf32>
    %d1 = fuse.unary tanh %d : tensor<64x64xf32>
    %e = fuse.all_to_all %x split = 1 concat = 0 in <grid = [2], axes = [0]> : tensor<64x64xf32> -> tensor<128x32xf32>
    %e1 = fuse.unary tanh %e : tensor<128x32xf32>
    %f = fuse.all_to_all %e1 split = 0 concat = 1 in <grid = [2], axes = [0]> : tensor<128x32xf32> -> tensor<64x64xf32>
    %g = fuse.broadcast_from %x root = 1 in <grid = [2], axes = [0]> : tensor<64x64xf32>
    %g1 = fuse.unary tanh %g : tensor<64x64xf32>
    %p = fuse.matmul %x, %x : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %q = fuse.matmul %p, %x : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %r = fuse.softmax %q dimension = 1 : tensor<64x64xf32>
    return %a1, %b1, %d1, %f, %g1, %r : tensor<64x64xf32>, tensor<64x64xbf16>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
  }
}
