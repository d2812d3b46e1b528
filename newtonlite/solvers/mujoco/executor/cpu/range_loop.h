// Ranges of for loops on the CPU, in place of Warp's `range_t`: copied member by member, so that a compiler sees an integer
// that counts. Copies of Warp's pack its members into 64-bit words, which keeps loops from being vectorized.
namespace wp {

struct counter_t {
    int i, end, step;
    inline counter_t(int i = 0, int end = 0, int step = 1) : i(i), end(end), step(step) {}
    inline counter_t(const counter_t& from) : i(from.i), end(from.end), step(from.step) {}
    inline counter_t& operator=(const counter_t& from) {
        i = from.i;
        end = from.end;
        step = from.step;
        return *this;
    }
};

inline counter_t count_range(int end) {
    return counter_t(0, end, 1);
}

inline counter_t count_range(int start, int end, int step = 1) {
    return counter_t(start, end, step);
}

inline bool iter_cmp(const counter_t& r) {
    return r.step > 0 ? r.i < r.end : r.step < 0 && r.i > r.end;
}

inline int iter_next(counter_t& r) {
    const int i = r.i;
    r.i += r.step;
    return i;
}

}  // namespace wp

#define range_t counter_t
#define range count_range
