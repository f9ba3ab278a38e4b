"""The state as compiled rules see it: one pointer, to where each array lies and how long it is. Needs numba.

numba would hand a tuple of three dozen arrays over as three hundred numbers in every call of a rule, and spell every field
of every record out in the name of every function. A handle is one number, and the rules read its arrays by the names
that they have in plain Python, where a state is simply the object of layout.py.

An array of a state is indexed from its front alone: no rule reads row -1, which tests see to in plain Python, so what
numba would do at each access to count from the back is left out. That is a seventh of the time of a run.
"""

from __future__ import annotations

import operator
from typing import Any

import attrs
import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed, lower_builtin
from numba.core.typing import signature
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, intrinsic, lower_getattr_generic, models, register_model
from numba.np import numpy_support
from numba.np.arrayobj import make_array, populate_array

from allotment.kernel.layout import WORDS, State

WORD = cgutils.intp_t


class Row(types.Record):  # type: ignore[misc]
    """A record of the state, with a short name."""

    def __init__(self, name: str, dtype: np.dtype[Any]) -> None:
        of = numpy_support.from_dtype(dtype)
        fields = [(field, {"type": at.type, "offset": at.offset}) for field, at in of.fields.items()]
        super().__init__(fields, of.size, of.aligned)
        self.name = name


class Rows(types.Array):  # type: ignore[misc]
    """An array of the state; the same as any other in memory."""

    def __init__(self, name: str, dtype: np.dtype[Any], ndim: int) -> None:
        row = Row(name, dtype) if dtype.names else numpy_support.from_dtype(dtype)
        super().__init__(row, ndim, "C", name=f"rows_{name}")

    @property
    def plain(self) -> Any:
        """The type that numba gives such an array."""
        return types.Array(self.dtype, self.ndim, "C")


class Handle(types.Type):  # type: ignore[misc]
    """The type of a state inside compiled code."""

    def __init__(self) -> None:
        super().__init__(name="State")
        fields = [field for field in attrs.fields(State) if field.metadata]
        self.place = {field.name: place * WORDS for place, field in enumerate(fields)}
        self.rows = {of.name: Rows(of.name, of.metadata["dtype"], of.metadata["ndim"]) for of in fields}


HANDLE = Handle()
ADDRESSES = types.Array(types.int64, 1, "C")

register_model(Row)(models.RecordModel)
register_model(Rows)(models.ArrayModel)
register_model(Handle)(models.OpaqueModel)


@infer_getattr
class _Arrays(AttributeTemplate):  # type: ignore[misc]
    key = Handle

    def generic_resolve(self, handle: Any, name: str) -> Any:
        return handle.rows.get(name)


@lower_getattr_generic(Handle)
def _array(context: Any, builder: Any, handle: Any, value: Any, name: str) -> Any:
    rows, place = handle.rows[name], handle.place[name]
    words = builder.bitcast(value, WORD.as_pointer())

    def word(number: int) -> Any:
        loaded = builder.load(cgutils.gep_inbounds(builder, words, place + number))
        # nothing writes to the addresses while compiled code runs, so they need not be read again after each store
        loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
        return loaded

    itemsize = context.get_abi_sizeof(context.get_data_type(rows.dtype))
    shape = [word(1 + axis) for axis in range(rows.ndim)]
    strides = [WORD(itemsize)]
    if rows.ndim == 2:
        strides.insert(0, builder.mul(shape[1], strides[0]))
    array = make_array(rows)(context, builder)
    data = builder.inttoptr(word(0), context.get_data_type(rows.dtype).as_pointer())
    populate_array(array, data=data, shape=shape, strides=strides, itemsize=itemsize, meminfo=None)
    return impl_ret_borrowed(context, builder, rows, array._getvalue())  # noqa: SLF001 - numba's own idiom


def _unsigned(context: Any, builder: Any, index: Any, at: Any) -> tuple[Any, Any]:
    """Return an index, or a pair of them, as one that numba does not count from the back."""
    if isinstance(index, types.BaseTuple):
        to = types.UniTuple(types.uint64, len(index))
    else:
        index, to = types.unliteral(index), types.uint64
    return to, context.cast(builder, at, index, to)


@lower_builtin(operator.getitem, Rows, types.Integer)
@lower_builtin(operator.getitem, Rows, types.UniTuple)
def _get(context: Any, builder: Any, of: Any, arguments: Any) -> Any:
    (rows, index), (array, at) = of.args, arguments
    index, at = _unsigned(context, builder, index, at)
    get = context.get_function(operator.getitem, signature(of.return_type, rows.plain, index))
    return get(builder, (array, at))


@lower_builtin(operator.setitem, Rows, types.Integer, types.Any)
@lower_builtin(operator.setitem, Rows, types.UniTuple, types.Any)
def _set(context: Any, builder: Any, of: Any, arguments: Any) -> Any:
    (rows, index, value), (array, at, new) = of.args, arguments
    index, at = _unsigned(context, builder, index, at)
    put = context.get_function(operator.setitem, signature(of.return_type, rows.plain, index, value))
    return put(builder, (array, at, new))


@intrinsic
def state_at(_typing: Any, addresses: Any) -> Any:
    """Return the state whose arrays lie at these addresses."""
    if addresses != ADDRESSES:
        return None

    def code(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        array = make_array(ADDRESSES)(context, builder, arguments[0])
        return builder.bitcast(array.data, context.get_value_type(HANDLE))

    return HANDLE(ADDRESSES), code
