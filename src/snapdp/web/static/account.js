/** The account of the dataset: what is left of it as a bar and in words, and the form that opens one. */

import { ask, refusalOf } from "./ask.js";
import { h } from "./dom.js";
import { inDoubt, labelled, numberInput } from "./fields.js";
import { drawn, shown } from "./numbers.js";

const FOR_GOOD =
  "The account counts what is spent on this dataset. Whom it protects is fixed for good; " +
  "its cap can be raised later, never lowered.";

const RELEASED = "This plan is released; the same again is free";

/** Return what the ledger has left; a form that opens the account where there is none. */
export function account(model) {
  const { answer } = model;
  if (!answer) return h("p", { class: "hint" }, "What the ledger has left is shown as soon as there is a plan.");
  return answer.account ? balance(model, answer) : opening(model);
}

function balance(model, { account: held, total, shown: words }) {
  const part = (value) => `${Math.max(0, Math.min(100, (100 * drawn(value)) / (drawn(held.cap) || 1)))}%`;
  const isReleased = model.isReleased && !model.refusal;
  const isOver = !held.affordable && !isReleased;
  const planned = isOver ? held.left : isReleased ? "0" : total;
  const cost = isReleased ? RELEASED : `This plan ${words.total}`;
  return h("div", { class: "balance", key: "balance" },
    h("h3", {}, "What the ledger has left"),
    h("div", { class: `bar${isOver ? " over" : ""}`, "aria-hidden": "true" },
      h("span", { class: "spent", style: { width: part(held.spent) } }),
      h("span", { class: "planned", style: { width: part(planned) } })),
    h("ul", { class: "key" },
      h("li", { class: "spent" }, `Spent ${held.spent_shown}`),
      h("li", { class: "planned" }, cost, isOver && h("b", {}, ", more than is left")),
      h("li", { class: "free" }, `Left ${held.left_shown} of ${held.cap_shown}`)),
    held.closed && h("p", { class: "refusal" }, "This account is closed: nothing more can be released from it."),
    held.contradiction && h("p", { class: "refusal" }, held.contradiction),
    h("details", { class: "more" },
      h("summary", {}, "What that means"),
      h("p", {}, held.means),
      held.with_plan && !isReleased && h("p", {}, held.with_plan),
      h("p", {}, "What is protected: ", held.protected)));
}

function opening(model) {
  const cap = model.cap ?? shown(model.study.budget);
  const submit = (event) => {
    event.preventDefault();
    open(model, cap);
  };
  const input = (event) => {
    model.cap = event.target.value.trim();
    model.changed();
  };
  const set = (value) => input({ target: { value: String(value) } });
  const field = numberInput("/cap", { value: cap, on: { input } });
  const refusal = model.notOpened;
  return h("form", { class: "opening", key: "opening", on: { submit } },
    h("h3", {}, "Open the account"),
    h("p", { class: "hint" }, FOR_GOOD),
    h("div", { class: "fields" },
      labelled({ label: "Cap", hint: "Epsilon in all, over every release." }, [field, inDoubt({ value: cap, set })]),
      h("div", { class: "field beside" }, h("button", { type: "submit", class: "primary" }, "Open the account"))),
    refusal && h("p", { class: "refusal", role: "alert" }, refusal.message));
}

async function open(model, cap) {
  model.notOpened = await refusalOf(() => ask("/api/open", { study: model.study, ...(cap ? { cap } : {}) }));
  if (model.notOpened) return model.changed();
  model.cap = undefined;
  model.edited({ now: true });
}
