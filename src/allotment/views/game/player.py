"""The page of a player: a seat, three choices a round, what came of them, and what the room did."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import panel as pn

from allotment.lessons.game.room import LONGEST_NAME, Phase, team_name
from allotment.lessons.game.setting import POLICIES
from allotment.views.formats import plain
from allotment.views.game import tables, told
from allotment.views.game.form import Form
from allotment.views.game.host import Host
from allotment.views.game.page import NARROW, STATUS, TEXT, Follower, attempt, banner
from allotment.views.workbench.script import PageScript
from allotment.views.workbench.style import TERMS, WHY_TABLE
from allotment.views.workbench.words import heading, say, say_terms, show_table, table_of, words

JOIN = {"name": "name", "legend": "Your name, or that of your table", "longest": LONGEST_NAME}


class Player(pn.viewable.Viewer):
    """The page of one visitor. `key` is that of a seat, from the address; `remember` puts a new one there."""

    def __init__(self, host: Host, key: str = "", remember: Callable[[str], Any] = lambda _key: None) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._host = host
        self.key = key if host.room.seat_of(key) is not None else ""
        self._lost = bool(key) and not self.key
        self._remember = remember
        self._arrived = False
        self._build()
        self._follower = Follower(host, self.refresh)
        self.refresh()

    def _build(self) -> None:
        self._who, self._status = heading("The commons game", "h1"), words(STATUS)
        self._said, self._explained, self._own, self._room, self._effect = (words(TEXT) for _ in range(5))
        self._compared = words(TERMS)
        self._banner = banner()
        self._join, self._choose = Form(self._on_join), Form(self._on_choose)
        self._rounds, self._table = table_of(WHY_TABLE), table_of(WHY_TABLE)
        self._script = PageScript(lambda: None, lambda _seen: None)

    def __panel__(self) -> pn.viewable.Viewable:
        """Return the page."""
        return pn.Column(
            self._who,
            self._script,
            self._status,
            self._banner,
            self._explained,
            self._join,
            self._own,
            self._choose,
            self._said,
            self._room,
            self._effect,
            self._compared,
            self._table,
            self._rounds,
            css_classes=["player"],
            stylesheets=[NARROW],
            sizing_mode="stretch_width",
        )

    # who is here

    def arrive(self) -> None:
        """Note that the page is open in a browser."""
        self._arrived = True
        if self.key:
            self._host.arrive(self.key)
        self._follower.begin()

    def close(self) -> None:
        """Note that it is open no more."""
        self._follower.end()
        if self._arrived and self.key:
            self._host.depart(self.key)

    def _on_join(self, answers: Mapping[str, Any]) -> None:
        def join() -> None:
            if not self.key:
                self.key = self._host.join(str(answers.get("name", "")))
                self._lost, self._arrived = False, True
                self._host.arrive(self.key)
                self._remember(self.key)
                self.refresh()

        attempt(self._banner, join)

    def _on_choose(self, answers: Mapping[str, Any]) -> None:
        attempt(self._banner, lambda: self._host.choose(self.key, dict(answers)))

    # what is shown

    def refresh(self) -> None:
        """Show how the room stands."""
        room = self._host.room
        seat = room.seat_of(self.key)
        self._script.address = f"?seat={self.key}" if self.key else ""  # of a lost connection's way back
        name = "The commons game" if seat is None else plain(team_name(room, seat))
        say(self._who, name, "h1")
        say(self._status, told.status(room, self._host.busy), "p", role="status")
        first = room.phase is Phase.LOBBY or (seat is None and not self._host.played)
        say(self._explained, told.explained(room.setting) if first else "", "p")
        self._explained.visible = first
        self._show_join(seat)
        self._show_choice(seat)
        self._show_rounds(seat)
        self._show_comparison(seat)

    def _show_join(self, seat: int | None) -> None:
        room = self._host.room
        full = all(each.key for each in room.seats)
        self._join.visible = seat is None and not full and room.phase is not Phase.OVER
        if self._join.visible:
            self._join.ask([JOIN], "Take a seat")
        if seat is not None:
            text = "" if room.phase is not Phase.LOBBY else "You have a seat. The facilitator will begin the game."
        elif room.phase is Phase.OVER:
            text = "You watch: the game is over."
        elif full:
            text = f"All {len(room.seats)} seats are taken. You can watch, or ask the facilitator to free a seat."
        else:
            text = "Your seat was given to somebody else. Take another one." if self._lost else ""
        say(self._own, text, "p")
        self._own.visible = bool(text)

    def _show_choice(self, seat: int | None) -> None:
        room = self._host.room
        open_now = seat is not None and room.phase is Phase.ROUND
        self._choose.visible = open_now
        say(self._said, "", "p", role="status")
        if seat is None or not open_now:
            return
        chosen = room.picks[seat]
        now = room.last(seat) if chosen is None else chosen
        answers = {"high": int(now.high), "keep": now.keep, "most": now.most}
        fields = [
            {
                "name": name,
                "legend": question,
                "help": more,
                "options": [{"value": value, "label": label} for value, label in options],
                "value": answers[name],
            }
            for name, question, more, options in told.questions(POLICIES[room.half])
        ]
        self._choose.ask(fields, f"Choose this for round {room.round}", disabled=bool(self._host.busy))
        if chosen is not None:
            text = f"You have chosen: {told.choice_text(chosen)}. You can change it until the round is closed."
        else:
            text = f"You have not chosen yet. If the round is closed before you do, you play: {told.choice_text(now)}."
        say(self._said, text, "p", role="status")

    def _show_rounds(self, seat: int | None) -> None:
        halves = [half.played for half in self._host.halves]
        played = next((each for each in reversed(halves) if each), ())
        texts = []
        if played:
            number = len(played)
            texts = [told.of_team(played[-1], seat, number)] if seat is not None else []
            texts.append(told.of_round(played[-1], number))
        say(self._room, "\n".join(texts), "p", role="status")
        table = tables.rounds_table(halves) if seat is None else tables.team_table(halves, seat)
        self._rounds.visible = bool(len(table))
        show_table(self._rounds, table)

    def _show_comparison(self, seat: int | None) -> None:
        room, found = self._host.room, self._host.comparison
        there = found is not None and room.phase in (Phase.BREAK, Phase.OVER) and not self._host.busy
        self._effect.visible = self._compared.visible = self._table.visible = there
        if found is None or not there:
            return
        own = []
        if seat is not None:
            own = [
                told.of_effect(of_half[seat], half, room.setting.rounds) for half, of_half in enumerate(found.effects)
            ]
        say(self._effect, "\n".join(own), "p")
        say_terms(self._compared, told.compared(found))
        show_table(self._table, tables.comparison_table(found))
