"""How the page looks: two columns where there is room, one where there is not; visible focus; nothing moves by itself."""

PAGE = """
:host { font-family: system-ui, "Noto Sans", sans-serif; color: #1b1b1b; }
.why { position: sticky; bottom: 0; z-index: 5; max-height: 48vh; overflow-y: auto; background: #ffffff;
  border-top: 3px solid #5b6673; padding: 2px 8px 6px; }
"""
HEADING = """
:host { overflow-wrap: anywhere; }
h1 { font-size: 21px; margin: 4px 0; }
h2 { font-size: 16px; margin: 8px 0 0; }
h3 { font-size: 14px; margin: 8px 0 0; }
"""
COLUMNS = """
.left { flex: 2 1 580px; max-width: 680px; min-width: min(320px, 100%); width: auto !important; }
.right { flex: 3 1 560px; min-width: min(320px, 100%); width: auto !important; }
@media (max-width: 1160px) { .left { max-width: none; } }
"""
BOARD = """
.card { flex: 1 1 480px; min-width: min(320px, 100%); width: auto !important; }
"""
BANNER = """
:host { overflow-wrap: anywhere; }
[role=alert] { border-left: 4px solid #b84300; padding: 6px 10px; background: #fbeee6; }
[role=note] { border-left: 4px solid #5b6673; padding: 6px 10px; background: #eef1f4; }
"""
WORDS = ":host { overflow-wrap: anywhere; } p { margin: 2px 0 6px; font-size: 14px; color: #333333; } h3, h4 { margin: 4px 0 0; font-size: 15px; } h4 { font-size: 14px; }"
TERMS = """
:host { overflow-wrap: anywhere; }
dl { margin: 0; font-size: 14px; }
dt { font-weight: 600; margin-top: 6px; }
dd { margin: 0; }
"""
WHY = (
    ".side { flex: 1 1 420px; min-width: min(320px, 100%); width: auto !important; }"
    " .side.without { flex-basis: 100%; }"  # where one run has no answer, the other has the full width
)
TABLE = """
:host { min-width: 0; max-width: 100%; }
.scroll { overflow-x: auto; max-width: 100%; }
table { border-collapse: collapse; font-size: 13px; width: 100%; }
th, td { padding: 4px 8px; text-align: right; white-space: nowrap; }
thead th { white-space: normal; }
thead tr:first-child th { text-align: center; }
tbody th { text-align: left; font-weight: 600; }
tbody tr:nth-child(odd) { background: #f2f4f7; }
thead { border-bottom: 1px solid #767f8a; }
@media (max-width: 520px) {
  table { font-size: 11.5px; }
  th, td { padding: 3px 2px; white-space: normal; }
  tbody th { min-width: 4.5em; }
}
"""
WHY_TABLE = (
    f"{TABLE}tbody th {{ white-space: normal; min-width: 10em; }} th, td {{ padding: 4px 6px; }}"  # changes take words
)
