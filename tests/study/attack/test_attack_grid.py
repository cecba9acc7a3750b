"""A grid of attacks and its figure."""

import json

from pldcheck.study.attack import attack_figure, attack_grid


def test_a_small_grid_agrees_and_is_drawn():
    calls = []
    found = attack_grid.agreement(
        steps=(20, 200),
        eps0=(0.5, 2.0),
        deltas=(1e-3, 1e-8),
        transcripts=5_000,
        progress=lambda done, of: calls.append(done),
    )
    assert calls == list(range(1, 9))
    assert all(row.agrees and row.verdict == "below the certificate" for row in found.rows)
    assert all(0.9 * row.certified_lower < row.epsilon_lower <= row.certified_upper for row in found.rows)
    told = found.to_dict()
    assert told["empirical"] is True and len(told["rows"]) == 8 and json.loads(json.dumps(told)) == told
    assert attack_grid.Agreement.from_dict(told) == found
    files = attack_figure.render(found)
    assert set(files) == {"attack.svg", "attack.png"}
    assert b"empirical" in files["attack.svg"] and files == attack_figure.render(found)
