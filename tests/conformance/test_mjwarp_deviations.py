"""The page of MuJoCo Warp's tests that do not pass: every one has a reason, and only those."""

from conformance.mjwarp_deviations import page, unaccounted

REASONS = {
    "deviation": [{"reason": "other words", "tests": ["a_test.A.one", "a_test.A.two"]}],
    "apart": [{"reason": "flexes", "tests": ["b_test.B.cloth"]}],
}
OUTCOMES = {"a_test.A.one": "failed", "a_test.A.two": "errored", "b_test.B.cloth": "errored", "b_test.B.rope": "passed"}


def test_results_that_agree_with_reasons_make_a_page():
    assert unaccounted(OUTCOMES, REASONS) == []
    text = page(OUTCOMES, REASONS)
    assert "1 of 3 pass, 33.3 %; 1 are apart." in text and "- `a_test.A.two`" in text and "| a_test | 0 | 2 |" in text


def test_what_does_not_agree_is_named():
    others = {**OUTCOMES, "a_test.A.one": "passed", "c_test.C.new": "failed"}
    del others["b_test.B.cloth"]
    assert unaccounted(others, REASONS) == [
        "passes: a_test.A.one",
        "no reason: c_test.C.new",
        "not run: b_test.B.cloth",
    ]
