"""The facilitator's screen: it begins and closes rounds, tells who has chosen, and shows the room to itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import panel as pn

from allotment.lessons.game.room import Phase, team_name
from allotment.lessons.game.setting import POLICIES
from allotment.views.charts.picture import Picture
from allotment.views.formats import plain
from allotment.views.game import pictures, tables, told
from allotment.views.game.host import TIMERS, Host
from allotment.views.game.page import STATUS, TEXT, Follower, attempt, banner
from allotment.views.workbench.board import Card
from allotment.views.workbench.script import PageScript
from allotment.views.workbench.style import BOARD, PAGE, TABLE, TERMS
from allotment.views.workbench.words import heading, say, say_terms, show_table, table_of, words

NEXT = {
    Phase.LOBBY: "Begin round 1 under the old rules",
    Phase.ROUND: "Close the round",
    Phase.BREAK: "Begin again under budgets",
    Phase.OVER: "The game is over",
}
LINK = ":host { overflow-wrap: anywhere; } p { margin: 4px 0; font-size: 22px; color: #1b1b1b; }"
LARGE = f"{TABLE} table {{ font-size: 16px; }}"  # a room reads it from a wall
NOBODY = "nobody"


class Facilitator(pn.viewable.Viewer):
    """The page of whoever leads the game. `link` is where players join; `again` what the page's own address ends in."""

    def __init__(self, host: Host, link: str, again: str = "") -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._script = PageScript(lambda: None, lambda _seen: None)
        self._script.address = again
        self._host = host
        self._drawn: tuple[Any, ...] = ()
        self._build(link)
        self._follower = Follower(host, self.refresh)
        self.refresh()

    def _build(self, link: str) -> None:
        self._status, self._waiting, self._link, self._clock = words(STATUS), words(TEXT), words(LINK), words(TEXT)
        say(self._link, f"Join at {link}", "p")
        self._banner = banner()
        self._next = pn.widgets.Button(label=NEXT[Phase.LOBBY], color="primary", width=260, height=44)
        self._next.on_click(lambda _event: self._on_next())
        self._timer = pn.widgets.Select(
            label="Close each round by itself",
            options={f"after {seconds} s" if seconds else "no, I close it": seconds for seconds in TIMERS},
            width=200,
        )
        self._timer.param.watch(lambda event: self._try(lambda: self._host.set_timer(event.new)), "value")
        self._tells = pn.widgets.Toggle(label="Show what each team did, after every round", width=340, height=36)
        self._tells.param.watch(lambda _event: self.refresh(), "value")
        self._gone = pn.widgets.Select(label="Free the seat of", options={NOBODY: -1}, width=220)
        self._free = pn.widgets.Button(label="Free it", width=100, height=36)
        self._free.on_click(lambda _event: self._on_free())
        self._round, self._compared = words(TEXT), words(TERMS)
        self._seats, self._rounds, self._table, self._each = (table_of(LARGE) for _ in range(4))
        self._lines = (
            Card("In time", lambda *_: pictures.in_time(self._played, self._rounds_of)),
            Card("Work", lambda *_: pictures.work(self._played, self._rounds_of)),
        )
        self._effects = tuple(Card(f"Effects {half}", self._effects_of(half)) for half in range(len(POLICIES)))
        self._more = pn.Column(
            heading("Side by side"), self._compared, self._table, self._each, visible=False, sizing_mode="stretch_width"
        )

    def __panel__(self) -> pn.viewable.Viewable:
        """Return the page."""
        cards = [
            pn.FlexBox(*(card.view for card in of), gap="12px", stylesheets=[BOARD])
            for of in (self._lines, self._effects)
        ]
        return pn.Column(
            heading("The commons game", "h1"),
            self._script,
            self._link,
            self._status,
            self._banner,
            pn.FlexBox(self._next, self._timer, gap="12px", align_items="flex-end"),
            self._clock,
            self._waiting,
            self._round,
            *cards,
            self._more,
            self._tells,
            heading("Teams"),
            self._seats,
            pn.FlexBox(self._gone, self._free, gap="12px", align_items="flex-end"),
            heading("The room, round by round"),
            self._rounds,
            css_classes=["facilitator"],
            stylesheets=[PAGE],
            sizing_mode="stretch_width",
        )

    def arrive(self) -> None:
        """Note that the page is open in a browser."""
        self._follower.begin()

    def close(self) -> None:
        """Look at the room no more."""
        self._follower.end()

    # what the facilitator does

    def _try(self, act: Callable[[], Any]) -> None:
        attempt(self._banner, act)

    def _on_next(self) -> None:
        host = self._host
        self._try(host.close if host.room.phase is Phase.ROUND else host.begin)

    def _on_free(self) -> None:
        seat = int(self._gone.value)
        if seat >= 0:
            self._try(lambda: self._host.free(seat))

    # what is shown

    @property
    def _played(self) -> list[Sequence[Any]]:
        return [half.played for half in self._host.halves]

    @property
    def _rounds_of(self) -> int:
        return self._host.room.setting.rounds

    def tick(self) -> None:
        """Say how long the round is still open, where it closes by itself."""
        left = self._host.left
        say(self._clock, "" if left is None else f"The round closes in {left} s.", "p")
        self._clock.visible = left is not None

    def refresh(self) -> None:
        """Show how the room stands."""
        host, room = self._host, self._host.room
        say(self._status, told.status(room, host.busy), "p", role="status")
        self._next.label = NEXT[room.phase]
        self._next.disabled = bool(host.busy) or room.phase is Phase.OVER
        say(self._waiting, told.waiting(room) if room.phase in (Phase.ROUND, Phase.LOBBY) else "", "p")
        self.tick()
        self._offer_seats()
        played = self._played
        effects = host.halves[-1].effects if host.halves else ()
        show_table(self._seats, tables.seats_table(room, host.played, effects, tell=self._telling))
        now = (tuple(map(len, played)), host.comparison is None, room.phase, self._telling, bool(host.busy))
        names = tuple(seat.name for seat in room.seats)
        if (now, names) != self._drawn:
            self._drawn = (now, names)
            self._show_results(played)

    @property
    def _telling(self) -> bool:
        return bool(self._tells.value) or self._host.room.phase in (Phase.BREAK, Phase.OVER)

    def _offer_seats(self) -> None:
        room = self._host.room
        left = {
            plain(team_name(room, number)): number
            for number, seat in enumerate(room.seats)
            if seat.key and not seat.here
        }
        options = {NOBODY: -1, **left}
        if options != self._gone.options:
            self._gone.param.update(options=options, value=-1)

    def _show_results(self, played: list[Sequence[Any]]) -> None:
        host = self._host
        latest = next((each for each in reversed(played) if each), ())
        say(self._round, told.of_round(latest[-1], len(latest)) if latest else "", "p", role="status")
        show_table(self._rounds, tables.rounds_table(played))
        self._rounds.visible = bool(latest)
        for card in self._lines:
            card.view.visible = bool(latest)
            if latest:
                card.show(())
        for half, card in enumerate(self._effects):
            card.view.visible = self._telling and half < len(played) and bool(played[half])
            if card.view.visible:
                card.show(())
        found = host.comparison
        over = found is not None and host.room.phase in (Phase.BREAK, Phase.OVER) and not host.busy
        self._more.visible = over
        if found is not None and over:
            say_terms(self._compared, told.compared(found))
            show_table(self._table, tables.comparison_table(found))
            show_table(self._each, tables.each_table(self._host.room, found))

    def _effects_of(self, half: int) -> Callable[..., Picture]:
        def make(*_: object) -> Picture:
            host, room = self._host, self._host.room
            names = [team_name(room, seat) for seat in range(len(room.seats))]
            found = host.comparison
            if found is not None and half < len(found.effects) and (half < room.half or room.phase is not Phase.ROUND):
                reach = max(map(pictures.reach_of, found.effects))
                return pictures.effects(names, found.effects[half], half, room.setting.rounds, reach)
            last = host.halves[half]
            return pictures.effects(names, last.effects[-1], half, when=f"in round {len(last.played)}")

        return make
