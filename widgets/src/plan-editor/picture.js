// The icicle: boxes that are a tree to a screen reader, labels, and the dividers between siblings.

import { drawn, keyed, listener, lockIcon, make, place, set } from "./dom.js";
import { done, onNode } from "./keys.js";
import { heightFor, isWithin, layout } from "./layout.js";

const ROOT_COLUMN = "var(--root)";
const ROOM = 1.4; // em that a line of words needs
const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

export function picture({ view, send, actions, undo }) {
  const listen = listener(undo);
  const tree = make("div", { role: "tree", class: "tree" });
  const captions = make("div", { class: "captions", "aria-hidden": "true" }); // a screen reader is told more by the tree
  const leaders = drawn("svg", { class: "leaders", "aria-hidden": "true" });
  const labels = make("div", { class: "labels", "aria-hidden": "true" });
  const handles = make("div", { role: "group", class: "handles" });
  const element = make("div", { class: "picture" }, tree, captions, leaders, labels, handles);
  const closed = new Set();
  let zoom = "root";
  let state = null;
  let marks = null;
  let em = 15; // pixels
  let held = null; // the divider that is being dragged: where it was taken up, and what a pixel is there

  const row = (id) => state.rows.find((each) => each.id === id);
  const box = (id) => [...tree.children].find((child) => child.dataset.key === id);

  // What is zoomed in on must be there, and must show what is selected.
  function canZoom() {
    const byId = new Map(state.rows.map((each) => [each.id, each]));
    const [frame, chosen] = [byId.get(zoom), byId.get(state.selected.id)];
    return frame && frame.size > 0 && (isWithin(chosen, frame, byId) || isWithin(frame, chosen, byId));
  }

  // Boxes.

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
    const inside = marks.boxes.filter(({ height, leaf }) => height >= ROOM * em && !(leaf && marks.aside));
    keyed(captions, inside, () => makeWords("caption-of"), updateCaption, (each) => each.row.id);
    keyed(labels, marks.labels, makeLabel, updateLabel, (each) => each.row.id);
    drawLeaders(width, height);
    keyed(handles, marks.handles, makeHandle, updateHandle, (each) => each.divider.id);
    const tabbed = marks.handles.some((each) => isNextToSelected(each.divider));
    if (!tabbed && handles.firstElementChild) set(handles.firstElementChild, { tabindex: 0 });
  }

  function columnLeft(column) {
    return column === 0
      ? "0px"
      : `calc(${ROOT_COLUMN} + (100% - ${ROOT_COLUMN} - var(--gutter)) * ${(column - 1) / marks.depth})`;
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
      tabindex: selected ? 0 : -1,
    });
    place(item, {
      ...extent({ top, height, column, leaf }),
      "--fill": each.fill,
      "--edge": each.edge,
      "--hatch": each.hatch,
    });
  }

  function extent({ top, height, column, leaf }) {
    const right = leaf ? "var(--gutter)" : `calc(100% - (${columnLeft(column + 1)}))`;
    return { top: `${top}px`, height: `${height}px`, left: columnLeft(column), right };
  }

  // Words in a box, where there is room.

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

  // Labels beside the picture, where boxes are too small for them.

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
      (each) => each.row.id,
    );
  }

  // Dividers.

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
      title: divider.why || divider.text,
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
    const reach = [divider.min, divider.max].map((limit) => top + ((limit - divider.now) / 100) * pixels);
    held = { id: divider.id, handle, from: event.clientY, top, reach, pixels };
    handle.focus({ preventScroll: true });
    handle.setPointerCapture?.(event.pointerId);
    element.classList.add("dragging");
    if (divider.why) send({ type: "drag", divider: divider.id, amount: 0 }); // Python says why
  });

  listen(handles, "pointermove", (event) => {
    if (!held || held.pixels === 0) return;
    const moved = event.clientY - held.from;
    const [low, high] = held.reach;
    place(held.handle, { top: `${Math.min(high, Math.max(low, held.top + moved))}px` }); // the boxes follow Python's answer
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

  // The tree: the selection follows the focus.

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
    const shown = marks.boxes.map((each) => each.row);
    const at = shown.findIndex((each) => each.id === id);
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
    relayout: () => state && update(state),
  };
}
