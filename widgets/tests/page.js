// A stand-in for what holds the page's widget: its two traits, and an element.
export function model(traits = {}) {
  const held = { calm: false, address: "?w=x", ...traits };
  const saved = [];
  return {
    saved,
    el: document.body.appendChild(document.createElement("div")),
    model: {
      get: (name) => held[name],
      set: (name, value) => (held[name] = value),
      save_changes: () => saved.push({ ...held }),
    },
  };
}
