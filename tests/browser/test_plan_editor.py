"""The plan-tree editor as somebody uses it, in JupyterLab and in an app: dragged, by keyboard alone, in a narrow window."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.browser.hosts import AXE, Watched, in_app, in_lab, served

pytestmark = pytest.mark.slow

SCRIPT = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module", params=["lab", "served"])
def opened(
    request: pytest.FixtureRequest, browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Watched]:
    page = browser.new_page(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    if request.param == "lab":
        yield in_lab(page, request.getfixturevalue("lab"))
    else:
        with served(tmp_path_factory.mktemp("served")) as url:
            yield in_app(page, url)
    page.close()


@pytest.fixture
def host(opened: Watched) -> Iterator[Watched]:
    """Begin anew, and want nothing to have gone wrong or to have been asked of another machine."""
    opened.begin()
    yield opened
    assert opened.errors == []
    assert opened.foreign == []
    assert opened.dialogs == []


def divider(host: Watched, between: str) -> Locator:
    return host.editor.get_by_role("separator", name=f"Divider between {between}", exact=True)


def node(host: Watched, name: str) -> Locator:
    return host.editor.get_by_role("treeitem", name=re.compile(f"^{name},"))


def share_of_the_selected(host: Watched) -> Locator:
    return host.editor.locator(".panel").get_by_role("textbox", name=re.compile("^Share"))


def drag(host: Watched, handle: Locator, down: float) -> None:
    handle.scroll_into_view_if_needed()
    box = handle.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    host.page.mouse.move(x, y)
    host.page.mouse.down()
    for part in (0.25, 0.5, 1):
        host.page.mouse.move(x, y + down * part)
    host.page.mouse.up()
    expect(host.editor.get_by_role("button", name="Undo")).to_have_attribute("title", re.compile("^divided"))


def test_a_divider_that_is_dragged_takes_from_one_side_what_it_gives_to_the_other(host):
    height = host.editor.locator(".picture").evaluate("picture => picture.clientHeight")
    handle = divider(host, "Science and Platform")
    expect(handle).to_have_attribute("aria-valuetext", "Science 12.0 %, Platform 8.0 %")
    drag(host, handle, 0.04 * height)
    expect(handle).to_have_attribute("aria-valuetext", "Science 16.0 %, Platform 4.0 %")
    expect(node(host, "Climate")).to_have_attribute("aria-label", "Climate, 8.0 % of the cluster, 50.0 % of Science")
    expect(host.editor.locator(".sign li")).to_have_count(2)


def test_a_drag_stops_where_there_is_nothing_left_and_says_so(host):
    handle = divider(host, "Science and Platform")
    drag(host, handle, 300)
    expect(handle).to_have_attribute("aria-valuetext", "Science 20.0 %, Platform 0.0 %")
    expect(host.editor.get_by_role("status")).to_contain_text("'Platform' has nothing left to give")


def test_five_points_are_moved_locked_and_signed_for_by_keyboard_alone(host):
    press = host.page.keyboard.press
    host.editor.get_by_role("treeitem").first.focus()
    press("End")
    for _ in range(20):
        if str(host.page.evaluate(FOCUSED)).startswith("Science,"):
            break
        press("ArrowUp")
    expect(node(host, "Science")).to_have_attribute("aria-selected", "true")
    for _ in range(3):  # the divider before it comes first
        press("Tab")
        if host.page.evaluate(FOCUSED) == "Divider between Science and Platform":
            break
    press("Shift+ArrowDown")
    handle = divider(host, "Science and Platform")
    expect(handle).to_have_attribute("aria-valuetext", "Science 17.0 %, Platform 3.0 %")
    expect(handle).to_be_focused()
    press("ArrowLeft")
    expect(handle).to_have_attribute("aria-valuetext", "Science 16.0 %, Platform 4.0 %")
    press("Control+z")
    expect(handle).to_have_attribute("aria-valuetext", "Science 17.0 %, Platform 3.0 %")
    press("Control+Shift+z")
    expect(handle).to_have_attribute("aria-valuetext", "Science 16.0 %, Platform 4.0 %")
    press("Enter")
    expect(share_of_the_selected(host)).to_be_focused()
    host.page.keyboard.type("17.5")
    press("Enter")
    expect(host.editor.get_by_role("status")).to_contain_text("'Science' 16.0 % → 17.5 %")
    press("Escape")
    expect(node(host, "Science")).to_be_focused()
    press("l")
    expect(node(host, "Science")).to_have_attribute("aria-label", "Science, 17.5 % of the cluster, locked")
    expect(handle).to_have_attribute("aria-disabled", "true")
    host.editor.get_by_label("Who signs").focus()
    host.page.keyboard.type("A. Director")
    press("Tab")
    host.page.keyboard.type("the launch")
    press("Enter")
    expect(host.page.get_by_text("signed by A. Director: science has 7/40")).to_be_visible()
    expect(host.editor.get_by_role("listitem").filter(has_text="A. Director: the launch")).to_be_visible()


FOCUSED = """() => {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return active?.getAttribute("aria-label");
}"""


def test_what_is_typed_and_impossible_stays_and_is_explained(host):
    node(host, "Science").click()
    share = share_of_the_selected(host)
    share.fill("95")
    share.press("Enter")
    expect(host.editor.get_by_role("status")).to_contain_text("Not done: 'Science' cannot have '95'")
    expect(share).to_have_value("95")
    expect(share).to_have_attribute("aria-invalid", "true")
    share.press("Escape")


def test_a_name_that_is_html_is_shown_as_text_everywhere(host):
    node(host, "Science").click()
    panel = host.editor.locator(".panel")
    expect(panel.get_by_role("heading")).to_have_text("Science")
    panel.get_by_label("Name of a new team").fill(SCRIPT)
    panel.get_by_label("Its share").fill("1")
    panel.get_by_role("button", name="Add").click()
    expect(host.editor.get_by_role("treeitem", name=SCRIPT)).to_have_count(1)
    expect(panel.get_by_role("heading")).to_have_text(f"Science/{SCRIPT}")
    host.editor.get_by_role("button", name="As table").click()
    expect(host.editor.get_by_role("textbox", name=f"Share of {SCRIPT}")).to_have_value("1")
    host.editor.get_by_role("button", name="As picture").click()
    assert host.editor.locator("img").count() == 0


def test_the_same_in_the_table(host):
    host.editor.get_by_role("button", name="As table").click()
    field = host.editor.get_by_role("textbox", name="Share of Science")
    field.fill("14")
    field.press("Enter")
    expect(host.editor.get_by_role("textbox", name="Share of Platform")).to_have_value("7.795")
    host.editor.get_by_role("checkbox", name="Lock Platform").check()
    expect(host.editor.get_by_role("status")).to_contain_text("'Platform' is locked")
    host.editor.get_by_role("button", name="As picture").click()
    expect(node(host, "Platform")).to_have_attribute("aria-label", "Platform, 7.8 % of the cluster, locked")


@pytest.mark.parametrize("form", ["picture", "table"])
def test_axe_finds_nothing_serious(host, form):
    if not AXE.exists():
        pytest.skip("axe-core is not there: `make widgets` brings it")
    node(host, "Science").click()
    node(host, "Science").press("l")
    expect(node(host, "Science")).to_have_attribute("aria-label", "Science, 12.0 % of the cluster, locked")
    host.editor.get_by_role("button", name="Keys").click()
    if form == "table":
        host.editor.get_by_role("button", name="As table").click()
    host.page.evaluate(AXE.read_text(encoding="utf-8"))
    found = host.editor.evaluate("editor => axe.run(editor)")
    assert found["passes"]
    serious = [
        (rule["id"], each["html"][:160], each["failureSummary"])
        for rule in found["violations"]
        if rule["impact"] in ("serious", "critical")
        for each in rule["nodes"]
    ]
    assert serious == []


def test_whatever_is_pressed_or_dragged_is_at_least_24_pixels_high_and_wide_and_nothing_moves_by_itself(host):
    controls = host.editor.locator("button:visible, input:visible:not([type=radio]), select:visible, [role=separator]")
    small = controls.evaluate_all(
        "found => found.map((each) => [each.outerHTML.slice(0, 80), each.getBoundingClientRect()])"
        ".filter(([, box]) => box.width < 24 || box.height < 24).map(([html]) => html)"
    )
    assert small == []
    moving = host.editor.evaluate(
        "editor => [...editor.querySelectorAll('*')].filter((each) =>"
        " parseFloat(getComputedStyle(each).transitionDuration) > 0).length"
    )
    assert moving == 0


@pytest.mark.parametrize("width", [400, 640])
def test_in_a_narrow_window_and_at_twice_the_size_nothing_is_cut_off(host, width):
    host.page.set_viewport_size({"width": width + host.around, "height": 800})
    host.page.wait_for_timeout(500)
    host.editor.get_by_role("radio", name="GPU-hours a week").check()
    expect(host.editor.locator(".panel")).to_contain_text("GPU-h a week")
    for name in ("As table", "As picture"):
        if host.editor.get_by_role("button", name=name).count():
            host.editor.get_by_role("button", name=name).click()
        cut = host.editor.evaluate(
            "editor => [...editor.querySelectorAll('button, input, select, [role=separator], td')].filter((each) =>"
            " each.getClientRects().length && each.getBoundingClientRect().right >"
            " editor.getBoundingClientRect().right + 1).map((each) => each.outerHTML.slice(0, 80))"
        )
        assert cut == []
