// Built by `make widgets` from widgets/src: change it there.

// src/plan-editor/dom.js
var SVG = "http://www.w3.org/2000/svg";
function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  set(element, properties);
  element.append(...children);
  return element;
}
function drawn(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  set(element, attributes);
  element.append(...children);
  return element;
}
function set(element, properties) {
  for (const [name, value] of Object.entries(properties)) {
    if (name === "text") {
      if (element.textContent !== value) element.textContent = value;
    } else if (value === null || value === void 0 || value === false) {
      element.removeAttribute(name);
    } else {
      const wanted = value === true ? "" : String(value);
      if (element.getAttribute(name) !== wanted) element.setAttribute(name, wanted);
    }
  }
  return element;
}
function place(element, styles) {
  for (const [name, value] of Object.entries(styles)) {
    if (element.style.getPropertyValue(name) !== value) element.style.setProperty(name, value);
  }
}
function keyed(parent, items, create, update, key = (item) => item.id) {
  const known = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  let before = null;
  for (const item of items) {
    const name = key(item);
    let child = known.get(name);
    known.delete(name);
    if (!child) {
      child = create(item);
      child.dataset.key = name;
    }
    update(child, item);
    const after = before ? before.nextSibling : parent.firstChild;
    if (after !== child) parent.insertBefore(child, after);
    before = child;
  }
  for (const child of known.values()) child.remove();
}
function listener(undo) {
  return (target, type, handle, options2) => {
    target.addEventListener(type, handle, options2);
    undo.push(() => target.removeEventListener(type, handle, options2));
  };
}
function options(select, choices, chosen) {
  keyed(
    select,
    choices,
    () => make("option"),
    (option, choice) => set(option, { value: choice.value, text: choice.label }),
    (choice) => choice.value
  );
  if (select.value !== chosen) select.value = chosen;
}
function lockIcon() {
  return drawn(
    "svg",
    { viewBox: "0 0 16 16", class: "lock", "aria-hidden": "true" },
    drawn("path", { d: "M5 7V5a3 3 0 0 1 6 0v2", fill: "none", stroke: "currentColor", "stroke-width": "1.8" }),
    drawn("rect", { x: "3", y: "7", width: "10", height: "7.5", rx: "1.5", fill: "currentColor" })
  );
}

// src/plan-editor/keys.js
function isTyping(event) {
  const target = event.composedPath()[0];
  return target instanceof Element && target.matches("input:not([type=radio]):not([type=checkbox]), select, textarea");
}
function common(event, actions) {
  const letter = event.key.toLowerCase();
  if ((event.ctrlKey || event.metaKey) && !event.altKey) {
    if (letter === "z") return done(event, event.shiftKey ? actions.redo : actions.undo);
    if (letter === "y") return done(event, actions.redo);
    return false;
  }
  if (event.altKey) return false;
  if (event.key === "?") return done(event, actions.help);
  return false;
}
function onNode(event, id, actions) {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  if (event.key === "Enter") return done(event, () => actions.type(id));
  if (event.key === "F2") return done(event, () => actions.rename(id));
  if (event.key === "Delete") return done(event, () => actions.remove(id));
  if (event.key.toLowerCase() === "l") return done(event, () => actions.lock(id));
  if (event.key.toLowerCase() === "z") return done(event, () => actions.zoom(id));
  return false;
}
function done(event, action) {
  event.preventDefault();
  event.stopPropagation();
  action();
  return true;
}

// src/plan-editor/link.js
var PATIENCE = 8e3;
var ONLY_THE_LAST = /* @__PURE__ */ new Set(["drag", "select"]);
var nobody = () => {
};
function linkTo(model, { view, onSilence }) {
  const waiting = [];
  let sent = null;
  let count = 0;
  let timer = null;
  function next() {
    if (sent || waiting.length === 0) return;
    count += 1;
    sent = { ...waiting.shift(), token: `${view}:${count}` };
    timer = setTimeout(giveUp, PATIENCE);
    model.set("intent", { ...sent.intent, token: sent.token });
    model.save_changes();
  }
  function giveUp() {
    const lost = [sent, ...waiting.splice(0)];
    sent = null;
    onSilence();
    for (const { answered } of lost) answered(false);
  }
  return {
    // `answered` is called once the state is drawn that Python answers with: with whether it did what was asked.
    send(intent, answered = nobody) {
      const last = waiting.at(-1);
      if (last && last.intent.type === intent.type && ONLY_THE_LAST.has(intent.type)) waiting.pop();
      waiting.push({ intent, answered });
      next();
    },
    // Whether an intent of this type has no answer yet: what a control shows of it is then newer than the state.
    awaits: (type) => [sent, ...waiting].some((each) => each?.intent.type === type),
    // A state has come, in which Python says what it heard last: returns whom to tell.
    heard(token) {
      if (!sent || token !== sent.token) return nobody;
      clearTimeout(timer);
      const { answered } = sent;
      sent = null;
      return answered;
    },
    next,
    close() {
      clearTimeout(timer);
      waiting.length = 0;
    }
  };
}

// src/plan-editor/field.js
function field({ listen, ask, describedBy, properties = {}, onEscape = () => {
} }) {
  const input = make("input", { type: "text", autocomplete: "off", spellcheck: "false", ...properties });
  let told = "";
  let asked = null;
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
    ask(mine.value, (done2) => {
      if (asked !== mine) return;
      asked = null;
      if (done2) show();
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
    }
  };
}

// src/plan-editor/panel.js
function panel({ send, actions, undo, noticeId }) {
  const listen = listener(undo);
  let state = null;
  const id = () => state.selected.id;
  const back = () => actions.back();
  const text = (key, properties = {}) => field({
    listen,
    describedBy: noticeId,
    onEscape: back,
    properties,
    ask: (value, answered) => {
      if (key === "name") send({ type: "rename", id: id(), name: value }, answered);
      else if (key === "share") send({ type: "set_share", id: id(), value }, answered);
      else send({ type: "set_limits", id: id(), [key]: value }, answered);
    }
  });
  const fields = {
    name: text("name"),
    share: text("share", { inputmode: "decimal" }),
    allocated: text("allocated", { inputmode: "numeric" }),
    unallocated: text("unallocated", { inputmode: "numeric" })
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
    make("fieldset", {}, addCaption, make("div", { class: "pair" }, added, addShare, addButton))
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
    adding
  );
  listen(lock, "click", () => actions.lock(id()));
  listen(zoom, "click", () => actions.zoom(id()));
  listen(remove, "click", () => actions.remove(id()));
  listen(move, "click", () => send({ type: "move", id: id(), to: parents.value }));
  listen(adding, "submit", (event) => {
    event.preventDefault();
    send({ type: "add", parent: state.selected.adds_to, name: added.value, value: addShare.value }, (done2) => {
      if (done2) added.value = addShare.value = "";
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

// src/plan-editor/layout.js
var LEAST = 31;
function layout(rows, dividers, { height, em, width, closed = /* @__PURE__ */ new Set(), zoom = "root" }) {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const frame = byId.get(zoom) ?? rows[0];
  const scale = frame.size > 0 ? height / frame.size : height;
  const pixel = (at) => (at - frame.start) * scale;
  const shown = rows.filter((row) => isShown(row, byId, closed, frame));
  const depth = Math.max(1, ...shown.map((row) => row.level - 1));
  const boxes = shown.map((row) => {
    const top = Math.max(0, pixel(row.start));
    const bottom = Math.min(height, pixel(row.start + row.size));
    const leaf = row.children === 0 || closed.has(row.id);
    return { row, top, height: Math.max(0, bottom - top), column: row.level - 1, leaf };
  });
  const ends = boxes.filter((box) => box.leaf && (box.row.kind === "node" || box.height > 0.5));
  const aside = ends.some((box) => box.height < 1.5 * em);
  const visible = new Set(shown.map((row) => row.id));
  const handles = dividers.filter((divider) => visible.has(divider.id) && isInside(divider, byId, frame)).map((divider) => ({ divider, top: pixel(divider.at), column: divider.level - 1 }));
  return {
    depth,
    aside,
    boxes,
    labels: aside ? apart(ends, gapOf(em), height) : [],
    handles: slotted(handles, width / depth),
    scale
  };
}
function heightFor(rows, em) {
  const ends = rows.filter((row) => row.children === 0 && (row.kind === "node" || row.size > 0));
  return Math.max(LEAST * em, 1.15 * ends.length * gapOf(em));
}
var gapOf = (em) => Math.max(24, 1.5 * em);
function isShown(row, byId, closed, frame) {
  for (let above = byId.get(row.parent); above; above = byId.get(above.parent)) {
    if (closed.has(above.id)) return false;
  }
  return isWithin(row, frame, byId) || isWithin(frame, row, byId);
}
function isWithin(row, frame, byId) {
  for (let each = row; each; each = byId.get(each.parent)) if (each.id === frame.id) return true;
  return false;
}
function isInside(divider, byId, frame) {
  return isWithin(byId.get(divider.parent) ?? frame, frame, byId);
}
function apart(boxes, gap, height) {
  const labels = boxes.map((box) => ({ row: box.row, anchor: box.top + box.height / 2, y: 0 }));
  labels.sort((one, other) => one.anchor - other.anchor);
  let least = gap / 2;
  for (const label of labels) {
    label.y = Math.max(label.anchor, least);
    least = label.y + gap;
  }
  let most = height - gap / 2;
  for (const label of labels.toReversed()) {
    label.y = Math.min(label.y, most);
    most = label.y - gap;
  }
  return labels;
}
var HIT = 24;
var WIDE = 40;
function slotted(handles, columnWidth) {
  const slots = Math.max(1, Math.floor(columnWidth / WIDE));
  const order = fromTheRight(slots);
  const last = /* @__PURE__ */ new Map();
  return handles.toSorted((one, other) => one.column - other.column || one.top - other.top).map((handle) => {
    const free = order.find((slot2) => handle.top - (last.get(`${handle.column}:${slot2}`) ?? -Infinity) >= HIT);
    const slot = free ?? order[0];
    last.set(`${handle.column}:${slot}`, handle.top);
    return { ...handle, across: (slot + 0.5) / slots };
  });
}
function fromTheRight(count) {
  return Array.from({ length: count }, (_, slot) => count - 1 - slot);
}

// src/plan-editor/picture.js
var ROOT_COLUMN = "var(--root)";
var ROOM = 1.4;
var STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
function picture({ view, send, actions, undo }) {
  const listen = listener(undo);
  const tree = make("div", { role: "tree", class: "tree" });
  const captions = make("div", { class: "captions", "aria-hidden": "true" });
  const leaders = drawn("svg", { class: "leaders", "aria-hidden": "true" });
  const labels = make("div", { class: "labels", "aria-hidden": "true" });
  const handles = make("div", { role: "group", class: "handles" });
  const element = make("div", { class: "picture" }, tree, captions, leaders, labels, handles);
  const closed = /* @__PURE__ */ new Set();
  let zoom = "root";
  let state = null;
  let marks = null;
  let em = 15;
  let held = null;
  const row = (id) => state.rows.find((each) => each.id === id);
  const box = (id) => [...tree.children].find((child) => child.dataset.key === id);
  function canZoom() {
    const byId = new Map(state.rows.map((each) => [each.id, each]));
    const [frame, chosen] = [byId.get(zoom), byId.get(state.selected.id)];
    return frame && frame.size > 0 && (isWithin(chosen, frame, byId) || isWithin(frame, chosen, byId));
  }
  function update(fresh) {
    state = fresh;
    if (!canZoom()) zoom = "root";
    em = parseFloat(getComputedStyle(element).fontSize) || 15;
    const width = element.clientWidth || 640;
    const height = heightFor(state.rows, em);
    marks = layout(state.rows, state.dividers, { height, em, width: width * 0.7, closed, zoom });
    place(element, { height: `${height}px`, "--gutter": marks.aside ? "min(20em, 50%)" : "0px" });
    set(element, { "data-aside": marks.aside });
    set(tree, { "aria-label": `${state.words.tree}, ${state.title}` });
    set(handles, { "aria-label": state.words.dividers });
    keyed(tree, marks.boxes, makeBox, updateBox, (each) => each.row.id);
    const inside = marks.boxes.filter(({ height: height2, leaf }) => height2 >= ROOM * em && !(leaf && marks.aside));
    keyed(captions, inside, () => makeWords("caption-of"), updateCaption, (each) => each.row.id);
    keyed(labels, marks.labels, makeLabel, updateLabel, (each) => each.row.id);
    drawLeaders(width, height);
    keyed(handles, marks.handles, makeHandle, updateHandle, (each) => each.divider.id);
    const tabbed = marks.handles.some((each) => isNextToSelected(each.divider));
    if (!tabbed && handles.firstElementChild) set(handles.firstElementChild, { tabindex: 0 });
  }
  function columnLeft(column) {
    return column === 0 ? "0px" : `calc(${ROOT_COLUMN} + (100% - ${ROOT_COLUMN} - var(--gutter)) * ${(column - 1) / marks.depth})`;
  }
  const makeBox = () => make("div", { role: "treeitem" });
  function updateBox(item, { row: each, top, height, column, leaf }) {
    const selected = each.selected;
    set(item, {
      id: `${view}-${each.id}`,
      class: `box ${each.kind}${selected ? " selected" : ""}${column > 1 ? " inner" : ""}`,
      "aria-label": each.aria,
      "aria-level": each.level,
      "aria-posinset": each.position,
      "aria-setsize": each.of,
      "aria-selected": String(selected),
      "aria-expanded": each.children ? String(!closed.has(each.id)) : null,
      tabindex: selected ? 0 : -1
    });
    place(item, {
      ...extent({ top, height, column, leaf }),
      "--fill": each.fill,
      "--edge": each.edge,
      "--hatch": each.hatch
    });
  }
  function extent({ top, height, column, leaf }) {
    const right = leaf ? "var(--gutter)" : `calc(100% - (${columnLeft(column + 1)}))`;
    return { top: `${top}px`, height: `${height}px`, left: columnLeft(column), right };
  }
  function makeWords(name) {
    const words = make("span", { class: "words" }, make("b"), make("span", { class: "size" }), make("i"));
    return make("div", { class: name }, words);
  }
  function updateCaption(caption, { row: each, top, height, column, leaf }) {
    set(caption, { class: `caption-of ${each.kind}`, "data-room": height < 2 * ROOM * em ? "line" : "block" });
    place(caption, { ...extent({ top, height, column, leaf }), color: each.ink });
    fillWords(caption.firstChild, each);
  }
  function fillWords(words, each) {
    set(words.children[0], { text: each.name });
    set(words.children[1], { text: each.shown });
    set(words.children[2], { text: each.was });
    const icon = words.querySelector(".lock");
    if (each.locked && !icon) words.append(lockIcon());
    if (!each.locked && icon) icon.remove();
  }
  const makeLabel = () => makeWords("label");
  function updateLabel(label, { row: each, y }) {
    set(label, { title: each.aria, class: `label ${each.kind}${each.selected ? " selected" : ""}` });
    place(label, { top: `${y}px` });
    fillWords(label.firstChild, each);
  }
  function drawLeaders(width, height) {
    set(leaders, { viewBox: `0 0 24 ${height}`, width: "24", height });
    keyed(
      leaders,
      marks.labels,
      () => drawn("path", { fill: "none", stroke: "#5b6673", "stroke-width": "1" }),
      (line, { anchor, y }) => set(line, { d: `M0 ${anchor.toFixed(1)}H6L18 ${y.toFixed(1)}H24` }),
      (each) => each.row.id
    );
  }
  function isNextToSelected(divider) {
    const id = state.selected.id;
    return divider.id === id || divider.after === id;
  }
  function makeHandle() {
    return make("div", { role: "separator", "aria-orientation": "horizontal" }, make("span", { class: "grip" }));
  }
  function updateHandle(handle, { divider, top, column, across }) {
    set(handle, {
      class: `handle${divider.why ? " fixed" : ""}`,
      tabindex: isNextToSelected(divider) ? 0 : -1,
      "aria-label": divider.aria,
      "aria-valuenow": divider.now,
      "aria-valuemin": divider.min,
      "aria-valuemax": divider.max,
      "aria-valuetext": divider.why ? `${divider.text}; ${divider.why}` : divider.text,
      "aria-controls": `${view}-${divider.id} ${view}-${divider.after}`,
      "aria-disabled": divider.why ? "true" : null,
      title: divider.why || divider.text
    });
    const left = columnLeft(column);
    const right = `calc((100% - ${ROOT_COLUMN} - var(--gutter)) / ${marks.depth})`;
    if (held?.id !== divider.id) place(handle, { top: `${top}px` });
    place(handle, { left: `calc(${left} + ${right} * ${across.toFixed(4)})` });
  }
  function dividerOf(target) {
    const handle = target instanceof Element ? target.closest("[role=separator]") : null;
    return handle && state.dividers.find((each) => each.id === handle.dataset.key);
  }
  listen(handles, "pointerdown", (event) => {
    const divider = dividerOf(event.target);
    if (!divider || event.button > 0) return;
    event.preventDefault();
    const handle = event.target.closest("[role=separator]");
    const pixels = divider.size * marks.scale;
    const top = marks.handles.find((each) => each.divider.id === divider.id).top;
    const reach = [divider.min, divider.max].map((limit) => top + (limit - divider.now) / 100 * pixels);
    held = { id: divider.id, handle, from: event.clientY, top, reach, pixels };
    handle.focus({ preventScroll: true });
    handle.setPointerCapture?.(event.pointerId);
    element.classList.add("dragging");
    if (divider.why) send({ type: "drag", divider: divider.id, amount: 0 });
  });
  listen(handles, "pointermove", (event) => {
    if (!held || held.pixels === 0) return;
    const moved = event.clientY - held.from;
    const [low, high] = held.reach;
    place(held.handle, { top: `${Math.min(high, Math.max(low, held.top + moved))}px` });
    send({ type: "drag", divider: held.id, amount: moved / held.pixels });
  });
  function release(type) {
    if (!held) return;
    held = null;
    element.classList.remove("dragging");
    send({ type });
  }
  listen(handles, "pointerup", () => release("drop"));
  listen(handles, "pointercancel", () => release("cancel"));
  listen(handles, "focusin", (event) => {
    const divider = dividerOf(event.target);
    if (divider && !held && !isNextToSelected(divider)) send({ type: "select", id: divider.id });
  });
  listen(handles, "keydown", (event) => {
    const divider = dividerOf(event.target);
    if (!divider || event.altKey) return;
    const step = STEPS[event.key];
    const move = (how) => done(event, () => send({ type: "move_divider", divider: divider.id, ...how }));
    if (event.key === "Escape" && held) done(event, () => release("cancel"));
    else if (event.ctrlKey || event.metaKey) return;
    else if (step) move({ points: event.shiftKey ? 5 * step : step });
    else if (event.key === "Home") move({ limit: "min" });
    else if (event.key === "End") move({ limit: "max" });
    else onNode(event, divider.id, actions);
  });
  function idOf(target, part) {
    const found = target instanceof Element ? target.closest(part) : null;
    return found ? found.dataset.key : null;
  }
  listen(tree, "focusin", (event) => {
    const id = idOf(event.target, "[role=treeitem]");
    if (id && id !== state.selected.id) send({ type: "select", id });
  });
  listen(tree, "click", (event) => box(idOf(event.target, "[role=treeitem]"))?.focus({ preventScroll: true }));
  listen(labels, "click", (event) => box(idOf(event.target, ".label"))?.focus({ preventScroll: true }));
  for (const part of [tree, labels]) {
    listen(part, "dblclick", (event) => {
      const id = idOf(event.target, "[role=treeitem], .label");
      if (id) zoomTo(id);
    });
  }
  listen(tree, "keydown", (event) => {
    const id = idOf(event.target, "[role=treeitem]");
    if (!id) return;
    const shown = marks.boxes.map((each2) => each2.row);
    const at = shown.findIndex((each2) => each2.id === id);
    const go = (to) => done(event, () => to && box(to.id)?.focus());
    const each = shown[at];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "ArrowDown") go(shown[at + 1]);
    else if (event.key === "ArrowUp") go(shown[at - 1]);
    else if (event.key === "Home") go(shown[0]);
    else if (event.key === "End") go(shown.at(-1));
    else if (event.key === "ArrowRight" && each.children && closed.has(id)) done(event, () => fold(id, false));
    else if (event.key === "ArrowRight") go(each.children ? shown[at + 1] : null);
    else if (event.key === "ArrowLeft" && each.children && !closed.has(id) && each.kind !== "root") {
      done(event, () => fold(id, true));
    } else if (event.key === "ArrowLeft") go(row(each.parent));
    else onNode(event, id, actions);
  });
  function fold(id, isClosed) {
    if (isClosed) closed.add(id);
    else closed.delete(id);
    update(state);
  }
  function zoomTo(id) {
    const each = row(id);
    const wanted = each.children ? id : each.parent || "root";
    zoom = wanted === zoom ? "root" : wanted;
    closed.delete(zoom);
    update(state);
    actions.zoomed(zoom);
  }
  return {
    element,
    update,
    zoomTo,
    zoom: () => zoom,
    focus: (id) => box(id)?.focus(),
    relayout: () => state && update(state)
  };
}

// src/plan-editor/sign.js
function sign({ send, undo }) {
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
    send({ type: "accept", author: author.value, reason: reason.value }, (done2) => {
      if (done2) reason.value = "";
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
      (line, edit) => set(line, { text: `${edit.author}: ${edit.reason} (${edit.lines})` })
    );
  }
  return { element, update };
}

// src/plan-editor/style.js
var style = `
.allotment-plan {
  --ink: #1b1b1b; --quiet: #4a5560; --line: #c9ced6; --soft: #eef3f8; --strong: #004c8c; --focus: #ffbf00;
  container-type: inline-size; box-sizing: border-box; width: 100%; padding: 0.9em 1em;
  background: #fff; color: var(--ink); border: 1px solid var(--line); border-radius: 8px; text-align: start;
  font: var(--allotment-size, 15px)/1.35 system-ui, "Segoe UI", Roboto, Helvetica, Arial, "Noto Sans", "Noto Sans CJK TC", "Noto Sans CJK HK", sans-serif;
}
.allotment-plan *, .allotment-plan *::before { box-sizing: border-box; }
.allotment-plan [hidden] { display: none !important; }
.allotment-plan h2 { margin: 0; font-size: 1.2em; line-height: 1.2; color: var(--ink); }
.allotment-plan h3 { margin: 0; font-size: 1.05em; line-height: 1.25; overflow-wrap: anywhere; color: var(--ink); }
.allotment-plan p { margin: 0; }
.allotment-plan header { display: flex; flex-wrap: wrap; gap: 0.2em 1em; align-items: baseline; margin-bottom: 0.7em; }
.allotment-plan .summary, .allotment-plan .says, .allotment-plan .note { color: var(--quiet); }

.allotment-plan fieldset { border: 0; margin: 0; padding: 0; min-width: 0; }
.allotment-plan legend, .allotment-plan .caption { display: block; padding: 0; font-size: 0.82em; color: var(--quiet); margin-bottom: 0.15em; }
.allotment-plan button, .allotment-plan input, .allotment-plan select {
  font: inherit; color: inherit; min-height: 2.1em; border: 1px solid #7c8794; border-radius: 5px; background: #fff; padding: 0.15em 0.6em; margin: 0;
}
.allotment-plan button { cursor: pointer; background: var(--soft); white-space: nowrap; }
.allotment-plan button:hover { background: #dfe8f1; }
.allotment-plan button[aria-disabled] { color: #5b6673; border-style: dashed; }
.allotment-plan button[aria-pressed="true"] { background: var(--ink); color: #fff; }
.allotment-plan button.strong { background: var(--strong); border-color: var(--strong); color: #fff; font-weight: 600; }
.allotment-plan input[type="text"] { width: 7em; max-width: 100%; }
.allotment-plan input.wide { width: 100%; }
.allotment-plan input[type="checkbox"] { width: 24px; height: 24px; min-height: 24px; accent-color: var(--strong); }
.allotment-plan input[aria-invalid] { border: 2px solid #b84300; background: #fff6ef; }
.allotment-plan ::placeholder { color: #5b6673; opacity: 1; }
.allotment-plan :focus { outline: none; }
.allotment-plan :focus-visible, .allotment-plan .segments input:focus-visible + span {
  outline: 3px solid var(--focus); outline-offset: 1px; box-shadow: 0 0 0 1px #1b1b1b, 0 0 0 5px #1b1b1b;
}

.allotment-plan .toolbar { display: flex; flex-wrap: wrap; gap: 0.6em 1.1em; align-items: end; }
.allotment-plan .buttons { display: flex; flex-wrap: wrap; gap: 0.4em; }
.allotment-plan .toolbar .buttons { margin-inline-start: auto; }
.allotment-plan .segments { display: flex; flex-wrap: wrap; gap: 3px; }
.allotment-plan .segments label { position: relative; display: flex; }
.allotment-plan .segments input { position: absolute; inset: 0; opacity: 0; width: 100%; height: 100%; cursor: pointer; }
.allotment-plan .segments span { padding: 0.3em 0.65em; border: 1px solid #7c8794; border-radius: 5px; background: #fff; }
.allotment-plan .segments input:checked + span { background: var(--strong); border-color: var(--strong); color: #fff; font-weight: 600; }
.allotment-plan .keys { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(25em, 100%), 1fr)); gap: 0.25em 1.2em; margin: 0.7em 0 0; padding: 0.6em 0.8em; background: var(--soft); border-radius: 6px; }
.allotment-plan .keys > div { display: flex; gap: 0.6em; }
.allotment-plan .keys dt { flex: 0 0 9em; font-weight: 600; }
.allotment-plan .keys dd { margin: 0; }
.allotment-plan .notice { min-height: 2.7em; margin: 0.6em 0 0.5em; padding: 0.3em 0.7em; border-inline-start: 4px solid var(--line); display: flow-root; overflow-wrap: anywhere; }
.allotment-plan .notice[data-kind="done"] { border-color: var(--strong); }
.allotment-plan .notice[data-kind="stopped"] { border-color: #b8860b; background: #fff8e6; }
.allotment-plan .notice[data-kind="refused"] { border-color: #b84300; background: #fff1e8; }

.allotment-plan .main { display: grid; grid-template-columns: minmax(0, 1fr) 18.5em; gap: 1.2em; align-items: start; }
.allotment-plan .picture { position: relative; min-width: 0; --root: 2.6em; }
.allotment-plan .tree, .allotment-plan .handles { position: absolute; inset: 0; }
.allotment-plan .handles { pointer-events: none; }
.allotment-plan .box {
  position: absolute; overflow: hidden; cursor: pointer; background: var(--fill);
  border: 0 solid #fff; border-width: 0 2px 1px 0; min-height: 2px;
}
.allotment-plan .box.inner { box-shadow: inset 0 0 0 1.5px var(--edge), inset 8px 0 0 var(--edge); border-width: 0 2px 1px 0; }
.allotment-plan .box.open {
  box-shadow: inset 0 0 0 1px var(--edge);
  background: repeating-linear-gradient(135deg, #fff 0 5px, var(--hatch) 5px 7px);
}
.allotment-plan .box.root { border: 1px solid #7c8794; border-radius: 4px; margin-inline-end: 3px; }
.allotment-plan .box:hover { filter: brightness(0.95); }
.allotment-plan .box.selected { z-index: 1; outline: 3px solid #1b1b1b; outline-offset: -3px; }
.allotment-plan .box:focus-visible { z-index: 2; outline: 4px solid var(--focus); outline-offset: -4px; box-shadow: inset 0 0 0 6px #1b1b1b; overflow: visible; }
.allotment-plan .box.inner:focus-visible, .allotment-plan .box.open:focus-visible { box-shadow: inset 0 0 0 6px #1b1b1b, 0 0 0 1px #1b1b1b; }
.allotment-plan .words { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 0.6em; padding: 0.2em 0.5em; min-width: 0; }
.allotment-plan .words b { font-weight: 650; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; max-width: 100%; }
.allotment-plan .words i, .allotment-plan td i { font-style: normal; font-size: 0.85em; white-space: nowrap; }
.allotment-plan .words i:not(:empty)::before { content: "("; }
.allotment-plan .words i:not(:empty)::after { content: ")"; }
.allotment-plan .words .size { white-space: nowrap; font-variant-numeric: tabular-nums; }
.allotment-plan .lock { width: 0.9em; height: 0.9em; flex: none; align-self: center; order: -1; margin-inline-end: -0.3em; }
.allotment-plan .captions { position: absolute; inset: 0; pointer-events: none; z-index: 2; }
.allotment-plan .caption-of { position: absolute; overflow: hidden; padding-inline-start: 6px; }
.allotment-plan .caption-of[data-room="line"] > .words { flex-wrap: nowrap; padding: 0 0.2em 0 0.5em; gap: 0.4em; }
.allotment-plan .caption-of.open > .words { background: #fff; width: fit-content; border-radius: 3px; margin: 1px 4px; padding: 0 0.4em; }
.allotment-plan .caption-of.root { padding: 0 3px 0 0; }
.allotment-plan .caption-of.root > .words { writing-mode: vertical-rl; transform: rotate(180deg); height: 100%; width: 100%; padding: 0.5em 0; justify-content: center; gap: 1em; align-items: center; align-content: center; flex-wrap: nowrap; }
.allotment-plan .picture:not([data-aside]) .leaders { display: none; }
.allotment-plan .leaders { position: absolute; top: 0; left: calc(100% - var(--gutter) - 2px); overflow: visible; pointer-events: none; }
.allotment-plan .labels { position: absolute; inset: 0 0 0 auto; width: calc(var(--gutter) - 24px); }
.allotment-plan .label { position: absolute; left: 0; right: 0; height: 24px; margin-top: -12px; display: flex; align-items: center; cursor: pointer; border-radius: 4px; }
.allotment-plan .label:hover { background: var(--soft); }
.allotment-plan .label.selected { background: #1b1b1b; color: #fff; }
.allotment-plan .label.open b { font-weight: 400; }
.allotment-plan .label .words { flex-wrap: nowrap; padding: 0 0.35em; width: 100%; }
.allotment-plan .label .words b { flex: 0 1 8.6em; }
.allotment-plan .label .words .size { flex: 0 0 auto; min-width: 3.6em; text-align: end; }
.allotment-plan .caption-of:not(.root) .words b { min-width: 2.5em; }
.allotment-plan .handle {
  position: absolute; width: 38px; height: 24px; margin: -12px 0 0 -19px; display: grid; place-items: center; z-index: 3;
  cursor: row-resize; pointer-events: auto; touch-action: none; border-radius: 8px;
}
.allotment-plan .grip { width: 30px; height: 8px; border-radius: 4px; background: #1b1b1b; border: 1.5px solid #fff; }
.allotment-plan .handle:hover .grip { height: 12px; border-radius: 6px; }
.allotment-plan .handle.fixed { cursor: not-allowed; }
.allotment-plan .handle.fixed .grip { background: #fff; border: 2px solid #1b1b1b; width: 18px; }
.allotment-plan .handle:focus-visible { background: rgb(255 255 255 / 70%); }

.allotment-plan .panel { display: grid; gap: 0.6em; padding: 0.8em; border: 1px solid var(--line); border-radius: 8px; background: #fafbfc; }
.allotment-plan .panel .typed { display: flex; align-items: center; gap: 0.4em; }
.allotment-plan .panel label:nth-of-type(2) .typed input { width: 100%; }
.allotment-plan .pair { display: flex; flex-wrap: wrap; gap: 0.5em; align-items: end; }
.allotment-plan .pair > label { flex: 1 1 7em; min-width: 0; }
.allotment-plan .pair > input { flex: 1 1 13em; min-width: 0; }
.allotment-plan .pair > input.short { flex: 1 1 6em; }
.allotment-plan .pair select, .allotment-plan .pair > label input { width: 100%; }
.allotment-plan .adding { border-top: 1px solid var(--line); padding-top: 0.6em; }

.allotment-plan .sign { display: grid; gap: 0.5em; margin-top: 0.9em; }
.allotment-plan .sign ul { margin: 0; padding-inline-start: 1.2em; columns: 22em; list-style: disc; }
.allotment-plan .sign li { overflow-wrap: anywhere; break-inside: avoid; }
.allotment-plan .sign ol { margin: 0; padding-inline-start: 1.6em; }
.allotment-plan .sign .grow { flex: 3 1 14em; }

.allotment-plan .table { overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; }
.allotment-plan table { border-collapse: collapse; width: 100%; margin: 0; font-size: 1em; }
.allotment-plan caption { text-align: start; padding: 0.5em 0.7em; color: var(--quiet); }
.allotment-plan th, .allotment-plan td { text-align: start; padding: 0.2em 0.4em; border-top: 1px solid #e3e7ec; font-weight: 400; vertical-align: middle; background: none; }
.allotment-plan thead th { font-size: 0.82em; color: var(--quiet); vertical-align: bottom; }
.allotment-plan th.name { padding-inline-start: calc(0.5em + var(--level, 0) * 1em); }
.allotment-plan tbody th.name { display: flex; align-items: center; gap: 0.4em; min-height: 2.5em; }
.allotment-plan tbody th.name input { flex: 1 1 8em; min-width: 5em; width: auto; border-color: transparent; background: transparent; font-weight: 600; padding-inline: 0.3em; }
.allotment-plan tbody th.name input:hover, .allotment-plan tbody th.name input:focus { border-color: #7c8794; background: #fff; }
.allotment-plan .swatch { flex: none; width: 0.8em; height: 1.4em; border-radius: 3px; background: var(--edge); }
.allotment-plan tr.open .swatch { background: repeating-linear-gradient(135deg, #fff 0 3px, var(--edge) 3px 5px); }
.allotment-plan tr.root .said { font-weight: 600; }
.allotment-plan td.share { white-space: nowrap; }
.allotment-plan td input[type="text"] { width: 6em; text-align: end; }
.allotment-plan td.share i { margin-inline-start: 0.5em; }
.allotment-plan td.lock label { display: grid; place-items: center; width: 28px; height: 28px; }
.allotment-plan tr.selected > * { background: #e6eef6; }

@container (max-width: 860px) { .allotment-plan .main { grid-template-columns: minmax(0, 1fr); } }
@container (max-width: 620px) {
  .allotment-plan .allocated, .allotment-plan .unallocated { display: none; }
  .allotment-plan .panel .allocated, .allotment-plan .panel .unallocated { display: block; }
  .allotment-plan .toolbar .buttons { margin-inline-start: 0; }
  .allotment-plan td i { display: block; }
  .allotment-plan .picture { --root: 1.5em; }
  .allotment-plan table { table-layout: fixed; }
  .allotment-plan thead th.share { width: 7.2em; }
  .allotment-plan thead th.lock { width: 42px; }
  .allotment-plan th.name { padding-inline-start: calc(0.4em + var(--level, 0) * 0.6em); }
  .allotment-plan tbody th.name input { min-width: 0; flex-basis: 4em; }
  .allotment-plan td input[type="text"] { width: 100%; padding-inline: 0.3em; }
  .allotment-plan td.share i { margin-inline-start: 0; }
}
@media (prefers-reduced-motion: no-preference) {
  .allotment-plan .picture:not(.dragging) :is(.box, .label, .handle) { transition: top 0.16s, height 0.16s; }
}
@media (forced-colors: active) { .allotment-plan .box, .allotment-plan .grip { border: 1px solid CanvasText; } }
@media (pointer: coarse) { .allotment-plan .handle { width: 44px; height: 32px; margin: -16px 0 0 -22px; } }
`;

// src/plan-editor/table.js
function table({ send, awaits, undo, noticeId }) {
  const listen = listener(undo);
  const caption = make("caption");
  const heads = ["name", "share", "lock", "allocated", "unallocated"].map((key) => [
    key,
    make("th", { scope: "col", class: key })
  ]);
  const body = make("tbody");
  const element = make(
    "div",
    { class: "table", tabindex: 0, role: "region" },
    make("table", {}, caption, make("thead", {}, make("tr", {}, ...heads.map(([, head]) => head))), body)
  );
  const cells = /* @__PURE__ */ new WeakMap();
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
      make("td", { class: "share" }, ...row.kind === "root" ? [said.cloneNode()] : [share.input, was]),
      make("td", { class: "lock" }, ...isNode ? [make("label", {}, lock)] : []),
      make("td", { class: "allocated" }, ...isNode ? [limits.allocated.input] : []),
      make("td", { class: "unallocated" }, ...isNode ? [limits.unallocated.input] : [])
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

// src/plan-editor/toolbar.js
function toolbar({ view, send, awaits, actions, undo }) {
  const listen = listener(undo);
  const unitWords = make("legend");
  const units = make("div", { class: "segments" });
  const way = make("select");
  const payer = make("select");
  const payerLine = make("label", {}, make("span", { class: "caption" }), payer);
  const wayLine = make("label", {}, make("span", { class: "caption" }), way);
  const buttons = Object.fromEntries(
    ["undo", "redo", "as_table", "help"].map((key) => [key, make("button", { type: "button" })])
  );
  set(buttons.help, { "aria-expanded": "false", "aria-controls": `${view}-keys` });
  const keys = make("dl", { class: "keys", id: `${view}-keys`, hidden: true });
  const element = make(
    "div",
    { class: "toolbar" },
    make("fieldset", { class: "units" }, unitWords, units),
    wayLine,
    payerLine,
    make("div", { class: "buttons" }, ...Object.values(buttons))
  );
  let state = null;
  listen(units, "change", (event) => send({ type: "unit", unit: event.target.value }));
  listen(way, "change", () => {
    const first = state.take.payers[0];
    send({ type: "take", way: way.value, ...way.value === "node" ? { payer: first ? first.value : "" } : {} });
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
      (choice) => choice.value
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
      ([key]) => key
    );
  }
  return { element, keys, update, help };
}

// src/plan-editor/index.js
var NARROW = 560;
var views = 0;
function render({ model, el }) {
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
    back: () => isTable ? void 0 : parts.picture.focus(state.selected.id),
    turn: () => {
      isTable = !isTable;
      update();
    },
    zoom: (id) => parts.picture.zoomTo(id),
    zoomed: () => parts.panel.update(state),
    isZoomed: () => parts.picture.zoom() !== "root",
    help: () => parts.toolbar.help()
  };
  const shared = { view, send, awaits, actions, undo, noticeId };
  const parts = {
    toolbar: toolbar(shared),
    picture: picture(shared),
    table: table(shared),
    panel: panel(shared),
    sign: sign(shared)
  };
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
    parts.sign.element
  );
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
      if (width === 0 && root.clientWidth > 0) isTable = root.clientWidth < NARROW;
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
var plan_editor_default = { render };
export {
  plan_editor_default as default,
  render
};
