// Whether somebody still answers: the server behind a page of its own, or the kernel behind a notebook.

const SERVER = {
  text: "The connection to the server is lost. What you see stays, but nothing that you set is heard.",
  again: true,
};
const GONE = {
  text: "Python has ended or been restarted. What you see stays, but nothing that you set is heard: run the cell again.",
};
const AWAY = { text: "Python does not answer at the moment. What you set is heard once it is connected again." };
const ENDED = ["dead", "restarting", "autorestarting", "terminating"];
const OFTEN = 1000; // ms

/** Call `tell` with a problem when nobody answers, and with null when somebody does again. Returns how to stop. */
export function watchConnection(el, tell) {
  const undo = [];
  for (const shown of window.Bokeh?.documents ?? []) {
    shown.on_event?.("connection_lost", () => tell(SERVER));
    shown.on_event?.("client_reconnected", () => tell(null));
  }
  let gone = false;
  let said = null;
  const look = () => {
    const kernel = kernelOf(el);
    if (!kernel) return;
    gone ||= kernel.isDisposed || ENDED.includes(kernel.status);
    const now = gone ? GONE : kernel.connectionStatus === "disconnected" ? AWAY : null;
    if (now !== said) tell(now);
    said = now;
  };
  const timer = setInterval(look, OFTEN);
  undo.push(() => clearInterval(timer));
  return () => undo.forEach((each) => each());
}

/** The kernel that a notebook has noted for the plot in which an element lies. */
function kernelOf(el) {
  const kernels = window.PyViz?.kernels ?? {};
  for (let at = el; at; at = at.parentNode ?? at.host) {
    if (at.id && kernels[at.id]) return kernels[at.id];
  }
  return null;
}
