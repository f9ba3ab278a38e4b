// Bokeh lays out the whole page anew for every label of an axis, legend or height that changes, one after the other. Here that
// is done once a frame, after all that one message brings.

const noted = new WeakSet();

export function layOutOnce() {
  for (const root of window.Bokeh?.index?.roots ?? []) {
    if (noted.has(root) || typeof root.invalidate_layout !== "function") continue;
    noted.add(root);
    const layOut = root.invalidate_layout.bind(root);
    let waits = false;
    root.invalidate_layout = () => {
      if (waits) return;
      waits = true;
      requestAnimationFrame(() => {
        waits = false;
        layOut();
      });
    };
  }
}
