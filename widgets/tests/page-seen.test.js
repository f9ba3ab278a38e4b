import { afterEach, expect, test, vi } from "vitest";
import { watchSeen } from "../src/page/seen.js";

afterEach(() => vi.unstubAllGlobals());

test("the cards on the screen are told by their names, those that come later too", () => {
  const observed = [];
  let tell = null;
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      constructor(heard) {
        tell = heard;
      }
      observe(card) {
        observed.push(card);
      }
      disconnect() {
        observed.length = 0;
      }
    },
  );
  document.body.innerHTML = '<div id="host"></div>';
  const shadow = document.getElementById("host").attachShadow({ mode: "open" });
  shadow.innerHTML = '<div class="card card-queue-wait"></div><div class="card card-nodes"></div>';
  const told = [];
  const watch = watchSeen((seen) => told.push(seen));
  watch.look();
  watch.look();
  expect(observed.length).toBe(2);
  tell(observed.map((target) => ({ target, isIntersecting: true })));
  tell([{ target: observed[0], isIntersecting: false }]);
  expect(told).toEqual([["nodes", "queue-wait"], ["nodes"]]);
  shadow.innerHTML += '<div class="card card-late"></div>';
  watch.look();
  expect(observed.some((card) => card.classList.contains("card-late"))).toBe(true);
  watch.stop();
});

test("a browser without observers sees nothing to tell", () => {
  vi.stubGlobal("IntersectionObserver", undefined);
  const watch = watchSeen(() => {
    throw new Error("told");
  });
  watch.look();
  watch.stop();
});
