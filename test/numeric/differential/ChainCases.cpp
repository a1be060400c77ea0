#include "Case.h"
void mlir::fuse::differential::addChainCases(std::vector<Case> &cases, uint64_t seed) {}
