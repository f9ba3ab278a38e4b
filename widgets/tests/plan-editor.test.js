import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import widget from "../src/plan-editor/index.js";
import { after, fixture, Model } from "./model.js";

const begun = fixture("begun");
const session = fixture("session").map(({ intent, state }) => ({ intent, state: { ...begun, ...state } }));
const science = after(session, { type: "select", id: "science" });

let model;
let el;
let undo;

function draw(state) {
  model = new Model(state);
  el = document.createElement("div");
  document.body.append(el);
  undo = widget.render({ model, el });
}

const all = (selector) => [...el.querySelectorAll(selector)];
const box = (id) => all("[role=treeitem]").find((each) => each.dataset.key === id);
const divider = (id) => all("[role=separator]").find((each) => each.dataset.key === id);
const button = (text) => all("button").find((each) => each.textContent === text);
const notice = () => el.querySelector("[role=status]");

function press(target, key, more = {}) {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, composed: true, ...more });
  target.dispatchEvent(event);
  return event;
}

function point(target, type, clientY) {
  target.dispatchEvent(new MouseEvent(type, { bubbles: true, cancelable: true, clientY, button: 0 }));
}

function typed(input, value) {
  input.value = value;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

beforeEach(() => draw(begun));
afterEach(() => {
  undo();
  el.remove();
  vi.useRealTimers();
});

describe("the tree", () => {
  test("has every node and every open part, as Python names them", () => {
    const items = all("[role=treeitem]");
    expect(items.map((each) => each.getAttribute("aria-label"))).toEqual(begun.rows.map((row) => row.aria));
    expect(box("language").getAttribute("aria-level")).toBe("3");
    expect(box("language").getAttribute("aria-setsize")).toBe("4");
    expect(items.filter((each) => each.tabIndex === 0).map((each) => each.dataset.key)).toEqual(["root"]);
  });

  test("is as high in every place as the part of the whole that Python says", () => {
    const height = parseFloat(el.querySelector(".picture").style.height);
    for (const row of begun.rows) {
      expect(parseFloat(box(row.id).style.top)).toBeCloseTo(row.start * height, 6);
      expect(parseFloat(box(row.id).style.height)).toBeCloseTo(row.size * height, 6);
    }
    for (const each of begun.dividers) expect(parseFloat(divider(each.id).style.top)).toBeCloseTo(each.at * height, 6);
  });

  test("moves the focus by arrows, and the selection follows", () => {
    box("root").focus();
    press(document.activeElement, "ArrowDown");
    expect(document.activeElement).toBe(box("pretraining"));
    press(document.activeElement, "ArrowRight");
    expect(document.activeElement).toBe(box("language"));
    press(document.activeElement, "ArrowLeft");
    press(document.activeElement, "End");
    expect(document.activeElement).toBe(box("root/open"));
    expect(model.sent.map((each) => each.id)).toEqual(["pretraining", "language", "pretraining", "root/open"]);
  });

  test("closes and opens a node", () => {
    box("pretraining").focus();
    press(box("pretraining"), "ArrowLeft");
    expect(box("pretraining").getAttribute("aria-expanded")).toBe("false");
    expect(box("language")).toBeUndefined();
    expect(divider("language")).toBeUndefined();
    press(box("pretraining"), "ArrowRight");
    expect(box("language")).toBeDefined();
  });

  test("locks, removes and undoes by keys, and leaves Tab and unknown keys alone", () => {
    press(box("science"), "l");
    press(box("science"), "Delete");
    press(box("science"), "z", { ctrlKey: true });
    press(box("science"), "Z", { ctrlKey: true, shiftKey: true });
    expect(model.sent).toEqual([
      { type: "lock", id: "science", locked: true },
      { type: "remove", id: "science" },
      { type: "undo" },
      { type: "redo" },
    ]);
    expect(press(box("science"), "Tab").defaultPrevented).toBe(false);
    expect(press(box("science"), "q").defaultPrevented).toBe(false);
  });

  test("zooms so that one node fills the picture, and out again", () => {
    press(box("platform"), "z");
    const height = parseFloat(el.querySelector(".picture").style.height);
    expect(parseFloat(box("platform").style.height)).toBeCloseTo(height, 6);
    expect(parseFloat(box("evaluation").style.height)).toBeCloseTo(height / 2, 6);
    expect(box("science")).toBeUndefined();
    press(box("platform"), "z");
    expect(box("science")).toBeDefined();
  });
});

describe("a divider", () => {
  test("says to a screen reader where it is, how far it goes, and what it divides", () => {
    const each = begun.dividers.find(({ id }) => id === "language");
    const found = divider("language");
    for (const [name, value] of Object.entries({ valuenow: each.now, valuemin: each.min, valuemax: each.max })) {
      expect(found.getAttribute(`aria-${name}`)).toBe(String(value));
    }
    expect(found.getAttribute("aria-valuetext")).toBe("Language 16.0 %, Scaling 9.6 %");
    for (const id of found.getAttribute("aria-controls").split(" ")) expect(document.getElementById(id)).toBeTruthy();
  });

  test("moves by keys, a point or five, or as far as it goes", () => {
    for (const [key, more, how] of [
      ["ArrowRight", {}, { points: 1 }],
      ["ArrowUp", {}, { points: -1 }],
      ["ArrowDown", { shiftKey: true }, { points: 5 }],
      ["Home", {}, { limit: "min" }],
      ["End", {}, { limit: "max" }],
    ]) {
      expect(press(divider("science"), key, more).defaultPrevented).toBe(true);
      expect(model.sent.at(-1)).toEqual({ type: "move_divider", divider: "science", ...how });
    }
  });

  test("draws what Python answers, and says where it stopped", () => {
    const move = { type: "move_divider", divider: "science", points: 5 };
    model.answers = [after(session, move)];
    press(divider("science"), "ArrowDown", { shiftKey: true });
    expect(divider("science").getAttribute("aria-valuetext")).toBe("Science 17.0 %, Platform 3.0 %");
    model.answers = [after(session, { type: "move_divider", divider: "science", limit: "max" })];
    press(divider("science"), "End");
    expect(divider("science").getAttribute("aria-valuetext")).toBe("Science 20.0 %, Platform 0.0 %");
  });

  test("is dragged by parts of the parent, and let go of once", () => {
    const height = parseFloat(el.querySelector(".picture").style.height);
    point(divider("language"), "pointerdown", 100);
    point(divider("language"), "pointermove", 100 + 0.1 * 0.32 * height);
    point(divider("language"), "pointerup", 100);
    expect(model.sent.map((each) => each.type).filter((type) => type !== "select")).toEqual(["drag", "drop"]);
    const drag = model.sent.find((each) => each.type === "drag");
    expect(drag.divider).toBe("language");
    expect(drag.amount).toBeCloseTo(0.1, 9);
  });

  test("stops at its neighbours' edges while it is dragged", () => {
    const height = parseFloat(el.querySelector(".picture").style.height);
    point(divider("language"), "pointerdown", 100);
    point(divider("language"), "pointermove", 4000);
    expect(parseFloat(divider("language").style.top)).toBeCloseTo(0.8 * 0.32 * height, 6);
    point(divider("language"), "pointerup", 4000);
  });

  test("goes back on Escape", () => {
    point(divider("language"), "pointerdown", 100);
    point(divider("language"), "pointermove", 120);
    press(divider("language"), "Escape");
    point(divider("language"), "pointermove", 140);
    expect(model.sent.at(-1)).toEqual({ type: "cancel" });
  });

  test("beside a locked node keeps its place in the order of Tab and says why it is fixed", () => {
    undo();
    el.remove();
    draw(after(session, { type: "lock", id: "science", locked: true }));
    expect(divider("science").getAttribute("aria-disabled")).toBe("true");
    expect(divider("science").tabIndex).toBe(0);
    expect(divider("science").getAttribute("aria-valuetext")).toContain("unlock");
  });
});

describe("what is typed", () => {
  beforeEach(() => {
    undo();
    el.remove();
    draw(science);
  });

  const share = () => el.querySelector(".panel input[inputmode=decimal]");

  test("is sent as text, and shown as Python says it", () => {
    model.answers = [after(session, { type: "set_share", id: "science", value: "17" })];
    typed(share(), "17");
    expect(model.sent).toEqual([{ type: "set_share", id: "science", value: "17" }]);
    expect(share().value).toBe("17");
    expect(notice().textContent).toContain("'Science' 13.5 % → 17.0 %");
  });

  test("stays where it was refused, and the reason is said; Escape takes it back", () => {
    model.answers = [after(session, { type: "set_share", id: "science", value: "many" })];
    typed(share(), "many");
    expect(share().value).toBe("many");
    expect(share().getAttribute("aria-invalid")).toBe("true");
    expect(share().getAttribute("aria-describedby")).toBe(notice().id);
    expect(notice().textContent).toContain("Not done: 'many' is no number for 'Science'");
    press(share(), "Escape");
    expect(share().value).not.toBe("many");
    expect(share().hasAttribute("aria-invalid")).toBe(false);
  });

  test("is neither lost nor taken for answered when a state comes that answers something else", () => {
    model.isSilent = true;
    box("climate").focus(); // selects, and has no answer yet
    typed(share(), "many");
    model.answer(after(session, { type: "select", id: "science" }));
    expect(share().value).toBe("many");
    expect(share().hasAttribute("aria-invalid")).toBe(false);
    model.answer(after(session, { type: "set_share", id: "science", value: "many" }));
    expect(share().value).toBe("many");
    expect(share().getAttribute("aria-invalid")).toBe("true");
  });

  test("is asked for by Enter, on a node and on a divider", () => {
    box("science").focus();
    press(box("science"), "Enter");
    expect(document.activeElement).toBe(share());
    divider("science").focus();
    press(divider("science"), "Enter");
    expect(document.activeElement).toBe(share());
  });

  test("a letter in a field is a letter", () => {
    for (const key of ["l", "?", "z", "Delete"]) press(share(), key);
    press(share(), "z", { ctrlKey: true });
    expect(model.sent).toEqual([]);
  });

  test("keeps the focus when a state comes", () => {
    share().focus();
    model.answer(after(session, { type: "lock", id: "science", locked: true }));
    expect(document.activeElement).toBe(share());
  });
});

describe("the table", () => {
  const field = (label) => all("table input").find((each) => each.getAttribute("aria-label") === label);

  beforeEach(() => button("As table").click());

  test("has a row for every row of the state, with named fields", () => {
    expect(all("tbody tr").map((each) => each.dataset.key)).toEqual(begun.rows.map((row) => row.id));
    for (const input of all("table input")) expect(input.getAttribute("aria-label")).toBeTruthy();
    expect(field("Share of Language").value).toBe("16");
    expect(field("Share of open").value).toBe("10");
  });

  test("sends what is typed in it", () => {
    typed(field("Share of Language"), "15");
    typed(field("Name of Language"), "Words");
    typed(field("Allocated limit of Language"), "64");
    const lock = field("Lock Language");
    lock.click();
    expect(model.sent).toEqual([
      { type: "set_share", id: "language", value: "15" },
      { type: "rename", id: "language", name: "Words" },
      { type: "set_limits", id: "language", allocated: "64" },
      { type: "lock", id: "language", locked: true },
    ]);
  });

  test("keeps a tick that Python has not heard of yet", () => {
    model.isSilent = true;
    field("Share of Language").focus(); // selects, and has no answer yet
    field("Lock Language").click();
    model.answer(begun);
    expect(field("Lock Language").checked).toBe(true);
    model.answer(begun); // refused, say
    expect(field("Lock Language").checked).toBe(false);
  });

  test("and the picture take turns", () => {
    expect(el.querySelector(".picture").hidden).toBe(true);
    button("As picture").click();
    expect(el.querySelector(".picture").hidden).toBe(false);
    expect(el.querySelector(".table").hidden).toBe(true);
  });
});

describe("the line to Python", () => {
  test("sends one intent at a time, every one of them, and only the last of a drag", () => {
    model.isSilent = true;
    press(divider("science"), "ArrowDown");
    press(divider("science"), "ArrowDown");
    point(divider("science"), "pointerdown", 100);
    for (const y of [101, 102, 140]) point(divider("science"), "pointermove", y);
    point(divider("science"), "pointerup", 140);
    expect(model.sent.length).toBe(1);
    for (let answers = 0; answers < 8; answers += 1) model.answer(begun);
    const types = model.sent.map((each) => each.type);
    expect(types).toEqual(["move_divider", "move_divider", "drag", "drop"]);
    expect(model.sent[2].amount).toBeGreaterThan(0.08);
  });

  test("an answer to another view is not taken for one's own", () => {
    model.isSilent = true;
    press(divider("science"), "ArrowDown");
    press(divider("science"), "ArrowDown");
    model.token = "another:1";
    model.answer(begun);
    expect(model.sent.length).toBe(1);
  });

  test("says so when there is no answer, and goes on when there is one again", () => {
    vi.useFakeTimers();
    model.isSilent = true;
    press(divider("science"), "ArrowDown");
    vi.advanceTimersByTime(10_000);
    expect(notice().textContent).toContain("No answer from Python");
    model.isSilent = false;
    press(divider("science"), "ArrowUp");
    expect(model.sent.length).toBe(2);
    expect(notice().textContent).not.toContain("No answer");
  });
});

describe("the whole", () => {
  test("shows names that are HTML as text, everywhere", () => {
    for (const { state } of session) {
      model.answer(state);
      expect(all("img, b b, script")).toEqual([]);
    }
    const last = session.at(-1).state;
    model.answer(last);
    button("As table").click();
    expect(all("img, b b, script")).toEqual([]);
    expect(el.textContent).toContain("<img src=x onerror=alert(1)>: the launch");
    const names = all("tbody th input").map((each) => each.value);
    expect(names).toContain("<img src=x onerror=alert(1)>");
    expect(names).toContain("<b>Climate");
  });

  test("lists what was changed, and sends who signs and why", () => {
    const state = after(session, { type: "add", parent: "science", name: "<img src=x onerror=alert(1)>", value: "" });
    model.answer(state);
    const [author, reason] = all(".sign input");
    expect(all(".sign li").map((each) => each.textContent)).toEqual([...state.changes.structure, ...state.changes.shares]);
    author.value = "A. Director";
    reason.value = "the launch";
    button("Sign").click();
    expect(model.sent).toEqual([{ type: "accept", author: "A. Director", reason: "the launch" }]);
  });

  test("has a label for every field and a name for every button", () => {
    button("As table").click();
    for (const each of all("input, select")) {
      const named = each.getAttribute("aria-label") || each.closest("label")?.textContent;
      expect(named, each.outerHTML).toBeTruthy();
    }
    for (const each of all("button")) if (!each.closest("[hidden]")) expect(each.textContent).toBeTruthy();
  });

  test("leaves nothing behind when it is taken away, and two do not share ids", () => {
    const other = document.createElement("div");
    document.body.append(other);
    const undoOther = widget.render({ model, el: other });
    const ids = [...document.querySelectorAll("[id]")].map((each) => each.id);
    expect(new Set(ids).size).toBe(ids.length);
    undoOther();
    undo();
    expect(model.listeners.size).toBe(0);
    expect(el.childElementCount + other.childElementCount).toBe(0);
    undo = () => {};
    other.remove();
  });

  test("draws fractions without end as Python writes them", () => {
    undo();
    el.remove();
    draw(fixture("thirds"));
    expect(box("birch").getAttribute("aria-label")).toBe("Birch, 33.3 % of the cluster");
    expect(divider("cedar").getAttribute("aria-valuetext")).toBe("Cedar 16.7 %, open 0.0 %");
  });
});
