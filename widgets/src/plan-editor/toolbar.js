// Units, the way of taking, undo and redo, the switch to the table, and the keys.

import { keyed, listener, make, options, set } from "./dom.js";

export function toolbar({ view, send, awaits, actions, undo }) {
  const listen = listener(undo);
  const unitWords = make("legend");
  const units = make("div", { class: "segments" });
  const way = make("select");
  const payer = make("select");
  const payerLine = make("label", {}, make("span", { class: "caption" }), payer);
  const wayLine = make("label", {}, make("span", { class: "caption" }), way);
  const buttons = Object.fromEntries(
    ["undo", "redo", "as_table", "help"].map((key) => [key, make("button", { type: "button" })]),
  );
  set(buttons.help, { "aria-expanded": "false", "aria-controls": `${view}-keys` });
  const keys = make("dl", { class: "keys", id: `${view}-keys`, hidden: true });
  const element = make(
    "div",
    { class: "toolbar" },
    make("fieldset", { class: "units" }, unitWords, units),
    wayLine,
    payerLine,
    make("div", { class: "buttons" }, ...Object.values(buttons)),
  );
  let state = null;

  listen(units, "change", (event) => send({ type: "unit", unit: event.target.value }));
  listen(way, "change", () => {
    const first = state.take.payers[0];
    send({ type: "take", way: way.value, ...(way.value === "node" ? { payer: first ? first.value : "" } : {}) });
  });
  listen(payer, "change", () => send({ type: "take", way: "node", payer: payer.value }));
  listen(buttons.undo, "click", actions.undo);
  listen(buttons.redo, "click", actions.redo);
  listen(buttons.as_table, "click", actions.turn);
  listen(buttons.help, "click", help);

  function help() {
    keys.hidden = !keys.hidden;
    set(buttons.help, { "aria-expanded": String(!keys.hidden) });
  }

  function update(fresh, isTable) {
    state = fresh;
    const { words } = state;
    set(unitWords, { text: words.units });
    keyed(
      units,
      state.unit.options,
      (choice) => {
        const radio = make("input", { type: "radio", name: `${view}-unit`, value: choice.value });
        return make("label", {}, radio, make("span"));
      },
      (line, choice) => {
        if (!awaits("unit")) line.firstChild.checked = choice.value === state.unit.value;
        set(line.lastChild, { text: choice.label });
      },
      (choice) => choice.value,
    );
    set(wayLine.firstChild, { text: words.take });
    options(way, state.take.options, awaits("take") ? way.value : state.take.value);
    set(payerLine, { hidden: state.take.value !== "node" });
    set(payerLine.firstChild, { text: words.payer });
    options(payer, state.take.payers, awaits("take") ? payer.value : state.take.payer);
    for (const key of ["undo", "redo"]) {
      set(buttons[key], { text: words[key], title: state[key], "aria-disabled": state[key] ? null : "true" });
    }
    set(buttons.as_table, { text: isTable ? words.as_picture : words.as_table });
    set(buttons.help, { text: words.help });
    keyed(
      keys,
      state.keys,
      () => make("div", {}, make("dt"), make("dd")),
      (line, [key, meaning]) => {
        set(line.firstChild, { text: key });
        set(line.lastChild, { text: meaning });
      },
      ([key]) => key,
    );
  }

  return { element, keys, update, help };
}
