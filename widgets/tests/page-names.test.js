import { afterEach, beforeEach, expect, test, vi } from "vitest";
import widget from "../src/page/index.js";
import { model } from "./page.js";

const PAGE = `
  <div class="bk-input-group"><div class="bk-slider-title">Demand: GPUs kept wanted: <b>2.50</b></div>
    <div class="noUi-handle"></div></div>
  <div class="bk-input-group"><label>Seed</label><button class="bk-spin-btn bk-spin-btn-up"></button>
    <button class="bk-spin-btn bk-spin-btn-down"></button></div>`;

beforeEach(() => {
  vi.useFakeTimers();
  document.body.innerHTML = "<div></div>";
  document.body.firstChild.attachShadow({ mode: "open" }).innerHTML = PAGE;
});
afterEach(() => vi.useRealTimers());

const names = () =>
  [...document.body.firstChild.shadowRoot.querySelectorAll(".noUi-handle, button")].map((each) => each.getAttribute("aria-label"));

test("handles are called what stands above them, and buttons what their field is called", () => {
  const undo = widget.render(model());
  expect(names()).toEqual(["Demand: GPUs kept wanted", "Seed: more", "Seed: less"]);
  undo();
});

test("a picture, in which no key does anything, is no stop of the Tab key", () => {
  const canvas = document.body.firstChild.shadowRoot.appendChild(document.createElement("div"));
  canvas.className = "bk-events";
  canvas.tabIndex = 0;
  const undo = widget.render(model());
  expect(canvas.tabIndex).toBe(-1);
  undo();
});

test("a button skips the controls and brings the focus to the results", () => {
  const results = document.body.firstChild.shadowRoot.appendChild(document.createElement("div"));
  results.className = "right";
  results.scrollIntoView = () => {};
  const given = model();
  const undo = widget.render(given);
  given.el.querySelector("button").click();
  expect(document.body.firstChild.shadowRoot.activeElement).toBe(results);
  undo();
});

test("a toggle says whether it is on", () => {
  const host = document.body.appendChild(document.createElement("div"));
  host.className = "bk-Toggle";
  host.attachShadow({ mode: "open" }).innerHTML = '<button class="bk-btn bk-active">Less motion</button>';
  const undo = widget.render(model());
  const button = host.shadowRoot.querySelector("button");
  expect(button.getAttribute("aria-pressed")).toBe("true");
  button.classList.remove("bk-active");
  vi.advanceTimersByTime(1000);
  expect(button.getAttribute("aria-pressed")).toBe("false");
  undo();
});

test("what comes later is named too, until the widget goes", () => {
  const undo = widget.render(model());
  const shadow = document.body.firstChild.shadowRoot;
  shadow.innerHTML = PAGE;
  vi.advanceTimersByTime(1000);
  expect(names()[0]).toBe("Demand: GPUs kept wanted");
  undo();
  shadow.innerHTML = PAGE;
  vi.advanceTimersByTime(5000);
  expect(names()[0]).toBe(null);
});
