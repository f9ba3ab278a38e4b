// Built by `make widgets` from widgets/src: change it there.

// src/slider-names/index.js
var BUTTONS = { "bk-spin-btn-up": "more", "bk-spin-btn-down": "less" };
function within(root, found = []) {
  for (const element of root.querySelectorAll("*")) {
    if (element.matches(".noUi-handle, .bk-spin-btn")) found.push(element);
    if (element.shadowRoot) within(element.shadowRoot, found);
  }
  return found;
}
function name(root) {
  for (const handle of within(root)) {
    const group = handle.closest(".bk-input-group");
    const title = group?.querySelector(".bk-slider-title")?.textContent ?? "";
    const which = Object.keys(BUTTONS).find((each) => handle.classList.contains(each));
    const field = group?.querySelector("label")?.textContent ?? "";
    const words = which ? `${field.trim()}: ${BUTTONS[which]}` : title.replace(/:\s*[^:]*$/, "").trim();
    if (words && handle.getAttribute("aria-label") !== words) handle.setAttribute("aria-label", words);
  }
}
function render() {
  const again = () => name(document);
  const timer = setInterval(again, 700);
  again();
  return () => clearInterval(timer);
}
var slider_names_default = { render };
export {
  slider_names_default as default
};
