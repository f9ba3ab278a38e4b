// In a notebook, Panel's CommManager sends every change back to where it came from: it does not look at whether a change was
// made here (`sync`), as Bokeh does between a browser and a server. Python then reads each picture again that it has just
// drawn, for seconds. Here such changes are left out.

const MANAGER = "panel.models.comm_manager.CommManager";

export function sendNoEchoes() {
  for (const shown of window.Bokeh?.documents ?? []) {
    for (const root of shown.roots?.() ?? []) {
      if (root.type !== MANAGER || Object.hasOwn(root, "_document_changed")) continue;
      const changed = root._document_changed.bind(root);
      root._document_changed = (event) => (event.sync === false ? undefined : changed(event));
    }
  }
}
