"""What can be kept of a page: a link, the scenario as a file, the tables as CSV."""

from __future__ import annotations

import csv
import re
import zipfile
from collections.abc import Callable, Mapping
from io import BytesIO, StringIO

import pandas as pd
import panel as pn

from allotment.errors import AllotmentError
from allotment.formats import plain
from allotment.interop.scenario_file import dumps
from allotment.scenario import Scenario
from allotment.views.workbench.script import COPY, CopyLink
from allotment.views.workbench.settings import Settings, to_link

_SIGNS = ("=", "+", "-", "@", "\t", "\r", *"\uff1d\uff0b\uff0d\uff20")  # the last are the wide forms of the first four
_FIGURE = re.compile(r"[+-]((inf|\d[\d.,]*(e[+-]?\d+)?)( [\w%]+)*)?")  # with its unit; or a dash, for none


class Keep:
    """The link and the files of one page. `scenarios` gives A and B, of which B is kept, `tables` those that are shown.

    `refuse` hears why there is nothing to keep.
    """

    def __init__(
        self,
        scenarios: Callable[[], tuple[Scenario, Scenario]],
        tables: Callable[[], Mapping[str, pd.DataFrame]],
        refuse: Callable[[str], None],
    ) -> None:
        self._scenarios = scenarios
        self._tables = tables
        self._refuse = refuse
        self.link = pn.widgets.TextInput(label="Link to this", sizing_mode="stretch_width")
        self.copy = CopyLink(  # type: ignore[no-untyped-call]
            whole=pn.state.curdoc is not None, stylesheets=[COPY], sizing_mode="stretch_width", margin=(0, 10)
        )
        self._file = pn.widgets.FileDownload(
            callback=self.scenario_file, filename="scenario.yaml", label="Scenario file", height=36
        )
        self._csv = pn.widgets.FileDownload(
            callback=self.tables_file, filename="tables.zip", label="Tables as CSV", height=36
        )

    @property
    def view(self) -> pn.Column:
        """The link above the files."""
        return pn.Column(self.link, self.copy, pn.Row(self._file, self._csv), sizing_mode="stretch_width")

    def tell(self, settings: Settings) -> str:
        """Let the link hold these settings, and return it."""
        self.link.value = f"?w={to_link(settings)}"
        self.copy.address = self.link.value
        return str(self.link.value)

    def scenario_file(self) -> StringIO:
        """Return the scenario under policy B, as a file to simulate again; where none is set, a file that says why.

        A browser that has asked for a file cannot be told that there is none.
        """
        try:
            return StringIO(dumps(self._scenarios()[1]))
        except AllotmentError as error:
            self._refuse(str(error))
            return StringIO("".join(f"# {plain(line)}\n" for line in str(error).splitlines()))

    def _about(self) -> pd.DataFrame:
        """Return what the tables are of: the scenario, its policies A and B, its seed and its link."""
        first, second = self._scenarios()
        said = {
            "scenario": first.name,
            "policy A": first.policy.name,
            "policy B": second.policy.name,
            "seed": first.seed,
            "link": self.link.value,
        }
        return pd.DataFrame({"is": said})

    def tables_file(self) -> BytesIO:
        """Return what is shown, as one CSV file for each table, packed together."""
        packed, tables = BytesIO(), self._tables()
        if not tables:
            self._refuse("nothing has run, so there are no tables; press Run first")
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as files:
            if tables:
                files.writestr("scenario.csv", csv_of(self._about()))
            for name, table in tables.items():
                files.writestr(f"{name.lower().replace(' ', '-')}.csv", csv_of(table))
        packed.seek(0)
        return packed


_COUNT = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?")


def csv_of(table: pd.DataFrame) -> str:
    """Return a table as CSV, in which a spreadsheet takes no name for a formula: such a cell begins with an apostrophe.

    Numbers stand without the commas that part their thousands, so that they are read as numbers.

    >>> print(csv_of(pd.DataFrame({"more": [-0.5, 2.0]}, index=["=1+1", "@x"])), end="")
    ,more
    '=1+1,-0.5
    '@x,2.0
    """
    made = StringIO()
    rows = csv.reader(StringIO(table.to_csv(), newline=""))
    csv.writer(made, lineterminator="\n").writerows(
        [f"'{cell}" if _computes(cell) else _number(cell) for cell in row] for row in rows
    )
    return made.getvalue()


def _number(cell: str) -> str:
    return cell.replace(",", "") if _COUNT.fullmatch(cell) else cell


def _computes(cell: str) -> bool:
    return cell.startswith(_SIGNS) and not _FIGURE.fullmatch(cell)
