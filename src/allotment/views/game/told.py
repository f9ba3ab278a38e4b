"""What the pages of the game say, sentence by sentence. Every number comes out of a run."""

from __future__ import annotations

from allotment.lessons.game.choice import Choice, High
from allotment.lessons.game.outcome import CHANCE, PLAYED, Comparison, Effect, by_seat
from allotment.lessons.game.room import Phase, Room, team_name
from allotment.lessons.game.score import IN_TIME, WORTH, Played, Score, total
from allotment.lessons.game.setting import CONTRACT, NODE, NODES, POLICIES, Setting
from allotment.units import HOUR, MINUTE
from allotment.views.formats import MINUS, gpu_hours, part, plain, wait

RULES = {"priority": "old rules (priorities)", "budgets": "new rules (budgets)"}
"""What the regimes are called in the room."""
HIGH = {High.NONE: "none", High.HALF: "half", High.ALL: "all"}


def explained(setting: Setting) -> str:
    """Return what a team has to know before the first round."""
    return (
        f"You are one of {setting.seats} teams that share {setting.gpus} GPUs. Each team is owed {NODES * NODE}. "
        "A round is one day.\n"
        "Your people ask for about 20 short debug sessions a day, and for trainings, day and night. "
        "Together all teams want more than there is.\n"
        f"You get 1 point for each debug session that starts within {IN_TIME // MINUTE} minutes, "
        f"and 1 point for each {WORTH} GPU-hours of work that is done and kept.\n"
        "In each round you choose three things. First under the old rules, then again under the new ones, with the same jobs."
    )


def questions(policy: str) -> tuple[tuple[str, str, str, tuple[tuple[object, str], ...]], ...]:
    """Return what a team is asked in a round: the name, the question, what it means under the policy, and the answers."""
    old = policy == POLICIES[0]
    hours = CONTRACT // HOUR
    return (
        (
            "high",
            "How many of your trainings do you mark HIGH?",
            "HIGH goes before NORMAL in the whole cluster, and stops NORMAL work that is in its way. "
            "Debug sessions are HIGH anyway."
            if old
            else "HIGH goes before NORMAL among your own jobs alone. Debug sessions are HIGH anyway.",
            ((0, "None"), (1, "Half of them"), (2, "All of them")),
        ),
        (
            "keep",
            f"Do you keep a node of {NODE} GPUs for your debug sessions?",
            "On a node that you have you need not queue. Between the sessions it has nothing to do, and nobody may take it."
            if old
            else f"Your budget pays for it, day and night. After {hours} hours others may take it, and you queue for it again.",
            ((False, "No, give the GPUs back after each session"), (True, "Yes, keep it")),
        ),
        (
            "most",
            "What do you ask for your trainings?",
            "The most is a time limit of a week, and “do not stop”."
            if old
            else f"A contract is the time in which nobody may stop a job. The most is {hours} hours. Your budget must have room for it.",
            ((False, "What each of them needs"), (True, "The most there is")),
        ),
    )


def choice_text(choice: Choice) -> str:
    """Return a choice in a few words.

    >>> choice_text(Choice()), choice_text(Choice(high=High.ALL, keep=True))
    ('careful', 'HIGH: all, node kept')
    """
    parts = [f"HIGH: {HIGH[choice.high]}"] if choice.high else []
    parts += ["node kept"] if choice.keep else []
    parts += ["asks the most"] if choice.most else []
    return ", ".join(parts) or "careful"


def status(room: Room, busy: str) -> str:
    """Return where the game stands, in one or two sentences."""
    rounds = room.setting.rounds
    if busy:
        return busy
    if room.phase is Phase.LOBBY:
        taken = sum(bool(seat.key) for seat in room.seats)
        return f"The game has not begun. {taken} of {room.setting.seats} seats are taken; bots play the others."
    if room.phase is Phase.ROUND:
        return f"Round {room.round} of {rounds}, {RULES[POLICIES[room.half]]}."
    if room.phase is Phase.BREAK:
        return f"The first half is over: {rounds} rounds under the {RULES[POLICIES[0]]}. Next come the same days again, under budgets."
    return "The game is over."


def waiting(room: Room) -> str:
    """Return who has still to choose."""
    here, late = len(room.people), len(room.waiting_for)
    if not here:
        return "Nobody is here yet; bots play all seats."
    if not late:
        return f"All {here} who are here have chosen."
    names = ", ".join(plain(team_name(room, seat)) for seat in room.waiting_for[:6])
    return f"{here - late} of {here} who are here have chosen. Missing: {names}{' and others' if late > 6 else ''}."


def of_round(played: Played, number: int) -> str:
    """Return what the room did in a round and what came of it, for everybody."""
    teams, all_of = len(played.scores), total(played.scores)
    marked = sum(choice.high > 0 for choice in played.choices)
    kept = sum(choice.keep for choice in played.choices)
    most = sum(choice.most for choice in played.choices)
    return (
        f"Round {number}: {marked} of {teams} teams marked trainings HIGH, {kept} kept a node, {most} asked the most. "
        f"{part(played.occupancy)} of the GPUs were held, {part(all_of.idle / played.capacity)} for nothing. "
        f"A team had {all_of.points / teams:.0f} points on average. {_waited(all_of)}"
    )


def _waited(score: Score) -> str:
    nine = score.wait(0.9)
    if nine is None:
        return "Nobody asked for a debug session."
    return f"9 in 10 debug sessions waited at most {wait(nine)}."


def of_team(played: Played, seat: int, number: int) -> str:
    """Return what a team had of a round."""
    score = played.scores[seat]
    idle = f" Your node had nothing to do for {gpu_hours(score.idle / HOUR)}." if score.idle > 0 else ""
    stopped = f" {score.stopped} times a job of yours was stopped for another." if score.stopped else ""
    return (
        f"Round {number}: you had {score.points:.0f} points. {score.in_time} of {len(score.waits)} debug sessions started in time, "
        f"and {gpu_hours(score.work / HOUR)} of work were done.{idle}{stopped}"
    )


def of_effect(effect: Effect, half: int, rounds: int) -> str:
    """Return what a team's choices in a half did to itself and to the others, set against having been careful."""
    under = f"Under the {RULES[POLICIES[half]]}"
    if effect.gained == effect.points == 0:
        return f"{under}, you were careful: your choices took nothing from anybody."
    had = "gained" if effect.gained >= 0 else "cost"
    took = "lost" if effect.points >= 0 else "gained"
    chance = CHANCE * rounds
    sure = "" if abs(effect.points) > chance else f" For the others, up to {chance:.0f} points may be chance."
    return (
        f"{under}, your choices {had} you {abs(effect.gained):.0f} points, "
        f"and the others together {took} {abs(effect.points):.0f}.{sure}"
    )


def compared(comparison: Comparison) -> dict[str, str]:
    """Return what each way to play came to, by its name, and what budgets cost."""
    said, price = {}, {}
    for name, rounds in comparison.rows:
        of, many = total(by_seat(rounds)), len(rounds) * len(rounds[0].scores)
        said[f"{name[:1].upper()}{name[1:]}"] = (
            f"{of.points / many:.0f} points a team and round; 9 in 10 debug sessions waited at most "
            f"{wait(of.wait(0.9))}; {gpu_hours(of.work / HOUR / many)} of work were done."
        )
        if name == PLAYED[1]:
            price["The price of budgets"] = (
                f"A team's jobs were stopped {of.stopped / many:.0f} times a round, "
                f"and {gpu_hours(of.lost / HOUR / many)} of its work were lost."
            )
    return said | price


def signed_points(points: float) -> str:
    """Return points with their sign.

    >>> signed_points(-3.2) == f"{MINUS}3", signed_points(0.2), signed_points(12)
    (True, '0', '+12')
    """
    whole = round(points)
    return f"{MINUS}{-whole}" if whole < 0 else f"+{whole}" if whole else "0"
