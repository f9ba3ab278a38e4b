import { expect, test, vi } from "vitest";
import widget from "../src/page/index.js";
import { model } from "./page.js";

test("what can have the focus is ringed in its shadow root, once, and again where the root was emptied", () => {
  vi.useFakeTimers();
  document.body.innerHTML = '<button class="bk-btn">mine</button><div></div><div></div>';
  const [host, other] = document.body.querySelectorAll("div");
  const root = host.attachShadow({ mode: "open" });
  other.attachShadow({ mode: "open" }).innerHTML = "<p>text</p>";
  root.innerHTML = '<button class="bk-btn">Run</button>';
  const undo = widget.render(model());
  vi.advanceTimersByTime(3000);
  expect(root.querySelectorAll("style.ring").length).toBe(1);
  expect(root.querySelector("style.ring").textContent).toContain(":focus-visible { outline: 3px solid #ffbf00");
  expect(other.shadowRoot.querySelector("style")).toBe(null);
  expect(document.querySelector("style.ring")).toBe(null);
  root.innerHTML = '<input class="bk-input">';
  vi.advanceTimersByTime(1000);
  expect(root.querySelectorAll("style.ring").length).toBe(1);
  undo();
  vi.useRealTimers();
});
