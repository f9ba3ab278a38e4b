// Built by `make widgets` from widgets/src: change it there.

// src/copy/index.js
function render({ model, el }) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy link";
  const field = document.createElement("input");
  field.readOnly = true;
  field.hidden = true;
  field.setAttribute("aria-label", "Whole address");
  const said = document.createElement("span");
  said.setAttribute("role", "status");
  el.append(button, said, field);
  const copy = async () => {
    const text = addressOf(model);
    field.value = text;
    try {
      await navigator.clipboard.writeText(text);
      field.hidden = true;
      said.textContent = model.get("whole") ? "Copied: it opens this page as it is set now." : "Copied: put it behind the address of a served page.";
    } catch {
      field.hidden = false;
      field.focus();
      field.select();
      said.textContent = "This browser lets no page copy. The address is selected below: press Ctrl+C, or on a Mac Cmd+C.";
    }
  };
  const stale = () => {
    said.textContent = "";
    field.hidden = true;
  };
  button.addEventListener("click", copy);
  model.on("change:address", stale);
  return () => button.removeEventListener("click", copy);
}
function addressOf(model) {
  const link = model.get("address");
  return model.get("whole") ? new URL(link || "?", window.location.href).href : link;
}
var copy_default = { render };
export {
  copy_default as default,
  render
};
