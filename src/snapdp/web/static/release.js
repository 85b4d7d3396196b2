/** The release: its cost and statement are shown, the look is offered, it is asked once, and then it runs. */

import { ask, refusalOf } from "./ask.js";
import { bring, h } from "./dom.js";
import { grouped } from "./numbers.js";
import { plain } from "./words.js";

const SAME_AGAIN =
  "This was released before, from the same table. You get the same numbers again, free of charge: " +
  "the ledger stays as it is.";
const FOR_GOOD = "What is charged is charged for good. The same request of the same table is free afterwards.";
const ALONE =
  "This is not protected and not part of the release. It is kept nowhere, and is gone when you close this.";
const SHORT_LIST = 8; // statistics that are listed unasked
const POLL = 300; // milliseconds between two questions how far it is

export class Releasing {
  constructor(model, dialog, done) {
    Object.assign(this, { model, dialog, done, before: null, look: null, refusal: null, work: "" });
    dialog.addEventListener("close", () => this.forget());
    dialog.addEventListener("cancel", (event) => this.work === "release" && event.preventDefault());
  }

  /** Open the dialog on the study as it is. */
  async open() {
    this.forget();
    this.work = "before";
    this.show();
    this.dialog.showModal();
    if (!(await this.model.settled())) return this.dialog.close(); // the plan says why
    this.study = structuredClone(this.model.study);
    await this.attempt(async () => {
      this.before = await ask("/api/before", { study: this.study });
    });
    this.dialog.querySelector("[data-first]")?.focus();
  }

  /** Show how the cells are read; it is forgotten when the dialog closes. */
  async inspect() {
    await this.run("look", async () => {
      this.look = await ask("/api/inspect", { study: this.study });
    });
  }

  /** Charge, and release. */
  async release() {
    let answer = null;
    await this.run("release", async () => {
      const found = await ask("/api/release", { study: this.study, cost: this.before.cost });
      const { dataset, number } = found;
      answer = { ...found, addresses: await ask("/api/addresses", { dataset, number }) };
    });
    if (!answer) return;
    this.dialog.close();
    this.done(answer, this.study);
  }

  forget() {
    Object.assign(this, { before: null, look: null, refusal: null, work: "", percent: null });
    this.show();
  }

  // Work

  async run(work, request) {
    Object.assign(this, { work, refusal: null, percent: null });
    this.show();
    const timer = setInterval(() => this.poll(), POLL);
    try {
      await this.attempt(request);
    } finally {
      clearInterval(timer);
    }
  }

  async attempt(request) {
    this.refusal = await refusalOf(request);
    this.work = "";
    this.show();
  }

  async poll() {
    const { percent } = await ask("/api/progress").catch(() => ({ percent: null }));
    this.percent = percent;
    if (this.work) this.show();
  }

  // What is shown

  show() {
    bring(this.dialog, this.tree());
  }

  tree() {
    const { before, look, refusal, work } = this;
    return h("div", { class: "sheet" },
      h("h2", { id: "release-title" }, before?.free ? "Get the release again" : "Release"),
      work === "before" && h("p", { class: "hint" }, "One moment. No row is read yet."),
      before && this.costs(before),
      look && lookTable(look),
      refusal && refused(refusal),
      ["look", "release"].includes(work) && this.progress(),
      this.buttons(before));
  }

  costs({ free, cost_shown: cost, left_shown: left, remains_shown: remains, sql }) {
    const after = `. The ledger has ${left} left; ${remains} will remain.`;
    const price = h("p", { class: "large" }, "This costs ", h("b", {}, `epsilon ${cost}`), after);
    const statement = h("details", { class: "more", key: "sql" },
      h("summary", {}, "What is asked of the table (SQL)"),
      h("pre", { tabindex: "0" }, sql));
    return [free ? h("p", { class: "large" }, SAME_AGAIN) : [price, h("p", {}, FOR_GOOD)], this.asked(), statement];
  }

  /** What is released, in the words of the server: each statistic, how many numbers, and what is declared of it. */
  asked() {
    const { model: { answer }, before: { asked } } = this;
    const many = (numbers) => (numbers > 1 ? `, ${grouped(numbers)} numbers` : "");
    const line = ({ title, says, numbers }, place) => {
      const about = [...says, plain(answer.lines[place]?.remarks ?? "")].filter(Boolean);
      return h("li", {}, h("b", {}, title), many(numbers), h("ul", {}, about.map((each) => h("li", {}, each))));
    };
    return h("details", { class: "more", open: asked.length <= SHORT_LIST, key: "asked" },
      h("summary", {}, "What is released, and what is declared"),
      h("ul", {}, asked.map(line)));
  }

  progress() {
    const words = this.work === "look" ? "Reading the table" : "Releasing";
    const bar = h("progress", { max: 100, value: this.percent ?? undefined });
    return h("div", { class: "running", role: "status" }, h("label", {}, words, bar));
  }

  buttons(before) {
    const button = (key, words, disabled, click, more = {}) =>
      h("button", { type: "button", key, disabled, on: { click }, ...more }, words);
    const isBusy = this.work !== "";
    const words = before?.free ? "Get it again, free of charge" : `Charge epsilon ${before?.cost_shown} and release`;
    const first = { class: "primary", "data-first": true };
    return h("div", { class: "buttons" },
      before && button("confirm", words, isBusy, () => this.release(), first),
      before && button("look", "Look at how the cells are read", isBusy, () => this.inspect()),
      button("close", before ? "Cancel" : "Close", this.work === "release", () => this.dialog.close()));
  }
}

function refused({ error, advice, spent }) {
  const cost = spent === "0" ? "" : ` Spent: epsilon ${spent}.`;
  return h("div", { class: "refusal", role: "alert" }, h("b", {}, sentence(error)), ` ${advice}${cost}`);
}

const sentence = (words) => words.charAt(0).toUpperCase() + words.slice(1);

/** Return how the cells are read, for the holder of the table alone. */
function lookTable({ heads, lines, notes }) {
  const cell = (each, place) => (place ? h("td", {}, each) : h("th", { scope: "row" }, each));
  const table = h("table", {},
    h("thead", {}, h("tr", {}, heads.map((each) => h("th", { scope: "col" }, each)))),
    h("tbody", {}, lines.map((line) => h("tr", {}, line.map(cell)))));
  return h("section", { class: "look", "aria-labelledby": "look-title" },
    h("h3", { id: "look-title" }, "How the cells are read"),
    h("p", { class: "private" }, h("b", {}, "For you alone. "), ALONE),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Cells by column" }, table),
    notes.map((each) => h("p", { class: "hint" }, each)));
}
