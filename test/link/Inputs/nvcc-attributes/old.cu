__global__ void __cluster_dims__(2) old() {}
