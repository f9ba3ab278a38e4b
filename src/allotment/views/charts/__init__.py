"""Charts: each answers one question, takes a table and returns a HoloViews object. They need the extra `lab`."""

from allotment.views.charts.delivery import delivery
from allotment.views.charts.occupancy import occupancy
from allotment.views.charts.tornado import tornado

__all__ = ["delivery", "occupancy", "tornado"]
