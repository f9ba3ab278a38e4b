"""What the notebooks of the lessons use, in one place."""

from allotment.lessons.exercise import check
from allotment.lessons.lesson import load_lesson
from allotment.lessons.metrics import METRICS, Group
from allotment.lessons.over_seeds import over_seeds
from allotment.views import charts, tables
from allotment.views.classroom.dial import Dial, show
from allotment.views.classroom.quiz import Quiz
from allotment.views.classroom.room import Room, quiz_room
from allotment.views.theories import Theory

__all__ = [
    "METRICS",
    "Dial",
    "Group",
    "Quiz",
    "Room",
    "Theory",
    "charts",
    "check",
    "load_lesson",
    "over_seeds",
    "quiz_room",
    "show",
    "tables",
]
