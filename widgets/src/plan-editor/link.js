// The line to Python: one intent at a time, as a host may merge what is sent before the last was heard.

const PATIENCE = 8000; // milliseconds without an answer
const ONLY_THE_LAST = new Set(["drag", "select"]); // of which a newer one replaces one that still waits

export function linkTo(model, { view, onSilence }) {
  const waiting = [];
  let sent = null;
  let count = 0;
  let timer = null;

  function next() {
    if (sent !== null || waiting.length === 0) return;
    count += 1;
    sent = `${view}:${count}`;
    model.set("intent", { ...waiting.shift(), token: sent });
    model.save_changes();
    timer = setTimeout(() => {
      waiting.length = 0;
      sent = null;
      onSilence();
    }, PATIENCE);
  }

  return {
    send(intent) {
      const last = waiting.at(-1);
      if (last && last.type === intent.type && ONLY_THE_LAST.has(intent.type)) waiting.pop();
      waiting.push(intent);
      next();
    },
    // A state has come: Python says which intent it heard last.
    heard(token) {
      if (sent === null || token !== sent) return;
      clearTimeout(timer);
      sent = null;
      next();
    },
    close() {
      clearTimeout(timer);
      waiting.length = 0;
    },
  };
}
