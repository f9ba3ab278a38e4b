import { expect, test } from "vitest";
import widget from "../src/words/index.js";

const SCRIPT = "<img src=x onerror=alert(1)>";

function shown(content) {
  const el = document.createElement("div");
  let tell = null;
  const model = { content, get: () => model.content, on: (_name, update) => (tell = update) };
  widget.render({ model, el });
  return { el, say: (next) => ((model.content = next), tell()) };
}

test("lines are text, whatever stands in them, and the element stays while its sort does", () => {
  const { el, say } = shown({ tag: "p", attributes: { role: "status" }, lines: [SCRIPT, "b"] });
  const first = el.firstChild;
  expect([first.tagName, first.getAttribute("role"), el.querySelector("img")]).toEqual(["P", "status", null]);
  expect(first.innerHTML).toBe("&lt;img src=x onerror=alert(1)&gt;<br>b");
  say({ tag: "p", attributes: { role: "status" }, lines: ["c"] });
  expect([el.firstChild === first, el.textContent]).toEqual([true, "c"]);
  say({ tag: "p", attributes: { role: "alert" }, lines: ["d"] });
  expect([el.firstChild === first, el.children.length, el.textContent]).toEqual([false, 1, "d"]);
  say({});
  expect(el.textContent).toBe("");
});

test("terms stand with what is said of them, as text", () => {
  const { el } = shown({ tag: "div", terms: [["Turn", SCRIPT], ["Room", "none"]] });
  expect([...el.querySelectorAll("dt, dd")].map((each) => each.textContent)).toEqual(["Turn", SCRIPT, "Room", "none"]);
});

test("a table has its headings, its names of rows and its cells, as text", () => {
  const { el } = shown({
    tag: "div",
    head: [[["", 1], [SCRIPT, 2]], [["", 1], ["p50", 1], ["p90", 1]]],
    rows: [["debug", "19 s", SCRIPT]],
  });
  expect(el.querySelectorAll("img").length).toBe(0);
  expect(el.querySelector("table.figures thead th").colSpan).toBe(2);
  expect([...el.querySelectorAll("tbody th, tbody td")].map((each) => each.textContent)).toEqual(["debug", "19 s", SCRIPT]);
  expect(el.querySelector("tbody th").scope).toBe("row");
});
