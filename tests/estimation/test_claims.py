"""What FIT calls a minimum is one, and what it does not is none: random problems, judged by their formulas."""

import os

import claimed
import claims
import noisy
import pytest

FIRST, COUNT = 0, int(os.environ.get("PARFIT_CLAIMS", 3 * len(claimed.KINDS)))


@pytest.mark.filterwarnings("ignore")  # of the judge, who looks where there may be no numbers
@pytest.mark.parametrize("seed", range(FIRST, FIRST + COUNT))
def test_claims_are_true_and_refusals_are_right(seed):
    given = claimed.problem(seed)
    p, is_claimed, said = claims.fitted(given)
    if is_claimed:
        assert claims.false_claim(given, p) <= 1.0, said
    else:
        assert not claims.wrong_refusal(given, p), said


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(2 * len(noisy.KINDS)))
def test_claims_are_true_with_noise_models_priors_and_factors(seed):
    """By the likelihood written out; from these starts all of them have a minimum, and it is found."""
    case = noisy.Case(seed)
    p, is_claimed, said = case.fitted()
    assert is_claimed, said
    assert case.fall(p) <= 0.0, said
