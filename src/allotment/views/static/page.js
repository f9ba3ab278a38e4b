// Built by `make widgets` from widgets/src: change it there.

// src/page/connection.js
var SERVER = {
  text: "The connection to the server is lost. What you see stays, but nothing that you set is heard.",
  again: true
};
var GONE = {
  text: "Python has ended or been restarted. What you see stays, but nothing that you set is heard: run the cell again."
};
var AWAY = { text: "Python does not answer at the moment. What you set is heard once it is connected again." };
var ENDED = ["dead", "restarting", "autorestarting", "terminating"];
var OFTEN = 1e3;
function watchConnection(el, tell2) {
  const undo = [];
  for (const shown of window.Bokeh?.documents ?? []) {
    shown.on_event?.("connection_lost", () => tell2(SERVER));
    shown.on_event?.("client_reconnected", () => tell2(null));
  }
  let gone = false;
  let said = null;
  const look = () => {
    const kernel = kernelOf(el);
    if (!kernel) return;
    gone ||= kernel.isDisposed || ENDED.includes(kernel.status);
    const now = gone ? GONE : kernel.connectionStatus === "disconnected" ? AWAY : null;
    if (now !== said) tell2(now);
    said = now;
  };
  const timer = setInterval(look, OFTEN);
  undo.push(() => clearInterval(timer));
  return () => undo.forEach((each) => each());
}
function kernelOf(el) {
  const kernels = window.PyViz?.kernels ?? {};
  for (let at = el; at; at = at.parentNode ?? at.host) {
    if (at.id && kernels[at.id]) return kernels[at.id];
  }
  return null;
}

// src/page/everywhere.js
function everywhere(selector, root = document, found = []) {
  for (const element of root.querySelectorAll("*")) {
    if (element.matches(selector)) found.push(element);
    if (element.shadowRoot) everywhere(selector, element.shadowRoot, found);
  }
  return found;
}

// src/page/echo.js
var MANAGER = "panel.models.comm_manager.CommManager";
function sendNoEchoes() {
  for (const shown of window.Bokeh?.documents ?? []) {
    for (const root of shown.roots?.() ?? []) {
      if (root.type !== MANAGER || Object.hasOwn(root, "_document_changed")) continue;
      const changed = root._document_changed.bind(root);
      root._document_changed = (event) => event.sync === false ? void 0 : changed(event);
    }
  }
}

// src/page/layout.js
var noted = /* @__PURE__ */ new WeakSet();
var waiting = /* @__PURE__ */ new Set();
function layOutOnce() {
  for (const root of window.Bokeh?.index?.roots ?? []) {
    for (const picture of picturesIn(root)) {
      if (noted.has(picture)) continue;
      noted.add(picture);
      const layOut = picture.invalidate_layout.bind(picture);
      picture.invalidate_layout = () => {
        if (waiting.has(root)) return;
        waiting.add(root);
        requestAnimationFrame(() => {
          waiting.delete(root);
          layOut();
        });
      };
    }
  }
}
function picturesIn(view, found = []) {
  if (view.model?.type === "Figure") found.push(view);
  for (const child of view.child_views ?? []) picturesIn(child, found);
  return found;
}

// src/page/names.js
var BUTTONS = { "bk-spin-btn-up": "more", "bk-spin-btn-down": "less" };
function nameHandles() {
  for (const canvas of everywhere(".bk-events")) {
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

// src/page/ring.js
var RINGED = ".bk-btn, .bk-input, .bk-spin-btn, .noUi-handle, .accordion-header, .bk-ClickButton, .bk-events, .scroll";
var RING = `:is(${RINGED}):focus-visible { outline: 3px solid #ffbf00 !important; outline-offset: 1px !important;
  box-shadow: 0 0 0 1px #1b1b1b, 0 0 0 5px #1b1b1b !important; }
:is(.bk-events, .scroll):focus-visible { outline-offset: -4px !important; box-shadow: inset 0 0 0 5px #1b1b1b !important; }`;
function ringFocus() {
  for (const root of new Set(everywhere(RINGED).map((each) => each.getRootNode()))) {
    if (!root.host || root.querySelector("style.ring")) continue;
    const style = document.createElement("style");
    style.className = "ring";
    style.textContent = RING;
    root.append(style);
  }
}

// src/page/seen.js
var NEAR = "150px";
function watchSeen(tell2) {
  if (typeof IntersectionObserver === "undefined") return { look: () => {
  }, stop: () => {
  } };
  const seen = /* @__PURE__ */ new Set();
  const known = /* @__PURE__ */ new WeakSet();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) seen.add(nameOf(target));
        else seen.delete(nameOf(target));
      }
      tell2([...seen].sort());
    },
    { rootMargin: NEAR }
  );
  const look = () => {
    for (const card of everywhere(".card")) {
      if (known.has(card)) continue;
      known.add(card);
      observer.observe(card);
    }
  };
  return { look, stop: () => observer.disconnect() };
}
function nameOf(card) {
  return [...card.classList].find((each) => each.startsWith("card-"))?.slice("card-".length) ?? "";
}

// src/page/index.js
var AGAIN = 700;
function render({ model, el }) {
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
    skip.hidden = everywhere(".right").length === 0;
  };
  const timer = setInterval(again, AGAIN);
  again();
  return () => {
    clearInterval(timer);
    for (const each of undo) each();
  };
}
function skipButton() {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Skip to the results";
  const hide = () => button.style.cssText = "position: absolute; left: -9999px";
  const show = () => button.style.cssText = "display: inline-block; padding: 6px 10px; background: #ffffff; outline: 3px solid #ffbf00";
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
var page_default = { render };
export {
  page_default as default,
  render
};
