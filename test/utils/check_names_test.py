"""utils/check_names.py must see names that several files of a folder have, and nothing else."""
import unittest

from trees import check_tree  # also finds the folder utils
import check_names  # noqa: E402


class CheckNames(unittest.TestCase):
    def check(self, files):
        return check_tree(check_names.check, files)

    def check_two(self, first, second):
        return self.check({"lib/IR/A.cpp": first, "lib/IR/B.cpp": second})

    def test_names_that_differ(self):
        self.assertEqual([], self.check_two(
            "namespace {\nstruct A {\n  int get();\n};\nint use(A a);\n} // namespace\n",
            "struct A;\nstatic int get(int x = 0) {\n  return x;\n}\nint use(A a) {\n  int x = 1;\n}\n"))

    def test_other_folder(self):
        text = "static constexpr int kA = 1;\n"
        self.assertEqual([], self.check({"lib/IR/A.cpp": text, "lib/Support/A.cpp": text}))

    def test_constants(self):
        found = self.check_two("static constexpr int kA = 1, kB[] = {2};\n", "namespace {\nconstexpr int kB = 2;\n}\n")
        self.assertEqual(["lib/IR: kB is a local name of A.cpp:1, B.cpp:2"], found)

    def test_types_and_functions(self):
        text = "namespace {\nclass A {\n};\n} // namespace\n\nstatic int get(A &a, int b) {\n}\n"
        self.assertEqual(2, len(self.check_two(text, text)))

    def test_members_are_no_local_names(self):
        text = "const int *{0}::get() const {{\n}}\nconst char *mlir::fuse::{0}() {{\n}}\n"
        self.assertEqual([], self.check_two(text.format("A"), text.format("B")))


if __name__ == "__main__":
    unittest.main()
