"""A folk theory as the only thing in an app that Panel serves, and what was guessed, as the server knows it."""

import panel as pn

from allotment.views.theories import Theory

pn.extension()
Theory("F12", seeds=3).servable()
