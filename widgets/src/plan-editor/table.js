// The same as an editable table: for phones, and for whoever reads better in rows.

import { keyed, listener, make, place, set } from "./dom.js";
import { field } from "./field.js";

export function table({ send, awaits, undo, noticeId }) {
  const listen = listener(undo);
  const caption = make("caption");
  const heads = ["name", "share", "lock", "allocated", "unallocated"].map((key) => [
    key,
    make("th", { scope: "col", class: key }),
  ]);
  const body = make("tbody");
  const element = make(
    "div",
    { class: "table", tabindex: 0, role: "region" },
    make("table", {}, caption, make("thead", {}, make("tr", {}, ...heads.map(([, head]) => head))), body),
  );
  const cells = new WeakMap();
  let state = null;

  function makeRow(row) {
    const stop = [];
    const hear = listener(stop);
    const text = (intent, properties) => {
      const ask = (value, answered) => send({ id: row.id, ...intent(value) }, answered);
      return field({ listen: hear, describedBy: noticeId, ask, properties });
    };
    const name = text((value) => ({ type: "rename", name: value }), { class: "wide" });
    const share = text((value) => ({ type: "set_share", value }), { inputmode: "decimal" });
    const limit = (kind) => text((value) => ({ type: "set_limits", [kind]: value }), { inputmode: "numeric" });
    const limits = { allocated: limit("allocated"), unallocated: limit("unallocated") };
    const lock = make("input", { type: "checkbox" });
    hear(lock, "change", () => send({ type: "lock", id: row.id, locked: lock.checked }));
    const said = make("span", { class: "said" });
    const was = make("i");
    const isNode = row.kind === "node";
    const line = make(
      "tr",
      {},
      make("th", { scope: "row", class: "name" }, make("span", { class: "swatch" }), isNode ? name.input : said),
      make("td", { class: "share" }, ...(row.kind === "root" ? [said.cloneNode()] : [share.input, was])),
      make("td", { class: "lock" }, ...(isNode ? [make("label", {}, lock)] : [])),
      make("td", { class: "allocated" }, ...(isNode ? [limits.allocated.input] : [])),
      make("td", { class: "unallocated" }, ...(isNode ? [limits.unallocated.input] : [])),
    );
    cells.set(line, { name, share, limits, lock, said, was });
    return line;
  }

  function updateRow(line, row) {
    const { name, share, limits, lock, said, was } = cells.get(line);
    set(line, { class: `${row.kind}${row.selected ? " selected" : ""}`, "aria-current": row.selected ? "true" : null });
    place(line, { "--level": String(row.level - 1), "--fill": row.fill, "--edge": row.edge });
    set(said, { text: row.name });
    if (row.kind === "root") set(line.children[1].firstChild, { text: row.shown });
    set(was, { text: row.was });
    const typed = { name: [name, row.name], share: [share, row.value] };
    for (const kind of Object.keys(limits)) typed[kind] = [limits[kind], row.limits[kind]];
    for (const [key, [each, value]] of Object.entries(typed)) {
      each.update(value);
      set(each.input, { "aria-label": `${state.fields[key]} ${row.name}`, placeholder: key in limits ? state.words.no_limit : null });
    }
    set(lock, { "aria-label": `${state.fields.lock} ${row.name}` });
    if (!awaits("lock")) lock.checked = row.locked;
  }

  listen(body, "focusin", (event) => {
    const id = event.target.closest("tr")?.dataset.key;
    if (id && id !== state.selected.id) send({ type: "select", id });
  });

  function update(fresh) {
    state = fresh;
    set(caption, { text: state.summary });
    set(element, { "aria-label": `${state.words.tree}, ${state.title}` });
    const words = { ...state.words, share: `${state.words.share}, ${state.unit.short}` };
    for (const [key, head] of heads) set(head, { text: words[key] });
    keyed(body, state.rows, makeRow, updateRow);
  }

  return { element, update };
}
