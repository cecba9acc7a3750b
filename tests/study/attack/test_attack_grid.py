"""A grid of attacks and its figure."""

import json

import pytest

from pldcheck.study.attack import attack_figure, attack_grid


@pytest.mark.nightly
def test_a_small_grid_agrees_and_is_drawn():
    calls = []
    agreement = attack_grid.agreement(
        steps=(20, 200),
        eps0=(0.5, 2.0),
        deltas=(1e-3, 1e-8),
        transcripts=5_000,
        progress=lambda count, total: calls.append(count),
    )
    assert calls == list(range(1, 9))
    assert all(row.agrees and row.verdict == "below the certificate" for row in agreement.rows)
    assert all(0.9 * row.certified_lower < row.epsilon_lower <= row.certified_upper for row in agreement.rows)
    facts = agreement.to_dict()
    assert facts["empirical"] is True and len(facts["rows"]) == 8 and json.loads(json.dumps(facts)) == facts
    assert attack_grid.Agreement.from_dict(facts) == agreement
    files = attack_figure.render(agreement)
    assert set(files) == {"attack.svg", "attack.png"}
    assert b"empirical" in files["attack.svg"] and files == attack_figure.render(agreement)
