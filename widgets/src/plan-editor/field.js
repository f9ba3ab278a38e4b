// A field that is typed into: it asks for what was typed when that is done, keeps what was refused, and takes it back on Escape.

import { make, set } from "./dom.js";

export function field({ listen, ask, describedBy, properties = {}, onEscape = () => {} }) {
  const input = make("input", { type: "text", autocomplete: "off", spellcheck: "false", ...properties });
  let told = ""; // what the state says
  let asked = null; // what was asked for last, without an answer yet

  function show() {
    input.value = told;
    mark(false);
  }

  function mark(refused) {
    set(input, { "aria-invalid": refused ? "true" : null, "aria-describedby": refused ? describedBy : null });
  }

  listen(input, "change", () => {
    if (input.value === told) return mark(false);
    const mine = { value: input.value };
    asked = mine;
    ask(mine.value, (done) => {
      if (asked !== mine) return; // asked again since, or of something else now
      asked = null;
      if (done) show();
      else mark(true);
    });
  });
  listen(input, "keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    show();
    onEscape();
  });

  return {
    input,
    update(value) {
      const isNew = value !== told;
      told = value;
      if (isNew && !asked) show();
    },
    // The field is of something else now.
    reset(value) {
      told = value;
      asked = null;
      show();
    },
  };
}
