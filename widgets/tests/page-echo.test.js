import { afterEach, expect, test, vi } from "vitest";
import { sendNoEchoes } from "../src/page/echo.js";

afterEach(() => vi.unstubAllGlobals());

class Manager {
  type = "panel.models.comm_manager.CommManager";
  sent = [];
  listener = (event) => this._document_changed(event);
  _document_changed(event) {
    this.sent.push(event);
  }
}

test("what Python has just said is not told to it again, and what is set here is", () => {
  const manager = new Manager();
  const other = { type: "Column", _document_changed: () => {} };
  vi.stubGlobal("Bokeh", { documents: [{ roots: () => [other, manager] }] });
  sendNoEchoes();
  sendNoEchoes();
  manager.listener({ attr: "data", sync: false });
  manager.listener({ attr: "value", sync: true });
  manager.listener({ attr: "clicks" });
  expect(manager.sent.map((event) => event.attr)).toEqual(["value", "clicks"]);
});

test("without Bokeh nothing happens", () => {
  vi.stubGlobal("Bokeh", undefined);
  expect(sendNoEchoes()).toBe(undefined);
});
