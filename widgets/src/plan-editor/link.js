// The line to Python: one intent at a time, as a host may merge what is sent before the last was heard.

const PATIENCE = 8000; // milliseconds without an answer
const ONLY_THE_LAST = new Set(["drag", "select"]); // of which a newer one replaces one that still waits
const nobody = () => {};

export function linkTo(model, { view, onSilence }) {
  const waiting = []; // intents, and whom to tell of their answers
  let sent = null;
  let count = 0;
  let timer = null;

  function next() {
    if (sent || waiting.length === 0) return;
    count += 1;
    sent = { ...waiting.shift(), token: `${view}:${count}` };
    timer = setTimeout(giveUp, PATIENCE);
    model.set("intent", { ...sent.intent, token: sent.token });
    model.save_changes();
  }

  function giveUp() {
    const lost = [sent, ...waiting.splice(0)];
    sent = null;
    onSilence();
    for (const { answered } of lost) answered(false);
  }

  return {
    // `answered` is called once the state is drawn that Python answers with: with whether it did what was asked.
    send(intent, answered = nobody) {
      const last = waiting.at(-1);
      if (last && last.intent.type === intent.type && ONLY_THE_LAST.has(intent.type)) waiting.pop();
      waiting.push({ intent, answered });
      next();
    },
    // Whether an intent of this type has no answer yet: what a control shows of it is then newer than the state.
    awaits: (type) => [sent, ...waiting].some((each) => each?.intent.type === type),
    // A state has come, in which Python says what it heard last: returns whom to tell.
    heard(token) {
      if (!sent || token !== sent.token) return nobody;
      clearTimeout(timer);
      const { answered } = sent;
      sent = null;
      return answered;
    },
    next,
    close() {
      clearTimeout(timer);
      waiting.length = 0;
    },
  };
}
