"""utils/check_layers.py must see each kind of use against the layers, and nothing else."""
import unittest

from trees import check_tree  # also finds the folder utils
import check_layers  # noqa: E402


class CheckLayers(unittest.TestCase):
    def check(self, files):
        return check_tree(check_layers.check, files)

    def test_permitted_uses(self):
        self.assertEqual([], self.check({
            "lib/IR/A.cpp": '#include "fuse/Support/OpKinds.h"\n#include "mlir/IR/Value.h"\n',
            "lib/Schedule/A.cpp": '#include "fuse/Support/OpKinds.h"\n',
            "lib/Support/CMakeLists.txt": "fuse_add_library(FuseSupport A.cpp)\n",
            "lib/IR/CMakeLists.txt": "fuse_add_library(FuseIR A.cpp DEPENDS FuseIncGen LINK FuseSupport)\n",
            "lib/Pipelines/A.cpp": '#include "fuse/Codegen/Passes.h"\n',
            "tools/t/t.cpp": '#include "fuse/Execution/Program.h"\n'}))

    def test_include_upwards(self):
        found = self.check({"include/fuse/IR/A.h": '\n#include "fuse/Analysis/Domain.h"\n'})
        self.assertEqual(1, len(found))
        self.assertIn("include/fuse/IR/A.h:2: IR may not use Analysis", found[0])

    def test_include_sideways(self):
        found = self.check({"lib/Codegen/A.cpp": '#include "fuse/Transforms/Plan.h"\n'})
        self.assertIn("Codegen may not use Transforms", found[0])

    def test_tablegen_include(self):
        found = self.check({"include/fuse/Support/A.td": 'include "fuse/IR/FuseOps.td"\n'})
        self.assertIn("Support may not use IR", found[0])

    def test_link_list(self):
        found = self.check({
            "lib/Interpreter/CMakeLists.txt": "fuse_add_library(FuseEvaluator A.cpp)\n",
            "lib/Support/CMakeLists.txt": "fuse_add_library(FuseSupport A.cpp)\n",
            "lib/IR/CMakeLists.txt":
            "# first line\nfuse_add_library(FuseIR\n  A.cpp\n  LINK FuseSupport FuseEvaluator)\n"})
        self.assertEqual(1, len(found))
        self.assertIn("lib/IR/CMakeLists.txt:2: IR may not use Interpreter", found[0])

    def test_target_link_libraries(self):
        found = self.check({
            "lib/IR/CMakeLists.txt": "fuse_add_library(FuseIR A.cpp)\n",
            "lib/Support/CMakeLists.txt": "target_link_libraries(FuseSupport PUBLIC Fuse::FuseIR)\n"})
        self.assertIn("Support may not use IR", found[0])

    def test_unknown_library(self):
        found = self.check({"lib/IR/CMakeLists.txt": "fuse_add_library(FuseIR A.cpp LINK FuseX)\n"})
        self.assertIn("no folder of lib defines FuseX", found[0])

    def test_the_runtime_stands_alone(self):
        found = self.check({"lib/Runtime/A.cpp": '#include "llvm/ADT/ArrayRef.h"\n',
                            "lib/Runtime/CMakeLists.txt": "fuse_add_library(FuseRuntime A.cpp)\n"})
        self.assertEqual(2, len(found))

    def test_private_headers(self):
        found = self.check({"lib/Codegen/Cpu/A.h": "\n", "lib/IR/A.h": "\n",
                            "lib/Codegen/Gpu/A.cpp": '#include "../Cpu/A.h"\n#include "../../IR/A.h"\n'})
        self.assertEqual(1, len(found))
        self.assertIn("lib/Codegen/Gpu/A.cpp:2: ../../IR/A.h is not of Codegen", found[0])

    def test_unknown_layer(self):
        found = self.check({"lib/Misc/A.cpp": "\n", "lib/IR/A.cpp": '#include "fuse/Misc/A.h"\n'})
        self.assertEqual(2, len(found))


if __name__ == "__main__":
    unittest.main()
