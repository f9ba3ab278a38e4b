"""Why a simulated figure is not the published one: our best explanation, in one sentence for each row and regime."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

REASONS: Mapping[tuple[str, str], str] = MappingProxyType({})
