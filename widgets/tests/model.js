// A model as both hosts give one, with Python's answers out of a session that a pytest wrote.

import { readFileSync } from "node:fs";

export const fixture = (name) =>
  JSON.parse(readFileSync(`fixtures/plan-editor/${name}.json`, "utf8"));

export class Model {
  constructor(state) {
    this.values = { state: { ...state, heard: "" }, intent: {} };
    this.listeners = new Set();
    this.sent = [];
    this.answers = [];
    this.isSilent = false;
  }

  get(name) {
    return this.values[name];
  }

  set(name, value) {
    this.values[name] = value;
  }

  on(_event, listener) {
    this.listeners.add(listener);
  }

  off(_event, listener) {
    this.listeners.delete(listener);
  }

  save_changes() {
    const { token, ...intent } = this.values.intent;
    this.sent.push(intent);
    this.token = token;
    if (!this.isSilent) this.answer(this.answers.shift() ?? this.values.state);
  }

  answer(state) {
    this.values.state = { ...state, heard: this.token };
    for (const listener of [...this.listeners]) listener();
  }
}

// The state after an intent of the session, and those before it.
export function after(session, intent) {
  const wanted = JSON.stringify(intent);
  const step = session.find((each) => JSON.stringify(each.intent) === wanted);
  if (!step) throw new Error(`the session has no ${wanted}`);
  return step.state;
}
