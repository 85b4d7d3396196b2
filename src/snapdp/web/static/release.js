/** The release: its cost and statement are shown, the look is offered, it is asked once, and then it runs. */

import { ask, refusalOf } from "./ask.js";
import { columnsOf } from "./columns.js";
import { bring, h } from "./dom.js";
import { grouped, shown } from "./numbers.js";

const SAME_AGAIN =
  "This was released before, from the same table. You get the same numbers again, free of charge: " +
  "the ledger stays as it is.";
const FOR_GOOD = "What is charged is charged for good. The same request of the same table is free afterwards.";
const ALONE =
  "This is not protected and not part of the release. It is kept nowhere, and is gone when you close this.";
const KINDS = { boolean: "yes or no", date: "dates", magnitude: "numbers of unknown size" };
const [SHORT_LIST, MOST_NAMES] = [8, 12]; // statistics that are listed unasked; names of categories
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

  /** What is released, in words: each statistic with its remarks, and what is declared of its columns. */
  asked() {
    const { model: { answer }, study } = this;
    const line = ({ title, remarks }) => h("li", {}, title, remarks && h("span", { class: "hint" }, `: ${remarks}`));
    const used = Object.entries(study.columns).filter(([name]) => isUsed(study, name));
    const { statistic } = study;
    return h("details", { class: "more", open: statistic.length <= SHORT_LIST, key: "asked" },
      h("summary", {}, "What is released, and what is declared"),
      h("ul", {}, answer.lines.map(line)),
      h("ul", {}, used.map(([name, held]) => h("li", {}, h("b", {}, name), `: ${declared(held)}`))));
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

const isUsed = (study, name) => study.statistic.some((row) => columnsOf(row).includes(name));
const CELLS = { dropped: "missing cells are left out", middle: "the middle of the bounds stands in for missing cells" };

/** Return what is declared of a column, in words. */
function declared({ kind, lower, upper, missing, categories, from, to, each }) {
  if (categories) return counted(categories);
  if (from && to) return `${from} to ${to}${each ? `, by ${each}` : ""}`;
  const rule = missing === undefined ? "" : (CELLS[missing] ?? `missing cells count as ${shown(missing)}`);
  const range = lower === undefined ? "" : `${grouped(lower)} to ${grouped(upper)}`;
  return [range || KINDS[kind] || "as it is", rule].filter(Boolean).join(", ");
}

function counted(names) {
  const rest = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : "";
  const quoted = names.slice(0, MOST_NAMES).map((each) => `"${each}"`).join(" ");
  return `${names.length === 1 ? "1 category" : `${names.length} categories`}: ${quoted}${rest}`;
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
