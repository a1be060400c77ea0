"""The packaged mlir-opt runs our passes from the plugin, which holds no second copy of MLIR.

usage: plugin_test.py MLIR_OPT PLUGIN
"""
import re
import subprocess
import sys

CHAIN = """
func.func @chain(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = fuse.unary relu %x : tensor<1024xf32>
  %1 = fuse.unary sigmoid %0 : tensor<1024xf32>
  %2 = fuse.unary exp %1 : tensor<1024xf32>
  return %2 : tensor<1024xf32>
}
"""
PIPELINE = "--pass-pipeline=builtin.module(fuse-elementwise-chains)"


def main(mlir_opt, plugin):
    load = [f"--load-dialect-plugin={plugin}", f"--load-pass-plugin={plugin}"]
    done = subprocess.run([mlir_opt, *load, PIPELINE], input=CHAIN, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0 or done.stdout.count("fuse.kernel") != 1:
        sys.exit(f"expected one kernel, found (status {done.returncode}):\n{done.stdout}")
    # Without the plugin the same call must fail: else this test shows nothing.
    if subprocess.run([mlir_opt, PIPELINE], input=CHAIN, text=True, stdout=subprocess.DEVNULL,
                      stderr=subprocess.DEVNULL).returncode == 0:
        sys.exit("mlir-opt knows the pass without the plugin")
    # MLIR's own functions come from libMLIR.so, none from the plugin.
    symbols = subprocess.run(["nm", "-D", "--defined-only", "-C", plugin], check=True, text=True,
                             stdout=subprocess.PIPE).stdout
    if copies := re.findall(r" T (mlir::(?:MLIRContext|Operation|PassManager)::\w+\(.*)", symbols):
        sys.exit(f"the plugin holds a copy of MLIR: {copies[:3]}")


if __name__ == "__main__":
    main(*sys.argv[1:])
