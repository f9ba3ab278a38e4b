import { afterEach, beforeEach, expect, test, vi } from "vitest";
import widget from "../src/page/index.js";
import { model } from "./page.js";

beforeEach(() => {
  vi.useFakeTimers();
  document.body.innerHTML = "";
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const said = (given) => given.el.querySelector("[role=alert]")?.textContent ?? "";

test("a lost server is said, with a link that brings back what was set, until it answers again", () => {
  const heard = {};
  vi.stubGlobal("Bokeh", { documents: [{ on_event: (name, tell) => (heard[name] = tell) }] });
  const given = model();
  const undo = widget.render(given);
  expect(said(given)).toBe("");
  heard.connection_lost();
  expect(said(given)).toContain("connection to the server is lost");
  expect(given.el.querySelector("[role=alert] a").getAttribute("href")).toBe("?w=x");
  heard.client_reconnected();
  expect(said(given)).toBe("");
  undo();
});

test("a kernel that is away for a moment is said as long as it is, one that was restarted for good", () => {
  const kernel = { status: "idle", connectionStatus: "connected" };
  vi.stubGlobal("PyViz", { kernels: { plot: kernel } });
  const given = model();
  document.body.id = "plot";
  const undo = widget.render(given);
  vi.advanceTimersByTime(2000);
  expect(said(given)).toBe("");
  kernel.connectionStatus = "disconnected";
  vi.advanceTimersByTime(2000);
  expect(said(given)).toContain("does not answer");
  kernel.connectionStatus = "connected";
  vi.advanceTimersByTime(2000);
  expect(said(given)).toBe("");
  kernel.status = "restarting";
  vi.advanceTimersByTime(2000);
  kernel.status = "idle";
  vi.advanceTimersByTime(2000);
  expect(said(given)).toContain("run the cell again");
  undo();
});

test("who wants less motion gets it from the start, and nobody else", () => {
  const asked = [];
  vi.stubGlobal("matchMedia", (query) => (asked.push(query), { matches: true }));
  const given = model();
  widget.render(given)();
  expect(given.saved).toEqual([{ calm: true, address: "?w=x" }]);
  expect(asked).toEqual(["(prefers-reduced-motion: reduce)"]);
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  const other = model();
  widget.render(other)();
  expect(other.saved).toEqual([]);
});
