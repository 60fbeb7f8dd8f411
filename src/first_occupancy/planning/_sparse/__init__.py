"""Value iteration in noisy mazes without any S x S array, for the lab."""
