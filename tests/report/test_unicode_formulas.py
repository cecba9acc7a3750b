"""Statements as one line of Unicode: read by eye once, and never with a trace of LaTeX."""

import pytest

from pldcheck.report.unicode_formulas import symbols, unicode_formula
from pldcheck.theorems import REGISTRY
from pldcheck.theorems.papers import chains


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        (REGISTRY["thm-3.2-simple"].statement, "ε = 7 p₀ ε₀ √((log(1/δ))/m)"),
        (REGISTRY["gauss-8"].statement, "δ = Φ(-ε/μ + μ/2) - e^ε Φ(-ε/μ - μ/2),  μ = 1/σ"),
        (REGISTRY["basic-1"].statement, "ε = ∑_(j=1)^k εⱼ"),
        (r"\frac1n \le \tfrac{a + b}{2m}", "1/n ≤ (a + b)/(2m)"),
        (r"\frac{\sqrt k}\sigma", "√k/σ"),
        (r"\sqrt{2x}^{i-1}", "√(2x)ⁱ⁻¹"),
        (r"e^{8\epsilon_0} - x^{-t}", "e^(8ε₀) - x^(-t)"),
        (r"\binom\alpha2 \hat x \bar n", "C(α, 2) x\u0302 n\u0304"),
        (r"A \text{ being } B", "A being B"),
        (r"\left\lceil \frac ab \right\rceil", "⌈ a/b ⌉"),
        (r"\unknown x", "unknown x"),
    ],
)
def test_formulas_are_written_in_unicode(statement, text):
    assert unicode_formula(statement) == text


def test_no_latex_is_left():
    statements = [theorem.statement for theorem in REGISTRY.values()]
    statements += [step.statement for chain in chains().values() for step in chain.steps]
    assert len(statements) > 150
    for statement in statements:
        text = unicode_formula(statement)
        assert "\\" not in text and "\n" not in text and "\u2003" not in text
        assert text.count("(") == text.count(")") or statement.count("(") != statement.count(")")


def test_letters_for_likelihood_ratios_are_explained_where_they_are_used():
    assert unicode_formula(symbols(r"\delta = E(x - \kappa)_+")) == "κ = e^ε,  x = e^ε₀"
    assert unicode_formula(symbols(r"\max \kappa")) == "κ = e^ε"
    assert symbols(r"x = \epsilon") == ""
    explained = [theorem.id for theorem in REGISTRY.values() if symbols(theorem.statement)]
    assert explained == ["vr-wang", "krr-merged"]
