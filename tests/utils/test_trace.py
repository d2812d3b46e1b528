"""Tracing of functions: a tree of calls with their times."""

import pytest

from newtonlite import ModelError
from newtonlite.utils import EventTracer, event_scope


def inner():
    return 1


def outer(times):
    return sum(traced(k) for k in range(times))


def traced(k):
    return scoped()


scoped = event_scope(inner, "within")
whole = event_scope(outer)


def test_calls_are_traced_within_each_other():
    with EventTracer() as tracer:
        assert whole(2) == 2 and whole(1) == 1
        trace = tracer.trace()
    assert list(trace) == ["outer"]
    times, within = trace["outer"]
    assert len(times) == 2 and all(t >= 0.0 for t in times)
    assert len(within["within"][0]) == 3 and within["within"][1] == {}
    summed = tracer.add_trace({}, trace)
    assert summed["outer"][0] == sum(times)
    assert tracer.add_trace(summed, trace)["outer"][1]["within"][0] == pytest.approx(2 * sum(within["within"][0]))


def test_nothing_is_traced_without_a_tracer():
    whole(1)
    with EventTracer(enabled=False) as tracer:
        whole(1)
        assert tracer.trace() == {}
    assert whole.__name__ == "outer"


def test_one_tracer_measures_at_a_time():
    with EventTracer():
        with pytest.raises(ModelError, match="another one is measuring"):
            EventTracer()
    with EventTracer() as tracer:
        assert tracer.trace() == {}


def test_a_call_that_fails_is_traced():
    def fails():
        raise ValueError("no")

    with EventTracer() as tracer:
        with pytest.raises(ValueError, match="no"):
            event_scope(fails)()
        assert len(tracer.trace()["fails"][0]) == 1
