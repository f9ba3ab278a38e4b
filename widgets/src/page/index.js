// What the page of the workbench needs of the browser: names for the handles of sliders, whether somebody wants less motion,
// a word where nobody answers any more, a ring around what has the focus, which pictures are on the screen, no echoes, and
// one layout a frame.

import { watchConnection } from "./connection.js";
import { everywhere } from "./everywhere.js";
import { sendNoEchoes } from "./echo.js";
import { layOutOnce } from "./layout.js";
import { nameHandles } from "./names.js";
import { ringFocus } from "./ring.js";
import { watchSeen } from "./seen.js";

const AGAIN = 700; // ms: sliders come and go with the cards that hold them

export function render({ model, el }) {
  const alert = document.createElement("div");
  const skip = skipButton();
  el.append(skip, alert);
  const undo = [watchConnection(el, (problem) => tell(alert, model, problem))];

  const watch = watchSeen((seen) => {
    model.set("seen", seen);
    model.save_changes();
  });
  undo.push(watch.stop);

  const calm = window.matchMedia?.("(prefers-reduced-motion: reduce)");
  if (calm?.matches && !model.get("calm")) {
    model.set("calm", true);
    model.save_changes();
  }
  const again = () => {
    nameHandles();
    ringFocus();
    sendNoEchoes();
    layOutOnce();
    watch.look();
    skip.hidden = everywhere(".right").length === 0; // a page without results has nothing to skip to
  };
  const timer = setInterval(again, AGAIN);
  again();
  return () => {
    clearInterval(timer);
    for (const each of undo) each();
  };
}

/** A button, seen when it has the focus, past all controls to the results. A link could not name them: they lie in a shadow. */
function skipButton() {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Skip to the results";
  const hide = () => (button.style.cssText = "position: absolute; left: -9999px");
  const show = () => (button.style.cssText = "display: inline-block; padding: 6px 10px; background: #ffffff; outline: 3px solid #ffbf00");
  button.addEventListener("focus", show);
  button.addEventListener("blur", hide);
  button.addEventListener("click", () => {
    const [results] = everywhere(".right");
    if (!results) return;
    results.tabIndex = -1;
    results.scrollIntoView();
    results.focus();
  });
  hide();
  return button;
}

function tell(alert, model, problem) {
  alert.replaceChildren();
  if (problem) alert.setAttribute("role", "alert");
  else alert.removeAttribute("role");
  alert.style.cssText = problem ? "border-left: 4px solid #b84300; padding: 6px 10px; background: #fbeee6" : "";
  if (!problem) return;
  alert.append(problem.text);
  if (problem.again) {
    const again = document.createElement("a");
    again.href = model.get("address") || "?";
    again.textContent = "Load the page again with what is set";
    alert.append(" ", again, ".");
  }
}

export default { render };
