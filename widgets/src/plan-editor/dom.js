// Elements, made and kept up to date in place, so that what has the focus keeps it. Texts are only ever set as text.

const SVG = "http://www.w3.org/2000/svg";

export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  set(element, properties);
  element.append(...children);
  return element;
}

export function drawn(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  set(element, attributes);
  element.append(...children);
  return element;
}

// Sets attributes: null and false take one away, true leaves it empty, and `text` is the text of the element.
export function set(element, properties) {
  for (const [name, value] of Object.entries(properties)) {
    if (name === "text") {
      if (element.textContent !== value) element.textContent = value;
    } else if (value === null || value === undefined || value === false) {
      element.removeAttribute(name);
    } else {
      const wanted = value === true ? "" : String(value);
      if (element.getAttribute(name) !== wanted) element.setAttribute(name, wanted);
    }
  }
  return element;
}

export function place(element, styles) {
  for (const [name, value] of Object.entries(styles)) {
    if (element.style.getPropertyValue(name) !== value) element.style.setProperty(name, value);
  }
}

// Keeps one child of `parent` for every item, in their order: made by `create`, kept up to date by `update`.
export function keyed(parent, items, create, update, key = (item) => item.id) {
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

// Listens, and notes how to stop.
export function listener(undo) {
  return (target, type, handle, options) => {
    target.addEventListener(type, handle, options);
    undo.push(() => target.removeEventListener(type, handle, options));
  };
}

export function options(select, choices, chosen) {
  keyed(
    select,
    choices,
    () => make("option"),
    (option, choice) => set(option, { value: choice.value, text: choice.label }),
    (choice) => choice.value,
  );
  if (select.value !== chosen) select.value = chosen;
}

export function lockIcon() {
  return drawn(
    "svg",
    { viewBox: "0 0 16 16", class: "lock", "aria-hidden": "true" },
    drawn("path", { d: "M5 7V5a3 3 0 0 1 6 0v2", fill: "none", stroke: "currentColor", "stroke-width": "1.8" }),
    drawn("rect", { x: "3", y: "7", width: "10", height: "7.5", rx: "1.5", fill: "currentColor" }),
  );
}
