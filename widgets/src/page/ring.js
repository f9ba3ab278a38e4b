import { everywhere } from "./everywhere.js";

// Bokeh rings what has the focus with a dotted line of 1 px in a grey that hardly differs from its buttons, and its fields not at
// all. Each lies in a shadow root of its own, which no style sheet of the page reaches: give each the ring of the plan editor.
const RINGED = ".bk-btn, .bk-input, .bk-spin-btn, .noUi-handle, .accordion-header, .bk-ClickButton, .bk-events, .scroll";
const RING = `:is(${RINGED}):focus-visible { outline: 3px solid #ffbf00 !important; outline-offset: 1px !important;
  box-shadow: 0 0 0 1px #1b1b1b, 0 0 0 5px #1b1b1b !important; }
:is(.bk-events, .scroll):focus-visible { outline-offset: -4px !important; box-shadow: inset 0 0 0 5px #1b1b1b !important; }`;

export function ringFocus() {
  for (const root of new Set(everywhere(RINGED).map((each) => each.getRootNode()))) {
    if (!root.host || root.querySelector("style.ring")) continue;
    const style = document.createElement("style");
    style.className = "ring";
    style.textContent = RING;
    root.append(style);
  }
}
