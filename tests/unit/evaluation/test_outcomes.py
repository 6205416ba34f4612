import pickle

import pytest

from evaluation.outcomes import Flag, Outcome, Result, ok, undefined


def test_result_unpacks_into_value_and_outcome():
    value, outcome = ok(0.25)
    assert (value, outcome) == (0.25, Outcome.OK)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_a_defined_value_is_finite(value):
    with pytest.raises(ValueError, match="finite"):
        ok(value)


def test_an_undefined_value_names_its_reason():
    assert undefined(Outcome.PRED_EMPTY) == (None, Outcome.PRED_EMPTY)
    with pytest.raises(ValueError, match="other than ok"):
        undefined(Outcome.OK)


def test_flag_survives_the_way_to_another_process():
    result = pickle.loads(pickle.dumps(undefined(Outcome.DEGENERATE, Flag.UNBOUNDED)))
    assert isinstance(result, Result)
    assert result.flag is Flag.UNBOUNDED
