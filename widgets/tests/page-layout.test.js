import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { layOutOnce } from "../src/page/layout.js";

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("pictures lay their page out once a frame, however many ask for it, and again when they ask again", () => {
  let times = 0;
  const picture = () => ({ model: { type: "Figure" }, invalidate_layout: () => (times += 1) });
  const [one, other, late] = [picture(), picture(), picture()];
  const column = { model: { type: "Column" }, child_views: [one, other], invalidate_layout: () => (times += 100) };
  vi.stubGlobal("requestAnimationFrame", (act) => setTimeout(act, 16));
  vi.stubGlobal("Bokeh", { index: { roots: [{ child_views: [column] }, {}] } });
  layOutOnce();
  layOutOnce();
  for (let at = 0; at < 5; at += 1) {
    one.invalidate_layout();
    other.invalidate_layout();
  }
  expect(times).toBe(0);
  vi.advanceTimersByTime(20);
  expect(times).toBe(1);
  other.invalidate_layout();
  vi.advanceTimersByTime(20);
  expect(times).toBe(2);
  late.invalidate_layout(); // not seen yet: at once
  column.invalidate_layout();
  expect(times).toBe(103);
});
