// Which cards are on the screen, or nearly: Python draws these first.

const NEAR = "150px";

/** Call `tell` with the names of the cards that are seen, whenever others are. Returns how to look for new cards. */
export function watchSeen(tell) {
  if (typeof IntersectionObserver === "undefined") return { look: () => {}, stop: () => {} };
  const seen = new Set();
  const known = new WeakSet();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) seen.add(nameOf(target));
        else seen.delete(nameOf(target));
      }
      tell([...seen].sort());
    },
    { rootMargin: NEAR },
  );
  const look = () => {
    for (const card of cardsIn(document)) {
      if (known.has(card)) continue;
      known.add(card);
      observer.observe(card);
    }
  };
  return { look, stop: () => observer.disconnect() };
}

function nameOf(card) {
  return [...card.classList].find((each) => each.startsWith("card-"))?.slice("card-".length) ?? "";
}

function cardsIn(root, found = []) {
  for (const element of root.querySelectorAll("*")) {
    if (element.classList.contains("card")) found.push(element);
    if (element.shadowRoot) cardsIn(element.shadowRoot, found);
  }
  return found;
}
