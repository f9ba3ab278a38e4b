import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { layOutOnce } from "../src/page/layout.js";

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("a page is laid out once a frame, however often that is asked for, and again when it is asked again", () => {
  let times = 0;
  const root = { invalidate_layout: () => (times += 1) };
  vi.stubGlobal("requestAnimationFrame", (act) => setTimeout(act, 16));
  vi.stubGlobal("Bokeh", { index: { roots: [root, {}] } });
  layOutOnce();
  layOutOnce();
  for (let at = 0; at < 5; at += 1) root.invalidate_layout();
  expect(times).toBe(0);
  vi.advanceTimersByTime(20);
  expect(times).toBe(1);
  root.invalidate_layout();
  vi.advanceTimersByTime(20);
  expect(times).toBe(2);
});
