/** All elements of a page that match a selector, those in shadow roots too. */
export function everywhere(selector, root = document, found = []) {
  for (const element of root.querySelectorAll("*")) {
    if (element.matches(selector)) found.push(element);
    if (element.shadowRoot) everywhere(selector, element.shadowRoot, found);
  }
  return found;
}
