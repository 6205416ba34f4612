"""Detection of similar predictions of two teams."""

from submissions.services.releasing import alike


def test_predictions_look_alike_by_equal_values_of_enough_cases():
    first = {f"case_{n}": str(n) for n in range(10)}
    assert alike(first, {**first, "case_3": "x"}) == 0.9
    assert alike(first, dict(list(first.items())[:4])) is None
