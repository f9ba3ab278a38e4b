// Where marks go: depth from left to right, siblings from top to bottom. Positions come with the state, as parts of the
// whole; here they become pixels, and labels and handles make room for one another.

const LEAST = 31; // em that the picture is high at least

export function layout(rows, dividers, { height, em, width, closed = new Set(), zoom = "root" }) {
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
  const handles = dividers
    .filter((divider) => visible.has(divider.id) && isInside(divider, byId, frame))
    .map((divider) => ({ divider, top: pixel(divider.at), column: divider.level - 1 }));
  return {
    depth,
    aside,
    boxes,
    labels: aside ? apart(ends, gapOf(em), height) : [],
    handles: slotted(handles, width / depth),
    scale,
  };
}

// How high the picture must be, so that labels beside it have room and some to spare.
export function heightFor(rows, em) {
  const ends = rows.filter((row) => row.children === 0 && (row.kind === "node" || row.size > 0));
  return Math.max(LEAST * em, 1.15 * ends.length * gapOf(em));
}

const gapOf = (em) => Math.max(24, 1.5 * em);

function isShown(row, byId, closed, frame) {
  for (let above = byId.get(row.parent); above; above = byId.get(above.parent)) {
    if (closed.has(above.id)) return false;
  }
  return isWithin(row, frame, byId) || isWithin(frame, row, byId);
}

export function isWithin(row, frame, byId) {
  for (let each = row; each; each = byId.get(each.parent)) if (each.id === frame.id) return true;
  return false;
}

function isInside(divider, byId, frame) {
  return isWithin(byId.get(divider.parent) ?? frame, frame, byId);
}

// Labels at least `gap` apart, each as near to the middle of its box as the others allow.
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

const HIT = 24; // pixels that a handle is high, the least that a finger meets
const WIDE = 40;

// Handles of one column that would lie on one another go side by side.
function slotted(handles, columnWidth) {
  const slots = Math.max(1, Math.floor(columnWidth / WIDE));
  const order = fromTheRight(slots);
  const last = new Map();
  return handles.toSorted((one, other) => one.column - other.column || one.top - other.top).map((handle) => {
    const free = order.find((slot) => handle.top - (last.get(`${handle.column}:${slot}`) ?? -Infinity) >= HIT);
    const slot = free ?? order[0];
    last.set(`${handle.column}:${slot}`, handle.top);
    return { ...handle, across: (slot + 0.5) / slots };
  });
}

// Words begin at the left and may say what a share was, so they leave most room at the right.
function fromTheRight(count) {
  return Array.from({ length: count }, (_, slot) => count - 1 - slot);
}
