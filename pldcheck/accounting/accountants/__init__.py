"""Accountants that other libraries drive: dp_accounting's interface and that of Opacus, with certified answers.

:class:`~pldcheck.accounting.accountants.privacy_accountant.Accountant` stands where dp_accounting's ``PLDAccountant``
does, and :class:`~pldcheck.accounting.accountants.opacus_accountant.OpacusAccountant` where Opacus' accountants do.
Their ``get_epsilon`` is a certified upper end; ``epsilon`` has the lower one beside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.lazy import lazy_parts

__all__ = ["Accountant", "OpacusAccountant", "register_with_opacus"]

if TYPE_CHECKING:
    from .opacus_accountant import OpacusAccountant as OpacusAccountant
    from .opacus_accountant import register_with_opacus as register_with_opacus
    from .privacy_accountant import Accountant as Accountant
else:
    __getattr__, __dir__ = lazy_parts(
        __name__,
        {"opacus_accountant": ("OpacusAccountant", "register_with_opacus"), "privacy_accountant": ("Accountant",)},
        __all__,
    )
