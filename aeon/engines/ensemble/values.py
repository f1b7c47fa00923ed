"""What a merge of answers gives."""

from __future__ import annotations

from aeon.schema.value import Value

__all__ = ["Merged"]


class Merged(Value):
    """One answer made of several; "" where they cannot all stand, or none could be made."""

    text: str = ""
