/** The account of the dataset: what is left of it as a bar and in words, and the form that opens one. */

import { ask, refusalOf } from "./ask.js";
import { h } from "./dom.js";
import { inDoubt, labelled, numberInput } from "./fields.js";
import { drawn, shown } from "./numbers.js";
import { onPage } from "./words.js";

const FOR_GOOD =
  "The account counts what is spent on this dataset. Whom it protects is fixed for good; " +
  "its cap can be raised later, never lowered.";
const NO_TABLE = "No table was named. Start the page with snapdp serve --data FILE.";
const NO_ACCOUNT = "Open the account first: it counts what is spent.";
const CONTRADICTS = "The account says something else.";

/** Return what stands in the way of a release, and at which field; null where nothing does. */
export function hindrance({ state, answer, account: held }) {
  if (!state.data) return { words: NO_TABLE, field: null };
  if (answer && held === null) return { words: NO_ACCOUNT, field: "/cap" };
  return held?.contradicts ? { words: CONTRADICTS, field: held.contradicts } : null;
}

/** Return what the ledger has left; a form that opens the account where there is none. */
export function account(model) {
  if (model.account) return balance(model, model.account);
  if (model.answer && model.account === null) return opening(model);
  return h("p", { class: "hint" }, "What the ledger has left is shown as soon as there is a plan.");
}

function balance(model, held) {
  const part = (value) => `${Math.max(0, Math.min(100, (100 * drawn(value)) / (drawn(held.cap) || 1)))}%`;
  const { answer, isReleased } = model;
  const isOver = held.affordable === false && !isReleased;
  const planned = isOver ? held.left : isReleased ? "0" : (answer?.total ?? "0");
  return h("div", { class: "balance", key: "balance" },
    h("h3", {}, "What the ledger has left"),
    h("div", { class: `bar${isOver ? " over" : ""}`, "aria-hidden": "true" },
      h("span", { class: "spent", style: { width: part(held.spent) } }),
      h("span", { class: "planned", style: { width: part(planned) } })),
    h("ul", { class: "key" },
      h("li", { class: "spent" }, `Spent ${held.spent_shown}`),
      answer && h("li", { class: "planned" }, isReleased ? paid(model) : `This plan ${answer.shown.total}`,
        isOver && h("b", {}, ", more than is left")),
      h("li", { class: "free" }, `Left ${held.left_shown} of ${held.cap_shown}`)),
    held.closed && h("p", { class: "refusal" }, "This account is closed: nothing more can be released from it."),
    h("details", { class: "more" },
      h("summary", {}, "What that means"),
      h("p", {}, held.means),
      held.with_plan && !isReleased && h("p", {}, held.with_plan),
      h("p", {}, held.protected)));
}

/** Say that the plan is released, with a way to its numbers where they are not on the page. */
function paid(model) {
  const words = "This plan is released; of the same table the same again is free. ";
  const click = async () => {
    await model.recall();
    document.getElementById("results-title").focus();
  };
  return [words, !model.isShown && h("button", { type: "button", key: "numbers", on: { click } }, "Show its numbers")];
}

function opening(model) {
  const cap = model.cap ?? shown(model.study.budget);
  const submit = (event) => {
    event.preventDefault();
    open(model, cap, event.target);
  };
  const input = (event) => {
    model.cap = event.target.value.trim();
    model.changed();
  };
  const set = (value) => input({ target: { value: String(value) } });
  const field = numberInput("/cap", { value: cap, "aria-invalid": model.notOpened ? "true" : null, on: { input } });
  return h("form", { class: "opening", key: "opening", on: { submit } },
    h("h3", {}, "Open the account"),
    h("p", { class: "hint" }, FOR_GOOD),
    h("div", { class: "fields" },
      labelled({ label: "Cap", hint: "Epsilon in all, over every release." }, [field, inDoubt({ value: cap, set })]),
      h("div", { class: "field beside" }, h("button", { type: "submit", class: "primary" }, "Open the account"))),
    model.notOpened && h("p", { class: "refusal", role: "alert" }, notOpened(model)));
}

function notOpened(model) {
  const { error, advice } = onPage(model.notOpened, model);
  return `${error.charAt(0).toUpperCase()}${error.slice(1)} ${advice}`;
}

async function open(model, cap, form) {
  model.notOpened = await refusalOf(() => ask("/api/open", { study: model.study, cap }));
  if (model.notOpened) {
    model.changed();
    return form.querySelector("input").focus();
  }
  model.cap = undefined;
  model.edited({ now: true });
}
