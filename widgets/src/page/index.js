// What the page of the workbench needs of the browser: names for the handles of sliders, whether somebody wants less motion,
// a word where nobody answers any more, a ring around what has the focus, which pictures are on the screen, no echoes, and
// one layout a frame.

import { watchConnection } from "./connection.js";
import { sendNoEchoes } from "./echo.js";
import { layOutOnce } from "./layout.js";
import { nameHandles } from "./names.js";
import { ringFocus } from "./ring.js";
import { watchSeen } from "./seen.js";

const AGAIN = 700; // ms: sliders come and go with the cards that hold them

export function render({ model, el }) {
  const alert = document.createElement("div");
  el.append(alert);
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
  };
  const timer = setInterval(again, AGAIN);
  again();
  return () => {
    clearInterval(timer);
    for (const each of undo) each();
  };
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
