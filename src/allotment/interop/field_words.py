"""What the sentence under each field of a class says, for whom Python's own help does not reach it."""

from __future__ import annotations

import ast
import inspect
import textwrap
from functools import cache
from itertools import pairwise


@cache
def words_of(cls: type) -> dict[str, str]:
    """Return the sentence that stands under each field in the source of a class, in one line; nothing without a source.

    >>> from allotment.workload.kinds import Size
    >>> words_of(Size)["weight"]
    'How often, relative to the other sizes.'
    """
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(cls)))
    except (OSError, TypeError):
        return {}
    body = getattr(tree.body[0], "body", [])
    found = {}
    for field, below in pairwise(body):
        if not isinstance(field, ast.AnnAssign) or not isinstance(field.target, ast.Name):
            continue
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant) and isinstance(below.value.value, str):
            found[field.target.id] = " ".join(below.value.value.split())
    return found
