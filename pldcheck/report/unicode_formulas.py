"""Statements of theorems, which are LaTeX, as one line of Unicode mathematics for a terminal.

Fractions become quotients, indices and powers become small letters where Unicode has all of them, and else stand
behind ``_`` and ``^``.  A command without an entry keeps its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\s+|.", re.S)
# The space between two statements, while a formula is put together.
WIDE = "\u2003"
# Commands that stand for one sign, or for a word.
SIGNS = {
    **{"alpha": "α", "beta": "β", "delta": "δ", "epsilon": "ε", "kappa": "κ", "lambda": "λ", "mu": "μ", "omega": "ω"},
    **{"pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "theta": "θ", "Gamma": "Γ", "Phi": "Φ", "ell": "ℓ"},
    **{"ge": " ≥ ", "le": " ≤ ", "ne": " ≠ ", "sim": " ~ ", "mid": " | ", "pm": "±", "mp": "∓", "circ": "∘"},
    **{"approx": " ≈ ", "in": " ∈ ", "subseteq": " ⊆ ", "cdot": "·", "sum": "∑", "prod": "∏", "int": "∫"},
    **{"lceil": "⌈", "rceil": "⌉", "lfloor": "⌊", "rfloor": "⌋", "dots": "…", "quad": WIDE},
    **{"left": "", "right": "", "mathbb": "", "mathcal": "", "mathrm": "", "text": "", "big": "", "Big": ""},
    **{"|": "‖", "{": "{", "}": "}", ",": "", " ": " ", "#": "#"},
}
# Accents, which follow the letter they stand above.
ACCENTS = {"bar": "\u0304", "hat": "\u0302", "tilde": "\u0303"}
SUPERSCRIPTS = dict(zip("0123456789+-()in'*", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁱⁿ′*", strict=True))
SUBSCRIPTS = dict(zip("0123456789+-()aeijklmnprx", "₀₁₂₃₄₅₆₇₈₉₊₋₍₎ₐₑᵢⱼₖₗₘₙₚᵣₓ", strict=True))
# Texts that need no brackets: a number, a letter with its index, or a text in brackets.
SIMPLE = re.compile(r"[0-9.]+|√?\w[′\u0300-\u0304₀-₉ₐ-ₜᵢⱼ⁰-⁹²³¹]*|√?\([^()]*\)")
# Functions, whose names are written apart from what is before them.
FUNCTIONS = ("log", "ln", "max", "min", "inf")


# Letters for likelihood ratios, each with its meaning in LaTeX; a formula has the second only beside the first.
KAPPA = r"\kappa = e^\epsilon"
X = r"x = e^{\epsilon_0}"


def symbols(statement: str) -> str:
    """Return in LaTeX what kappa and x are in a LaTeX statement that uses kappa; no text for any other statement."""
    if r"\kappa" not in statement:
        return ""
    letters = re.sub(r"\\(text|mathrm)\{[^}]*\}|\\[A-Za-z]+", " ", statement)
    return rf"{KAPPA}, \quad {X}" if re.search(r"(?<![A-Za-z])x(?![A-Za-z])", letters) else KAPPA


def unicode_formula(statement: str) -> str:
    """Return a LaTeX statement as one line of Unicode mathematics."""
    text = "".join(_translate(iter(TOKEN.findall(statement))))
    text = re.sub(r" *([=<>]) *", r" \1 ", text)
    text = re.sub(r"_\((\w) = (\w)\)", r"_(\1=\2)", text)
    text = re.sub(rf"\b({'|'.join(FUNCTIONS)}) +([(\[{{])", r"\1\2", text)
    return re.sub(rf" *{WIDE} *", "  ", re.sub(r" +", " ", text)).strip()


def _translate(tokens: Iterator[str]) -> Iterator[str]:
    for token in tokens:
        if token.isspace():
            yield " "
        elif token in ("_", "^"):
            yield _script(token, _argument(tokens))
        elif token.startswith("\\"):
            yield _command(token[1:], tokens)
        elif token not in "{}":
            yield "′" if token == "'" else token


def _command(name: str, tokens: Iterator[str]) -> str:
    if name in ("frac", "tfrac"):
        above, below = _argument(tokens), _argument(tokens)
        return f"{_group(above)}/{_group(below)}"
    if name == "binom":
        return f"C({_argument(tokens)}, {_argument(tokens)})"
    if name == "sqrt":
        inside = _argument(tokens)
        return f"√{inside}" if len(inside) == 1 else f"√({inside})"
    if name in ACCENTS:
        return _argument(tokens) + ACCENTS[name]
    if name in SIGNS:
        return SIGNS[name]
    return f"{name} " if name in FUNCTIONS else name


def _argument(tokens: Iterator[str]) -> str:
    """Return the next token, or all of a group without its braces, translated."""
    first = next((token for token in tokens if not token.isspace()), "")
    if first != "{":
        return "".join(_translate(iter([first]))) if first[:1] != "\\" else _command(first[1:], tokens)
    group, depth = [], 1
    for token in tokens:
        depth += (token == "{") - (token == "}")
        if depth == 0:
            break
        group.append(token)
    return "".join(_translate(iter(group)))


def _group(text: str) -> str:
    return text if SIMPLE.fullmatch(text) else f"({text})"


def _script(mark: str, text: str) -> str:
    """Return an index or a power."""
    small = SUBSCRIPTS if mark == "_" else SUPERSCRIPTS
    plain = text.replace(" ", "")
    if plain and all(letter in small for letter in plain):
        return "".join(small[letter] for letter in plain)
    return f"{mark}{text}" if len(text) == 1 or re.fullmatch(r"\w[₀-₉ᵢ]?|max|RR", text) else f"{mark}({text})"
