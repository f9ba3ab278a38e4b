// What was changed, and the form in which somebody signs for it.

import { keyed, listener, make, set } from "./dom.js";

export function sign({ send, undo }) {
  const listen = listener(undo);
  const heading = make("h3");
  const lines = make("ul");
  const note = make("p", { class: "note" });
  const author = make("input", { type: "text", autocomplete: "name" });
  const reason = make("input", { type: "text", autocomplete: "off", class: "wide" });
  const authorLine = make("label", {}, make("span", { class: "caption" }), author);
  const reasonLine = make("label", { class: "grow" }, make("span", { class: "caption" }), reason);
  const accept = make("button", { type: "submit", class: "strong" });
  const form = make("form", { class: "pair" }, authorLine, reasonLine, accept);
  const signedHeading = make("h3");
  const signed = make("ol");
  const element = make("section", { class: "sign" }, heading, lines, note, form, signedHeading, signed);

  listen(form, "submit", (event) => {
    event.preventDefault();
    send({ type: "accept", author: author.value, reason: reason.value }, (done) => {
      if (done) reason.value = "";
    });
  });

  function update({ changes, accepted, words }) {
    for (const each of [heading, lines, form]) set(each, { hidden: !changes.any });
    set(note, { hidden: changes.structure.length === 0, text: words.before_run });
    set(heading, { text: `${words.changes}: ${changes.count}` });
    const all = [...changes.structure, ...changes.shares];
    keyed(lines, all, () => make("li"), (line, text) => set(line, { text }), (text) => text);
    set(authorLine.firstChild, { text: words.author });
    set(reasonLine.firstChild, { text: words.reason });
    set(accept, { text: words.accept });
    for (const each of [signedHeading, signed]) set(each, { hidden: accepted.length === 0 });
    set(signedHeading, { text: words.accepted });
    keyed(
      signed,
      accepted.map((edit, index) => ({ ...edit, id: String(index) })),
      () => make("li"),
      (line, edit) => set(line, { text: `${edit.author}: ${edit.reason} (${edit.lines})` }),
    );
  }

  return { element, update };
}
