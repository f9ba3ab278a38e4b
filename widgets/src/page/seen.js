// Which cards are on the screen, or nearly: Python draws these first.

import { everywhere } from "./everywhere.js";

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
    for (const card of everywhere(".card")) {
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
