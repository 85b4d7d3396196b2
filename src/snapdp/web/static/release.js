/** The release: its cost and statement are shown, the look is offered, it is asked once, and then it runs. */

import { Refusal, ask } from "./ask.js";
import { bring, h } from "./dom.js";

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
    this.study = structuredClone(this.model.study);
    this.work = "before";
    this.show();
    this.dialog.showModal();
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
      answer = await ask("/api/release", { study: this.study, cost: this.before.cost });
    });
    if (!answer) return;
    this.dialog.close();
    this.done(answer);
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
    try {
      await request();
    } catch (problem) {
      if (!(problem instanceof Refusal)) throw problem;
      this.refusal = problem;
    }
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
    const { before } = this;
    return h("div", { class: "sheet" },
      h("h2", { id: "release-title" }, before?.free ? "Get the release again" : "Release"),
      this.work === "before" && h("p", { class: "hint" }, "One moment: the table's file is looked up, no row is read."),
      before && this.costs(before),
      this.look && this.lookTable(),
      this.refusal && h("div", { class: "refusal", role: "alert" }, h("b", {}, sentence(this.refusal.error)), " ", this.refusal.advice, this.refusal.spent !== "0" && ` Spent: epsilon ${this.refusal.spent}.`),
      ["look", "release"].includes(this.work) && this.progress(),
      this.buttons(before));
  }

  costs(before) {
    const words = before.free
      ? [h("p", {}, "This was released before, from the same table. You get the same numbers again, free of charge: the ledger stays as it is.")]
      : [h("p", { class: "large" }, "This costs ", h("b", {}, `epsilon ${before.cost_shown}`), `. The ledger has ${before.left_shown} left; ${before.remains_shown} will remain.`),
         h("p", {}, "What is charged is charged for good. The same request of the same table is free afterwards.")];
    return [words, h("details", { class: "more" }, h("summary", {}, "What is asked of the table (SQL)"), h("pre", { tabindex: "0" }, before.sql))];
  }

  lookTable() {
    const { heads, lines, notes } = this.look;
    return h("section", { class: "look", "aria-labelledby": "look-title" },
      h("h3", { id: "look-title" }, "How the cells are read"),
      h("p", { class: "private" }, h("b", {}, "For you alone. "), "This is not protected and not part of the release. It is kept nowhere, and gone when you close this."),
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "How the cells are read" },
        h("table", {}, h("thead", {}, h("tr", {}, heads.map((each) => h("th", { scope: "col" }, each)))),
          h("tbody", {}, lines.map((line) => h("tr", {}, line.map((each, place) => (place ? h("td", {}, each) : h("th", { scope: "row" }, each)))))))),
      notes.map((each) => h("p", { class: "hint" }, each)));
  }

  progress() {
    const words = this.work === "look" ? "Reading the table" : "Releasing";
    return h("div", { class: "running", role: "status" }, h("label", {}, words, h("progress", { max: 100, value: this.percent ?? undefined })));
  }

  buttons(before) {
    const isBusy = this.work !== "";
    const words = before?.free ? "Get it again, free of charge" : `Charge epsilon ${before?.cost_shown} and release`;
    return h("div", { class: "buttons" },
      before && h("button", { type: "button", class: "primary", key: "confirm", "data-first": true, disabled: isBusy, on: { click: () => this.release() } }, words),
      before && h("button", { type: "button", key: "look", disabled: isBusy, on: { click: () => this.inspect() } }, "Look at how the cells are read"),
      h("button", { type: "button", key: "close", disabled: this.work === "release", on: { click: () => this.dialog.close() } }, before ? "Cancel" : "Close"));
  }
}

const sentence = (words) => words.charAt(0).toUpperCase() + words.slice(1);
