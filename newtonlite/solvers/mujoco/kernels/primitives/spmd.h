// Numbers of a gang of 16 worlds, one per SIMD lane, in place of `float32` in generated code (gang.py): single program,
// multiple data. A condition holds a truth for every world; code below it runs where any world's is true, and Warp's
// where() keeps the results of those.
namespace wp {

typedef float uniform;  // one number for all worlds
typedef float Lanes __attribute__((vector_size(64)));
typedef int LaneInts __attribute__((vector_size(64)));

struct varying_bool {
    LaneInts m;  // all bits or none
    varying_bool() = default;
    CUDA_CALLABLE inline varying_bool(LaneInts m) : m(m) {}
    CUDA_CALLABLE inline varying_bool(bool all) : m(LaneInts{} - (int)all) {}
    CUDA_CALLABLE inline explicit operator bool() const { return __builtin_reduce_or(m) != 0; }
    friend inline varying_bool operator!(varying_bool a) { return ~a.m; }
    friend inline varying_bool operator&&(varying_bool a, varying_bool b) { return a.m & b.m; }
    friend inline varying_bool operator||(varying_bool a, varying_bool b) { return a.m | b.m; }
    friend inline varying_bool operator&&(varying_bool a, bool b) { return a && varying_bool(b); }
    friend inline varying_bool operator&&(bool a, varying_bool b) { return varying_bool(a) && b; }
    friend inline varying_bool operator||(varying_bool a, bool b) { return a || varying_bool(b); }
    friend inline varying_bool operator||(bool a, varying_bool b) { return varying_bool(a) || b; }
};
inline varying_bool unot(varying_bool b) {
    return !b;
}

struct varying {
    Lanes v;
    varying() = default;
    inline varying(Lanes v) : v(v) {}
    inline varying(float all) : v(Lanes{} + all) {}
    inline varying(double all) : varying((float)all) {}
    inline varying(int all) : varying((float)all) {}
    inline varying& operator+=(varying o) { return *this = v + o.v; }
    inline varying& operator-=(varying o) { return *this = v - o.v; }
    inline varying& operator*=(varying o) { return *this = v * o.v; }
    friend inline varying operator+(varying a, varying b) { return a.v + b.v; }
    friend inline varying operator-(varying a, varying b) { return a.v - b.v; }
    friend inline varying operator*(varying a, varying b) { return a.v * b.v; }
    friend inline varying operator/(varying a, varying b) { return a.v / b.v; }
    friend inline varying operator-(varying a) { return -a.v; }
    friend inline varying_bool operator<(varying a, varying b) { return (LaneInts)(a.v < b.v); }
    friend inline varying_bool operator>(varying a, varying b) { return (LaneInts)(a.v > b.v); }
    friend inline varying_bool operator<=(varying a, varying b) { return (LaneInts)(a.v <= b.v); }
    friend inline varying_bool operator>=(varying a, varying b) { return (LaneInts)(a.v >= b.v); }
    friend inline varying_bool operator==(varying a, varying b) { return (LaneInts)(a.v == b.v); }
    friend inline varying_bool operator!=(varying a, varying b) { return (LaneInts)(a.v != b.v); }
};

inline varying where(const varying_bool& c, const varying& a, const varying& b) {
    return (Lanes)(((LaneInts)a.v & c.m) | ((LaneInts)b.v & ~c.m));
}
template <unsigned N>
inline vec_t<N, varying> where(const varying_bool& c, const vec_t<N, varying>& a, const vec_t<N, varying>& b) {
    vec_t<N, varying> chosen;
    for (unsigned i = 0; i < N; i++) chosen.c[i] = where(c, a.c[i], b.c[i]);
    return chosen;
}
inline varying mul(varying a, varying b) {
    return a * b;
}
inline varying add(varying a, varying b) {
    return a + b;
}
inline varying sub(varying a, varying b) {
    return a - b;
}
inline varying div(varying a, varying b) {
    return a / b;
}
inline varying neg(varying a) {
    return 0.0f - a.v;  // 0 for 0, as Warp's
}
inline varying min(varying a, varying b) {  // the one that is a number, as Warp's
    return where(a <= b, a, where(b == b, b, a));
}
inline varying max(varying a, varying b) {
    return where(a >= b, a, where(b == b, b, a));
}
inline varying clamp(varying x, varying a, varying b) {
    return min(max(a, x), b);
}
inline varying abs(varying a) {
    return __builtin_elementwise_abs(a.v);
}
inline varying atan2(varying y, varying x) {
    for (int i = 0; i < 16; i++) y.v[i] = wp::atan2((uniform)y.v[i], (uniform)x.v[i]);
    return y;
}
inline varying sqrt(varying a) {
    return __builtin_elementwise_sqrt(a.v);
}
template <>
inline varying muladd(varying a, varying b, varying c) {
    return __builtin_elementwise_fma(a.v, b.v, c.v);
}
inline varying cast_float(varying a) {
    return a;
}

}  // namespace wp

inline wp::varying sqrtf(wp::varying a) {
    return wp::sqrt(a);
}
inline wp::varying fabsf(wp::varying a) {
    return __builtin_elementwise_abs(a.v);
}
inline wp::varying fmaf(wp::varying a, wp::varying b, wp::varying c) {
    return __builtin_elementwise_fma(a.v, b.v, c.v);
}

#define SPMD 1
#define float32 varying
#define bool wp::varying_bool
