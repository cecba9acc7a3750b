"""Chen, Cao, Ge (2024): shuffling of many clients as Gaussian noise."""

from . import gaussian_limit, personal_budgets

THEOREMS = (*gaussian_limit.THEOREMS, *personal_budgets.THEOREMS)
PROOFS: tuple[str, ...] = ()
REDUCTIONS: tuple[str, ...] = ("limit_scene",)
