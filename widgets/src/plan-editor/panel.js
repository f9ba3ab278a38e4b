// What can be done with the node that is selected.

import { listener, make, options, set } from "./dom.js";
import { field } from "./field.js";

export function panel({ send, actions, undo, noticeId }) {
  const listen = listener(undo);
  let state = null;
  const id = () => state.selected.id;
  const back = () => actions.back();
  const text = (key, properties = {}) =>
    field({
      listen,
      describedBy: noticeId,
      onEscape: back,
      properties,
      ask: (value, answered) => {
        if (key === "name") send({ type: "rename", id: id(), name: value }, answered);
        else if (key === "share") send({ type: "set_share", id: id(), value }, answered);
        else send({ type: "set_limits", id: id(), [key]: value }, answered);
      },
    });
  const fields = {
    name: text("name"),
    share: text("share", { inputmode: "decimal" }),
    allocated: text("allocated", { inputmode: "numeric" }),
    unallocated: text("unallocated", { inputmode: "numeric" }),
  };
  const heading = make("h3");
  const says = make("p", { class: "says" });
  const unit = make("span", { class: "unit" });
  const lines = {};
  for (const [key, each] of Object.entries(fields)) {
    lines[key] = make("label", {}, make("span", { class: "caption" }), make("span", { class: "typed" }, each.input));
  }
  lines.share.lastChild.append(unit);
  const lock = make("button", { type: "button" });
  const zoom = make("button", { type: "button" });
  const remove = make("button", { type: "button" });
  const parents = make("select");
  const move = make("button", { type: "button" });
  const inside = make("label", {}, make("span", { class: "caption" }), parents);
  const moving = make("div", { class: "pair" }, inside, move);
  const added = make("input", { type: "text", autocomplete: "off" });
  const addShare = make("input", { type: "text", inputmode: "decimal", autocomplete: "off", class: "short" });
  const addCaption = make("legend");
  const addButton = make("button", { type: "submit" });
  const adding = make(
    "form",
    { class: "adding" },
    make("fieldset", {}, addCaption, make("div", { class: "pair" }, added, addShare, addButton)),
  );
  const limits = make("div", { class: "pair" }, lines.allocated, lines.unallocated);
  const element = make(
    "section",
    { class: "panel" },
    heading,
    says,
    lines.share,
    make("div", { class: "buttons" }, lock, zoom, remove),
    lines.name,
    limits,
    moving,
    adding,
  );

  listen(lock, "click", () => actions.lock(id()));
  listen(zoom, "click", () => actions.zoom(id()));
  listen(remove, "click", () => actions.remove(id()));
  listen(move, "click", () => send({ type: "move", id: id(), to: parents.value }));
  listen(adding, "submit", (event) => {
    event.preventDefault();
    send({ type: "add", parent: state.selected.adds_to, name: added.value, value: addShare.value }, (done) => {
      if (done) added.value = addShare.value = "";
    });
  });

  function update(fresh) {
    const before = state;
    state = fresh;
    const { selected, words, notice } = state;
    const another = before && before.selected.id !== selected.id;
    const values = { name: selected.name, share: selected.value, ...selected.limits };
    for (const [key, each] of Object.entries(fields)) {
      if (another) each.reset(values[key]);
      else each.update(values[key]);
      set(lines[key].firstChild, { text: words[key] });
    }
    const isNode = selected.kind === "node";
    for (const key of ["allocated", "unallocated"]) set(fields[key].input, { placeholder: words.no_limit });
    set(heading, { text: selected.path });
    set(says, { text: selected.says });
    set(unit, { text: state.unit.short });
    set(lines.share, { hidden: selected.kind === "root" });
    for (const each of [lines.name, limits, moving, lock, remove]) set(each, { hidden: !isNode });
    set(lock, { text: selected.lock, "aria-pressed": String(selected.locked) });
    set(zoom, { hidden: selected.kind === "root" && !actions.isZoomed(), text: actions.isZoomed() ? words.zoom_out : words.zoom_in });
    set(remove, { text: words.remove });
    set(move, { text: words.move });
    set(inside.firstChild, { text: words.inside });
    if (another || parents.value === "" || notice.kind === "done") options(parents, selected.parents, selected.parent);
    set(addCaption, { text: selected.adds_label });
    set(added, { "aria-label": words.add_name, placeholder: words.add_name });
    set(addShare, { "aria-label": words.add_share, placeholder: words.add_share });
    set(addButton, { text: words.add });
  }

  function type(key) {
    fields[key].input.focus();
    fields[key].input.select();
  }

  return { element, update, type };
}
