/** The page on which a study is planned and released: what is where, and what follows from what. */

import { account, hindrance } from "./account.js";
import { ask } from "./ask.js";
import { knownColumns } from "./column_fields.js";
import { askAgain, columnsCard } from "./columns.js";
import { Copying, openStudyFile } from "./copy.js";
import { at, bring, h, listen } from "./dom.js";
import { goTo, showFault } from "./faults.js";
import { inDoubt, labelled, numberInput } from "./fields.js";
import { Model } from "./model.js";
import { Panel } from "./panel.js";
import { Releasing } from "./release.js";
import { results } from "./results.js";
import { focusOn, planTable } from "./rows.js";
import { aboutStudy, protection } from "./study_card.js";
import { GUESS, onPage, plain, signBetween, toWrite } from "./words.js";

const model = new Model();
const panel = new Panel(model, at("consequence"));
const releasing = new Releasing(model, at("release"), {
  done: released,
  openAccount: () => goTo(capField()),
  goTo: (field) => goTo(csvField(field)),
});
const copying = new Copying(model, at("copy"));
const EMPTY = "Nothing is planned yet. Add the first statistic, and see what it costs and how far it may be off.";
const NO_TABLE = "No table was named: this page plans, and releases nothing.";
const GUESSED =
  'Your guess, for errors with "if": fewer rows, larger errors. Groups have equal shares. Empty: the most allowed.';
const TO_GUESS = "Write a whole number, such as 500.";
const SAYING = 700; // milliseconds after an edit until the total is said to screen readers
let saying = 0;

/** Bring the page to what the model holds. */
function show() {
  askAgain(model);
  bring(at("table-name"), aboutTable(model.state.data));
  const right = h("div", {}, aboutStudy(model), h("div", { id: "account" }, account(model)));
  bring(at("study"), h("div", { class: "halves" }, protection(model), right));
  bring(at("plan"), plan());
  bring(at("columns-place"), columnsCard(model, goTo));
  bring(at("results"), results(model));
  bring(at("column-names"), knownColumns(model).map((name) => h("option", { value: name })));
  showFault(at("main"), model);
}

function plan() {
  const { answer, ids, refusal } = model;
  return [
    ids.length ? planTable(model) : h("p", { class: "empty" }, EMPTY),
    h("div", { class: "buttons" }, button("Add a statistic", add, { id: "add" })),
    answer && h("div", { class: refusal ? "stale" : "", key: "total" }, total(answer)),
    h("p", { id: "why", class: "why", key: "why", hidden: true }),
    h("div", { class: "buttons foot", key: "foot" }, foot(!answer || refusal !== null)),
  ];
}

const button = (words, click, given = {}) => h("button", { type: "button", on: { click }, ...given }, words);

function foot(disabled) {
  const isHindered = disabled || hindrance(model) !== null;
  const file = { type: "file", class: "hidden", accept: ".toml,text/plain", on: { change: chosen } };
  const again = model.state.study ? "Start again from the file" : "Start again";
  return [
    button("Release ...", () => releasing.open(), { class: "primary", disabled: isHindered }),
    button("Copy as ...", () => copying.open(), { disabled }),
    h("label", { class: "button" }, "Open a study file", h("input", file)),
    button(again, () => model.startAgain(), { class: "quiet" }),
    model.former && button("Bring back what was here", () => model.bringBack(), { class: "quiet", key: "former" }),
  ];
}

const capField = () => document.querySelector('[data-field="/cap"]') ?? at("study");

function total({ shown, words, over, budget, total: exact, odds }) {
  const differs = budget !== null && budget !== exact;
  const fit = { class: "primary", key: "fit", disabled: model.refusal !== null };
  const list = (sentences) => sentences.filter(Boolean).map((each) => h("li", {}, each));
  return [
    h("p", { class: "total" },
      model.refusal && "Before your last change: ",
      h("b", {}, `epsilon ${shown.total}`),
      budget === null ? " in total" : ` of a budget of ${shown.budget}`,
      over && h("b", { class: "mark" }, " ! too much"),
      differs && button("Fit to the budget", () => model.edited({ fit: true, now: true }), fit)),
    words.warning && h("p", { class: "refusal" }, words.warning),
    words.advice.length > 0 && h("ul", { class: "advice" }, list(words.advice.map(plain))),
    h("p", { class: "odds" }, odds.text),
    guessField(model.answer),
    h("details", { class: "more", key: "legend" },
      h("summary", {}, "How to read this plan"),
      h("ul", {}, list([...words.legend, ...words.reading, words.bounds]))),
  ];
}

/** Return the field for a guess of the rows, where errors depend on it. */
function guessField({ lines }) {
  const isNeeded = lines.some((line) => (line.errors ?? []).some((each) => !each.promised));
  if (!isNeeded && !model.ifRows) return null;
  const input = (event) => model.suppose(event.target.value.trim());
  const made = numberInput("/if_rows", { value: model.ifRows, on: { input } });
  const isUnread = model.ifRows && model.guess.if_rows === undefined;
  const doubtful = inDoubt({ value: model.ifRows, set: (rows) => model.suppose(String(rows)) });
  const notRead = () => h("p", { class: "asked-back" }, "! Not read. ", toWrite("/if_rows", model) ?? TO_GUESS);
  return h("div", { class: "fields guess", key: "guess" },
    labelled({ label: GUESS, hint: GUESSED }, [made, doubtful ?? (isUnread && notRead())]));
}

function add() {
  focusOn(model.add({ kind: "" }));
}

async function chosen(event) {
  const [file] = event.target.files;
  if (file) await openStudyFile(model, file);
  event.target.value = "";
}

/** Show the numbers of a release, and what the ledger has left after it. */
function released(answer) {
  model.keep(answer);
  at("results-title").focus({ preventScroll: true });
  at("results").scrollIntoView({ block: "start" });
}

/** Say the total, or the refusal, when typing has paused. */
function say() {
  clearTimeout(saying);
  saying = setTimeout(() => {
    const { refusal, answer } = model;
    const why = refusal && onPage(refusal, model);
    const words = why ? `${why.error} ${why.advice}` : (answer?.words.title ?? "");
    if (at("said").textContent !== words) at("said").textContent = words;
  }, SAYING);
}

/** Return what the table is called, and why its names could not be read, where that is so. */
function aboutTable(data) {
  if (!data) return [NO_TABLE];
  return [`Table: ${data.name}. ${data.problem} `, data.problem ? toDialect() : otherSign(data)].filter(Boolean);
}

/** Ask back where all names stand in one column, with a sign between them that the file may have between its cells. */
function otherSign(data) {
  const found = signBetween(data);
  if (!found || model.study.csv?.delimiter) return null;
  const { delimiter, called } = found;
  const click = () => {
    model.set(model.study, "csv", { ...model.study.csv, delimiter }, { now: true, field: "/csv" });
    goTo(csvField("/csv/decimal")); // numbers in such a file often have a comma
  };
  return h("span", { class: "asked-back" }, h("b", {}, "! "), `Its first line is one column, and has ${called}. `,
    button(`There are ${called} between its cells`, click));
}

/** Return the way to the fields that say how a file is written. */
function toDialect() {
  const click = () => goTo(csvField("/csv"));
  return h("button", { type: "button", class: "quiet", on: { click } }, "Say how the file is written");
}

const csvField = (field) => document.querySelector(`[data-field="${field}"]`) ?? at("study");

async function begin() {
  listen(document.body);
  model.changed = show;
  model.planned = () => {
    panel.follow();
    say();
  };
  const state = await ask("/api/state");
  document.title = `${state.study?.dataset ?? state.data?.name ?? "Plan"} - snapdp`;
  model.begin(state);
  window.addEventListener("focus", () => model.refresh());
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && model.refresh());
}

begin().catch((problem) => {
  at("notice").textContent = problem.message;
  at("notice").hidden = false;
});
