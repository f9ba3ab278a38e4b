import { afterEach, expect, test, vi } from "vitest";
import widget from "../src/copy/index.js";

function shown(values) {
  const el = document.createElement("div");
  document.body.append(el);
  let tell = null;
  widget.render({ model: { get: (name) => values[name], on: (_name, update) => (tell = update) }, el });
  const said = el.querySelector("[role=status]");
  return { el, said, tell: () => tell(), field: el.querySelector("input"), press: () => el.querySelector("button").click() };
}

function clipboard(writeText) {
  Object.defineProperty(navigator, "clipboard", { value: writeText && { writeText }, configurable: true });
}

afterEach(() => clipboard(undefined));

test("the whole address is copied, and that is said until something else is set", async () => {
  const copied = [];
  clipboard(async (text) => copied.push(text));
  const { press, said, field, tell } = shown({ address: "?w=abc", whole: true });
  press();
  await vi.waitFor(() => expect(said.textContent).toContain("Copied"));
  expect(copied).toEqual([new URL("?w=abc", window.location.href).href]);
  expect(field.hidden).toBe(true);
  tell();
  expect(said.textContent).toBe("");
});

test.each([[undefined], [async () => Promise.reject(new Error("no"))]])(
  "where a browser refuses, the address is selected and the key is said",
  async (writeText) => {
    clipboard(writeText);
    const { press, said, field } = shown({ address: "?w=abc", whole: true });
    press();
    await vi.waitFor(() => expect(said.textContent).toContain("press Ctrl+C"));
    expect([field.hidden, document.activeElement === field]).toEqual([false, true]);
    expect(field.value.slice(field.selectionStart, field.selectionEnd)).toMatch(/^http.*\?w=abc$/);
  },
);

test("in a notebook only what goes behind an address is copied", async () => {
  const copied = [];
  clipboard(async (text) => copied.push(text));
  const { press, said } = shown({ address: "?w=abc", whole: false });
  press();
  await vi.waitFor(() => expect(said.textContent).toContain("behind the address of a served page"));
  expect(copied).toEqual(["?w=abc"]);
});
