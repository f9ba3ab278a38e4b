// Built by `make widgets` from widgets/src: change it there.

// src/form/index.js
var STYLE = `
:host { overflow-wrap: anywhere; }
form { display: flex; flex-direction: column; gap: 10px; font-size: 16px; color: #1b1b1b; }
fieldset { border: 1px solid #767f8a; border-radius: 4px; margin: 0; padding: 6px 10px; min-width: 0; }
legend { font-weight: 600; padding: 0 4px; }
p { margin: 0 0 4px; color: #333333; font-size: 14px; }
label { display: flex; gap: 8px; align-items: center; min-height: 32px; padding: 2px; cursor: pointer; }
label.text { flex-direction: column; align-items: flex-start; font-weight: 600; }
input[type=radio] { width: 20px; height: 20px; flex: none; margin: 0; accent-color: #004c8c; }
input[type=text] { font: inherit; padding: 8px; border: 1px solid #767f8a; border-radius: 4px; width: min(100%, 24em); box-sizing: border-box; }
button { font: inherit; font-weight: 600; min-height: 44px; padding: 8px 18px; color: #ffffff; background: #004c8c; border: 0; border-radius: 4px; align-self: flex-start; cursor: pointer; }
button:disabled { background: #767f8a; cursor: default; }
fieldset:disabled label { cursor: default; }
:is(input, button):focus-visible { outline: 3px solid #ffbf00; outline-offset: 2px; box-shadow: 0 0 0 2px #1b1b1b, 0 0 0 6px #1b1b1b; }
`;
function render({ model, el }) {
  const style = document.createElement("style");
  style.textContent = STYLE;
  const form = document.createElement("form");
  el.append(style, form);
  let was = "";
  const update = () => {
    const content = model.get("content");
    const { disabled, ...asked } = content;
    const now = JSON.stringify(asked);
    if (now !== was) {
      keepFocus(form, () => build(form, content));
      was = now;
    }
    for (const each of form.querySelectorAll("fieldset, input, button")) each.disabled = Boolean(disabled);
  };
  const send = (event) => {
    event.preventDefault();
    const values = {};
    for (const { name, options } of model.get("content").fields) {
      const value = new FormData(form).get(name) ?? "";
      values[name] = options ? options.find((option) => String(option.value) === value)?.value : value;
    }
    model.set("sent", { values, number: (model.get("sent").number ?? 0) + 1 });
    model.save_changes();
  };
  form.addEventListener("submit", send);
  model.on("change:content", update);
  update();
  return () => {
    form.removeEventListener("submit", send);
    model.off?.("change:content", update);
  };
}
function keepFocus(form, change) {
  const at = form.getRootNode().activeElement;
  const within = at && form.contains(at);
  const same = within ? [at.tagName, at.name, at.type === "radio" ? at.value : ""] : null;
  change();
  if (!same) return;
  const found = [...form.elements].find(
    (each) => each.tagName === same[0] && each.name === same[1] && (each.type !== "radio" || each.value === same[2])
  );
  found?.focus();
}
function build(form, { fields = [], button = "" }) {
  const parts = fields.map((field) => field.options ? group(field) : line(field));
  if (button) {
    const send = document.createElement("button");
    send.type = "submit";
    send.textContent = button;
    parts.push(send);
  }
  form.replaceChildren(...parts);
}
function line({ name, legend, longest, value = "" }) {
  const label = document.createElement("label");
  label.className = "text";
  const input = document.createElement("input");
  Object.assign(input, { type: "text", name, value, maxLength: longest, autocomplete: "off" });
  label.append(legend, input);
  return label;
}
function group({ name, legend, help, options, value }) {
  const box = document.createElement("fieldset");
  const title = document.createElement("legend");
  title.textContent = legend;
  box.append(title);
  if (help) {
    const more = document.createElement("p");
    more.textContent = help;
    box.append(more);
  }
  for (const option of options) {
    const label = document.createElement("label");
    const input = document.createElement("input");
    Object.assign(input, { type: "radio", name, value: String(option.value), checked: option.value === value });
    label.append(input, option.label);
    box.append(label);
  }
  return box;
}
var form_default = { render };
export {
  form_default as default,
  render
};
