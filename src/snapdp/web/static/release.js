/**
 * The release: its cost and statement are shown, the look is offered, it is asked once, and then it runs.
 *
 * Each time the dialog opens there is a new `Opening`: its study, and what was answered about that study. Closing the
 * dialog gives it up with all that it shows; what is answered later is dropped. A release is never given up.
 */

import { Silence, ask, isGivenUp, refusalOf } from "./ask.js";
import { bring, h } from "./dom.js";
import { grouped } from "./numbers.js";
import { onPage, plain } from "./words.js";

const SAME_AGAIN =
  "This was released before, from the same table. You get the same numbers again, free of charge: " +
  "the ledger stays as it is.";
const FOR_GOOD = "What is charged is charged for good. The same request of the same table is free afterwards.";
const ALONE =
  "This is not protected and not part of the release. It is kept nowhere, and is gone when you close this.";
const MAY_BE_CHARGED = "No answer came: it may have been charged. The ledger page tells.";
const UNKNOWN = " What it has cost is not known: the ledger page tells.";
const SHORT_LIST = 8; // statistics that are listed unasked
const POLL = 300; // milliseconds between two questions how far it is

/** What one opening of the dialog is about. */
class Opening {
  study = null;
  plan = null; // what the plan said of the study
  before = null; // what a release would do: agreed to by whoever releases
  look = null;
  refusal = null;
  isUnsure = false; // whether a release was sent that got no answer
  work = "before";
  percent = null;
  controller = new AbortController();

  ask(path, body) {
    return ask(path, body, { signal: this.controller.signal });
  }
}

export class Releasing {
  constructor(model, dialog, { done, openAccount, goTo }) {
    Object.assign(this, { model, dialog, done, openAccount, goTo, opening: null });
    dialog.addEventListener("close", () => this.closed());
    dialog.addEventListener("cancel", (event) => this.isReleasing && event.preventDefault());
  }

  get isReleasing() {
    return this.opening?.work === "release";
  }

  /** Open the dialog on the study as it is. */
  async open() {
    const opening = new Opening();
    this.opening?.controller.abort();
    this.opening = opening;
    this.show();
    this.dialog.showModal();
    this.dialog.querySelector("h2").focus();
    const isPlanned = await this.model.settled();
    if (opening !== this.opening) return;
    if (!isPlanned) return this.dialog.close(); // the plan says why
    Object.assign(opening, { study: structuredClone(this.model.study), plan: this.model.answer });
    await this.ask(opening);
  }

  /** Ask what a release would do; only then it can be agreed to. */
  async ask(opening) {
    Object.assign(opening, { before: null, work: "before" });
    this.show();
    await this.attempt(opening, async () => {
      opening.before = await opening.ask("/api/before", { study: opening.study });
    });
    if (opening === this.opening && !opening.before) this.model.refresh(); // there may be no account any more
  }

  /** Show how the cells are read; it is forgotten when the dialog closes. */
  async inspect(opening) {
    opening.refusal = null;
    await this.run(opening, "look", async () => {
      opening.look = await opening.ask("/api/inspect", { study: opening.study });
    });
  }

  /** Charge what was shown, and release. Where that is refused, what it would do is asked anew. */
  async release(opening) {
    if (opening.work || !opening.before) return;
    const { study, before: { cost, agreed } } = opening;
    let answer = null;
    Object.assign(opening, { refusal: null, isUnsure: false });
    await this.run(opening, "release", async () => {
      const found = await ask("/api/release", { study, cost, agreed });
      const { dataset, number } = found;
      const addresses = await ask("/api/addresses", { dataset, number }).catch(() => null); // the ledger page has them
      answer = { ...found, addresses };
    });
    if (answer) return this.finish(opening, answer);
    const { refusal } = opening;
    opening.isUnsure = refusal instanceof Silence;
    await this.ask(opening);
    opening.refusal ??= refusal;
    this.show();
  }

  finish(opening, answer) {
    if (opening === this.opening) this.dialog.close();
    this.done(answer);
  }

  /** Leave a statistic out that was released before, and ask what the rest would do. */
  leaveOut(opening, place) {
    this.dialog.close();
    this.model.remove(this.model.ids[place]);
    if (opening.study.statistic.length > 1) this.open();
  }

  /** Forget what was shown. A browser may close a dialog that works: it is opened again. */
  closed() {
    if (this.dialog.open) return; // it was opened anew meanwhile
    if (this.isReleasing) return this.dialog.showModal();
    this.opening?.controller.abort();
    this.opening = null;
    this.show();
  }

  // Work

  async run(opening, work, request) {
    Object.assign(opening, { work, percent: null });
    this.show();
    const timer = setInterval(() => this.poll(opening), POLL);
    try {
      await this.attempt(opening, request);
    } finally {
      clearInterval(timer);
    }
  }

  async attempt(opening, request) {
    try {
      opening.refusal = await refusalOf(request);
    } catch (problem) {
      if (!isGivenUp(problem)) throw problem;
    }
    opening.work = "";
    this.show();
  }

  async poll(opening) {
    const { percent } = await ask("/api/progress").catch(() => ({ percent: null }));
    opening.percent = percent;
    if (opening.work) this.show();
  }

  // What is shown

  show() {
    if (this.isReleasing) this.dialog.setAttribute("closedby", "none");
    else this.dialog.removeAttribute("closedby");
    bring(this.dialog, this.opening ? this.tree(this.opening) : []);
  }

  tree(opening) {
    const { before, look, refusal, work, isUnsure } = opening;
    return h("div", { class: "sheet" },
      h("h2", { id: "release-title", tabindex: "-1" }, before?.free ? "Get the release again" : "Release"),
      work === "before" && h("p", { class: "hint" }, "One moment. No row is read yet."),
      before && this.costs(opening),
      look && lookTable(look),
      isUnsure && h("p", { class: "refusal", role: "alert" }, h("b", {}, MAY_BE_CHARGED)),
      refusal && refused(refusal, isUnsure, this.model),
      ["look", "release"].includes(work) && progress(opening),
      this.buttons(opening));
  }

  costs(opening) {
    const { free, cost_shown: cost, left_shown: left, remains_shown: remains, ...before } = opening.before;
    const after = `. The ledger has ${left} left; ${remains} will remain.`;
    const price = h("p", { class: "large" }, "This costs ", h("b", {}, `epsilon ${cost}`), after);
    const statement = h("details", { class: "more", key: "sql" },
      h("summary", {}, "What is asked of the table (SQL)"),
      h("pre", { tabindex: "0" }, before.sql_shown));
    const [account, table] = [before.account_shown, before.table_shown].map((each) => h("b", {}, each));
    return [
      h("p", {}, free ? "Of the account " : "Charged to the account ", account, ". Read from ", table, "."),
      free ? h("p", { class: "large" }, SAME_AGAIN) : [price, h("p", {}, FOR_GOOD)],
      this.repeated(opening),
      asked(opening),
      statement,
    ];
  }

  /** Say which statistics were released before, each with a way to leave it out. */
  repeated(opening) {
    const { before: { released }, plan: { lines } } = opening;
    const item = (told, place) => told && h("li", { key: place },
      h("b", {}, lines[place].title), `: ${told}. `, this.leaving(opening, place));
    const items = released.map(item).filter(Boolean);
    return items.length > 0 && h("ul", { class: "repeated", key: "repeated" }, items);
  }

  leaving(opening, place) {
    const given = { type: "button", disabled: opening.work !== "", on: { click: () => this.leaveOut(opening, place) } };
    return h("button", { ...given, "aria-label": `Leave out ${opening.plan.lines[place].title}` }, "Leave it out");
  }

  buttons(opening) {
    const { before, work, refusal } = opening;
    const isOfFile = !work && refusal?.field?.startsWith("/csv/");
    const button = (key, words, click, more = {}) =>
      h("button", { type: "button", key, disabled: work !== "", on: { click }, ...more }, words);
    const words = before?.free ? "Get it again, free of charge" : `Charge epsilon ${before?.cost_shown} and release`;
    const isLacking = !before && !work && !this.model.account;
    return h("div", { class: "buttons" },
      before && button("confirm", words, () => this.release(opening), { class: "primary" }),
      before && button("look", "Look at how the cells are read", () => this.inspect(opening)),
      isLacking && button("open", "Open the account", () => this.toAccount(), { class: "primary" }),
      isOfFile && button("file", "Say how the file is written", () => this.toFile(refusal.field), { class: "primary" }),
      !before && !work && !isLacking && button("again", "Ask again", () => this.ask(opening)),
      button("close", before ? "Cancel" : "Close", () => this.dialog.close(), { disabled: work === "release" }));
  }

  toAccount() {
    this.dialog.close();
    this.openAccount();
  }

  toFile(field) {
    this.dialog.close();
    this.goTo(field);
  }
}

/** Return what is released, in the words of the server: each statistic, how many numbers, what is declared of it. */
function asked({ plan, before }) {
  const many = (numbers) => (numbers > 1 ? `, ${grouped(numbers)} numbers` : "");
  const line = ({ title, says, numbers }, place) => {
    const about = [...says, plain(plan.lines[place]?.remarks ?? "")].filter(Boolean);
    return h("li", {}, h("b", {}, title), many(numbers), h("ul", {}, about.map((each) => h("li", {}, each))));
  };
  return h("details", { class: "more", open: before.asked.length <= SHORT_LIST, key: "asked" },
    h("summary", {}, "What is released, and what is declared"),
    h("ul", {}, before.asked.map(line)));
}

function progress({ work, percent }) {
  const words = work === "look" ? "Reading the table" : "Releasing";
  const bar = h("progress", { max: 100, value: percent ?? undefined });
  return h("div", { class: "running", role: "status" }, h("label", {}, words, bar));
}

function refused(refusal, isUnsure, model) {
  const { error, spent } = refusal;
  const { advice } = onPage(refusal, model);
  const told = spent === "unknown" ? UNKNOWN : ` Spent: epsilon ${spent}.`;
  const cost = spent === "0" || isUnsure ? "" : told;
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
