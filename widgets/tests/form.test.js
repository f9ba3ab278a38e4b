import { expect, test } from "vitest";
import widget from "../src/form/index.js";

const SCRIPT = "<img src=x onerror=alert(1)>";
const HIGH = {
  name: "high",
  legend: SCRIPT,
  help: SCRIPT,
  value: 0,
  options: [
    { value: 0, label: "none" },
    { value: 2, label: SCRIPT },
  ],
};

function shown(content) {
  const el = document.body.appendChild(document.createElement("div"));
  const held = { content, sent: {} };
  const saved = [];
  let tell = null;
  const model = {
    get: (name) => held[name],
    set: (name, value) => (held[name] = value),
    on: (_name, update) => (tell = update),
    save_changes: () => saved.push(held.sent),
  };
  widget.render({ model, el });
  return { el, saved, say: (next) => ((held.content = next), tell()) };
}

test("what is asked is text, in a group of radio buttons with a name", () => {
  const { el } = shown({ fields: [HIGH], button: "Choose" });
  expect(el.querySelectorAll("img").length).toBe(0);
  expect(el.querySelector("fieldset > legend").textContent).toBe(SCRIPT);
  expect([...el.querySelectorAll("label")].map((each) => each.textContent)).toEqual(["none", SCRIPT]);
  expect([...el.querySelectorAll("input")].map((each) => each.checked)).toEqual([true, false]);
});

test("all answers are sent at once, as the values that were offered, and can be sent again", () => {
  const { el, saved } = shown({ fields: [{ name: "name", legend: "Name", longest: 5 }, HIGH], button: "Choose" });
  el.querySelector("input[type=text]").value = "Ana";
  el.querySelectorAll("input[type=radio]")[1].checked = true;
  el.querySelector("button").click();
  el.querySelector("button").click();
  const values = { name: "Ana", high: 2 };
  expect(saved).toEqual([{ values, number: 1 }, { values, number: 2 }]);
  expect(el.querySelector("input[type=text]").maxLength).toBe(5);
});

test("what somebody has begun to answer stays while nothing else is asked, and nothing can be sent while it is closed", () => {
  const content = { fields: [HIGH], button: "Choose", disabled: false };
  const { el, saved, say } = shown(content);
  el.querySelectorAll("input")[1].checked = true;
  say({ ...content, disabled: true });
  expect(el.querySelectorAll("input")[1].checked).toBe(true);
  el.querySelector("button").click();
  expect(saved).toEqual([]);
  say({ ...content, fields: [{ ...HIGH, value: 2, legend: "Next" }] });
  expect(el.querySelector("legend").textContent).toBe("Next");
});

test("who goes through it by keyboard stays where they were when something else is asked", () => {
  const content = { fields: [HIGH], button: "Choose" };
  const { el, say } = shown(content);
  el.querySelector("button").focus();
  say({ ...content, fields: [{ ...HIGH, value: 2 }] });
  expect(document.activeElement).toBe(el.querySelector("button"));
  el.querySelectorAll("input")[1].focus();
  say({ ...content, fields: [HIGH] });
  expect(document.activeElement).toBe(el.querySelectorAll("input")[1]);
});
