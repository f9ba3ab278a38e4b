"""How the page looks: two columns where there is room, one where there is not; visible focus; nothing moves by itself."""

PAGE = """
:host { font-family: system-ui, "Noto Sans", sans-serif; color: #1b1b1b; }
"""
HEADING = """
h1 { font-size: 21px; margin: 4px 0; }
h2 { font-size: 16px; margin: 8px 0 0; }
"""
COLUMNS = """
.left { flex: 2 1 580px; max-width: 680px; min-width: min(320px, 100%); width: auto !important; }
.right { flex: 3 1 560px; min-width: min(320px, 100%); width: auto !important; }
@media (max-width: 1160px) { .left { max-width: none; } }
"""
BOARD = """
.card { flex: 1 1 480px; min-width: min(320px, 100%); width: auto !important; }
"""
WORDS = "p { margin: 2px 0 6px; font-size: 14px; color: #333333; }"
