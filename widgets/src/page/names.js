import { everywhere } from "./everywhere.js";

// Bokeh's sliders and the buttons of its number fields have no name that a screen reader could say: give each handle the
// title that stands above it, and each button its field's. Nor do its toggles say whether they are on.
const BUTTONS = { "bk-spin-btn-up": "more", "bk-spin-btn-down": "less" };

export function nameHandles() {
  for (const canvas of everywhere(".bk-events")) {
    // Nothing in a picture answers to a key; what it shows is in the sentence and the table below it.
    if (canvas.getAttribute("tabindex") !== "-1") canvas.setAttribute("tabindex", "-1");
  }
  for (const handle of everywhere(".noUi-handle, .bk-spin-btn, .bk-btn")) {
    if (handle.getRootNode().host?.classList.contains("bk-Toggle")) {
      handle.setAttribute("aria-pressed", String(handle.classList.contains("bk-active")));
      continue;
    }
    const group = handle.closest(".bk-input-group");
    const title = group?.querySelector(".bk-slider-title")?.textContent ?? "";
    const which = Object.keys(BUTTONS).find((each) => handle.classList.contains(each));
    const field = group?.querySelector("label")?.textContent ?? "";
    const words = which ? `${field.trim()}: ${BUTTONS[which]}` : title.replace(/:\s*[^:]*$/, "").trim();
    if (words && handle.getAttribute("aria-label") !== words) handle.setAttribute("aria-label", words);
  }
}
