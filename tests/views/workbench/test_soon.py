from __future__ import annotations

import gc
import weakref

from bokeh.document import Document
from panel.io.state import set_curdoc

from allotment.views.workbench.soon import Poster, poster


class Page:
    def draw(self):
        raise AssertionError("a page that is gone draws nothing")


def test_what_is_still_to_be_done_does_not_hold_a_page_that_was_closed_even_where_its_document_is_held():
    document, page = Document(), Page()
    with set_curdoc(document):
        post = poster()
    for after in (0, 60):
        post(page.draw, after)
    assert len(document.session_callbacks) == 2
    post.close()
    gone = weakref.ref(page)
    del page
    gc.collect()
    assert gone() is None
    for callback in list(document.session_callbacks):
        callback.callback()  # does nothing


def test_what_is_asked_after_the_end_is_not_done():
    waiting, done = [], []
    post = Poster(lambda act, _after: waiting.append(act))
    for number in range(2):
        post(lambda number=number: done.append(number))
    waiting[0]()
    post.close()
    waiting[1]()
    post(lambda: done.append("late"))
    assert (done, len(waiting)) == ([0], 2)
