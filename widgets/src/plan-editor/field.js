// A field that is typed into: it sends what was typed when that is done, keeps a text that was refused, and takes it back on Escape.

import { make, set } from "./dom.js";

export function field({ listen, onDone, describedBy, properties = {}, onEscape = () => {} }) {
  const input = make("input", { type: "text", autocomplete: "off", spellcheck: "false", ...properties });
  let told = ""; // what the state says
  let asked = false; // sent, and not answered yet

  listen(input, "change", () => {
    if (input.value === told) return;
    asked = true;
    onDone(input.value);
  });
  listen(input, "keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    input.value = told;
    refuse(false);
    onEscape();
  });

  function refuse(isRefused) {
    set(input, { "aria-invalid": isRefused ? "true" : null, "aria-describedby": isRefused ? describedBy : null });
  }

  return {
    input,
    update(value, notice) {
      const changed = value !== told;
      told = value;
      if (asked) {
        asked = false;
        refuse(notice.kind === "refused");
        if (notice.kind === "refused") return;
      } else if (!changed) return;
      else refuse(false);
      input.value = value;
    },
    forget() {
      asked = false;
    },
  };
}
