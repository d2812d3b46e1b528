// Array access of kernels: Warp's without indices counted from the end, and with elements of the last dimension side by
// side, as they are in views (fused_kernel.py). Overloads of Warp's templates. One-dimensional arrays keep their
// stride: it is 0 for a number that all worlds share.
namespace wp {

template <typename T>
CUDA_CALLABLE inline T* place(T* from, const array_t<T>& a, int dim, int i) {
    return reinterpret_cast<T*>(reinterpret_cast<char*>(from) + (long long)i * a.strides[dim]);
}

template <typename T>
CUDA_CALLABLE inline T* address(const array_t<T>& a, int i) {
    return place(a.data, a, 0, i);
}

template <typename T>
CUDA_CALLABLE inline T* address(const array_t<T>& a, int i, int j) {
    return place(a.data, a, 0, i) + j;
}

template <typename T>
CUDA_CALLABLE inline T* address(const array_t<T>& a, int i, int j, int k) {
    return place(place(a.data, a, 0, i), a, 1, j) + k;
}

template <typename T>
CUDA_CALLABLE inline T* address(const array_t<T>& a, int i, int j, int k, int l) {
    return place(place(place(a.data, a, 0, i), a, 1, j), a, 2, k) + l;
}

template <typename T>
CUDA_CALLABLE inline void array_store(const array_t<T>& a, int i, T value) {
    *address(a, i) = value;
}

template <typename T>
CUDA_CALLABLE inline void array_store(const array_t<T>& a, int i, int j, T value) {
    *address(a, i, j) = value;
}

template <typename T>
CUDA_CALLABLE inline void array_store(const array_t<T>& a, int i, int j, int k, T value) {
    *address(a, i, j, k) = value;
}

template <typename T>
CUDA_CALLABLE inline void array_store(const array_t<T>& a, int i, int j, int k, int l, T value) {
    *address(a, i, j, k, l) = value;
}

}  // namespace wp
