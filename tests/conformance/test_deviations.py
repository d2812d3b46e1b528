"""Pages of a peer's tests that do not pass: every one has a reason, and only those."""

from conformance.deviations import Page, Result, by_pattern
from conformance.mjwarp_deviations import page

RESULTS = [
    Result("a_test.A.one", "failed", "ValueError: other words"),
    Result("a_test.A.two", "errored", "no rope"),
    Result("b_test.B.cloth", "errored", "no cloth"),
    Result("b_test.B.rope", "passed"),
    Result("b_test.B.slow", "skipped"),
]
REASONS = {
    "deviation": [{"reason": "other words", "tests": ["a_test.A.one", "a_test.A.two"]}],
    "apart": [{"reason": "flexes", "tests": ["b_test.B.cloth"]}],
}


def test_results_that_agree_with_reasons_make_a_page():
    made = page(REASONS)
    assert made.wrong(RESULTS) == []
    text = made.text(made.rows(RESULTS))
    assert "1 of 3 pass, 33.3 %; 1 are apart." in text and "| a_test | 0 | 2 |" in text
    assert text.index("| other words | 2 |") < text.index("| apart: flexes | 1 |")


def test_what_does_not_agree_is_named():
    others = [Result("a_test.A.one", "passed"), *RESULTS[1:2], *RESULTS[3:], Result("c_test.C.new", "failed", "new")]
    assert page(REASONS).wrong(others) == [
        "no reason: c_test.C.new: new",
        "passes: a_test.A.one",
        "not run: b_test.B.cloth",
    ]


def test_the_first_pattern_that_fits_test_or_message_gives_the_reason(tmp_path):
    rows = (("words", r"A\.one|two"), ("all of A", r"A\."), ("cloth", "no cloth"))
    made = Page(tmp_path / "page.md", "Title", (), by_pattern(rows))
    assert [made.reason_of(result) for result in RESULTS[:4]] == ["words", "words", "cloth", ""]
