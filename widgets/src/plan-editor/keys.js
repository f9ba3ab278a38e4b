// Keys that mean the same wherever in the editor they are pressed, but for fields that are typed into.

export function isTyping(event) {
  const target = event.composedPath()[0];
  return target instanceof Element && target.matches("input:not([type=radio]):not([type=checkbox]), select, textarea");
}

// Returns whether the key was one of these.
export function common(event, actions) {
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

// For a node that has the focus, or the one before a divider that has it.
export function onNode(event, id, actions) {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  if (event.key === "Enter") return done(event, () => actions.type(id));
  if (event.key === "F2") return done(event, () => actions.rename(id));
  if (event.key === "Delete") return done(event, () => actions.remove(id));
  if (event.key.toLowerCase() === "l") return done(event, () => actions.lock(id));
  if (event.key.toLowerCase() === "z") return done(event, () => actions.zoom(id));
  return false;
}

export function done(event, action) {
  event.preventDefault();
  event.stopPropagation();
  action();
  return true;
}
