// The plan-tree editor. Python sends what is shown, as one `state`, and is sent what somebody wants, as one `intent`.

import { make, set } from "./dom.js";
import { common, isTyping } from "./keys.js";
import { linkTo } from "./link.js";
import { panel } from "./panel.js";
import { picture } from "./picture.js";
import { sign } from "./sign.js";
import { style } from "./style.js";
import { table } from "./table.js";
import { toolbar } from "./toolbar.js";

const NARROW = 560; // pixels below which the table comes first
let views = 0;

export function render({ model, el }) {
  views += 1;
  const view = `plan-${views}-${Math.random().toString(36).slice(2, 8)}`;
  const undo = [];
  const noticeId = `${view}-notice`;
  let state = null;
  let isTable = (el.clientWidth || el.parentElement?.clientWidth || NARROW) < NARROW;

  const title = make("h2");
  const summary = make("p", { class: "summary" });
  const notice = make("p", { class: "notice", id: noticeId, role: "status", "aria-live": "polite" });
  const link = linkTo(model, { view, onSilence: () => say("refused", "", state.words.silent) });
  const { send, awaits } = link;

  const actions = {
    undo: () => send({ type: "undo" }),
    redo: () => send({ type: "redo" }),
    remove: (id) => send({ type: "remove", id }),
    lock: (id) => send({ type: "lock", id, locked: !state.rows.find((row) => row.id === id)?.locked }),
    type: (id) => typeInto("share", id),
    rename: (id) => typeInto("name", id),
    back: () => (isTable ? undefined : parts.picture.focus(state.selected.id)),
    turn: () => {
      isTable = !isTable;
      update();
    },
    zoom: (id) => parts.picture.zoomTo(id),
    zoomed: () => parts.panel.update(state),
    isZoomed: () => parts.picture.zoom() !== "root",
    help: () => parts.toolbar.help(),
  };
  const shared = { view, send, awaits, actions, undo, noticeId };
  const parts = {
    toolbar: toolbar(shared),
    picture: picture(shared),
    table: table(shared),
    panel: panel(shared),
    sign: sign(shared),
  };

  // The field is that of the node that is selected, which may still be on its way.
  function typeInto(key, id) {
    if (id === state.selected.id) parts.panel.type(key);
    else send({ type: "select", id }, () => parts.panel.type(key));
  }

  function say(kind, label, text) {
    const words = [];
    if (label) words.push(make("b", { text: `${label}: ` }));
    words.push(make("span", { text }));
    set(notice, { "data-kind": kind });
    notice.replaceChildren(...words);
  }

  function update() {
    set(title, { text: state.title });
    set(summary, { text: state.summary });
    parts.toolbar.update(state, isTable);
    set(parts.picture.element, { hidden: isTable });
    set(parts.table.element, { hidden: !isTable });
    if (isTable) parts.table.update(state);
    else parts.picture.update(state);
    parts.panel.update(state);
    parts.sign.update(state);
  }

  function onState() {
    const { heard, ...fresh } = model.get("state");
    if (!fresh.rows) return;
    state = fresh;
    const answered = link.heard(heard);
    update();
    const { kind, label, text } = state.notice;
    say(kind, label, text || (state.changes.any ? state.words.hint_changed : state.words.hint));
    answered(kind !== "refused");
    link.next();
  }

  const root = make(
    "div",
    { class: "allotment-plan", "data-lm-suppress-shortcuts": "true" },
    make("style", { text: style }),
    make("header", {}, title, summary),
    parts.toolbar.element,
    parts.toolbar.keys,
    notice,
    make("div", { class: "main" }, make("div", { class: "view" }, parts.picture.element, parts.table.element), parts.panel.element),
    parts.sign.element,
  );

  // Hosts have keys of their own, which must not also act on what is typed here.
  const onKey = (event) => {
    if (!isTyping(event)) common(event, actions);
    event.stopPropagation();
  };
  root.addEventListener("keydown", onKey);
  undo.push(() => root.removeEventListener("keydown", onKey));
  model.on("change:state", onState);
  undo.push(() => model.off("change:state", onState));
  el.append(root);
  onState();

  if (typeof ResizeObserver !== "undefined") {
    let width = root.clientWidth;
    const observer = new ResizeObserver(() => {
      if (root.clientWidth === width) return;
      if (width === 0 && root.clientWidth > 0) isTable = root.clientWidth < NARROW; // it had no size before
      width = root.clientWidth;
      update();
    });
    observer.observe(root);
    undo.push(() => observer.disconnect());
  }

  return () => {
    link.close();
    for (const each of undo.splice(0).reverse()) each();
    root.remove();
  };
}

export default { render };
