// Bokeh lays out and paints the whole page anew for every label of an axis, entry of a legend or height of a picture that changes,
// in the middle of the message that changes them, when half of what belongs together is still the old. Here that is done once, in
// the next frame. Pictures that were just added are laid out at once, as they cannot be painted before.

const noted = new WeakSet();
const waiting = new Set(); // pages, each as the picture that asked first

export function layOutOnce() {
  for (const root of window.Bokeh?.index?.roots ?? []) {
    for (const picture of picturesIn(root)) {
      if (noted.has(picture)) continue;
      noted.add(picture);
      const layOut = picture.invalidate_layout.bind(picture);
      picture.invalidate_layout = () => {
        if (waiting.has(root)) return;
        waiting.add(root);
        requestAnimationFrame(() => {
          waiting.delete(root);
          layOut();
        });
      };
    }
  }
}

function picturesIn(view, found = []) {
  if (view.model?.type === "Figure") found.push(view);
  for (const child of view.child_views ?? []) picturesIn(child, found);
  return found;
}
