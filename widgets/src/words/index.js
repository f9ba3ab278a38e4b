// What a page says: lines of text, terms and what is said of them, or a table of text. Python sends `content`, and all of it is set as text, never as HTML. The
// element stays the same as long as it is of the same sort, so that a screen reader hears what changed in it.

export function render({ model, el }) {
  let shown = null;
  let sort = "";
  const update = () => {
    const content = model.get("content");
    const now = JSON.stringify([content.tag, content.attributes]);
    if (now !== sort) {
      shown = document.createElement(content.tag ?? "div");
      for (const [name, value] of Object.entries(content.attributes ?? {})) shown.setAttribute(name, value);
      el.replaceChildren(shown);
      sort = now;
    }
    const what = content.rows ? [table(content)] : content.terms ? [terms(content.terms)] : lines(content.lines ?? []);
    shown.replaceChildren(...what);
  };
  model.on("change:content", update);
  update();
}

function lines(texts) {
  return texts.flatMap((text, at) => (at ? [document.createElement("br"), text] : [text]));
}

// `terms` are [term, what is said of it].
function terms(pairs) {
  const list = document.createElement("dl");
  for (const [term, text] of pairs) {
    const name = document.createElement("dt");
    name.textContent = term;
    const said = document.createElement("dd");
    said.textContent = text;
    list.append(name, said);
  }
  return list;
}

// `head` are rows of [text, how many columns it spans]; `rows` begin with the name of the row.
function table({ head, rows }) {
  const made = document.createElement("table");
  made.className = "figures";
  const top = made.createTHead();
  for (const cells of head) {
    const row = top.insertRow();
    for (const [text, span] of cells) {
      const cell = document.createElement(text ? "th" : "td");
      cell.textContent = text;
      if (text) cell.scope = span > 1 ? "colgroup" : "col";
      if (span > 1) cell.colSpan = span;
      row.append(cell);
    }
  }
  const body = made.createTBody();
  for (const [name, ...cells] of rows) {
    const row = body.insertRow();
    const first = document.createElement("th");
    first.scope = "row";
    first.textContent = name;
    row.append(first);
    for (const text of cells) row.insertCell().textContent = text;
  }
  return made;
}

export default { render };
