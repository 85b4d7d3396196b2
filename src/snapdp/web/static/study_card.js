/** The study: who is protected, asked first and in words; the dataset, the budget, and what readers are told. */

import { columns } from "./column_fields.js";
import { h } from "./dom.js";
import { FIELD_TYPES, choice, input, labelled, listed } from "./fields.js";
import { OF_RELATIONS } from "./model.js";
import { grouped } from "./numbers.js";
import { visible } from "./visible.js";
import { LABELS, LETTERS, SIGN, WRITTEN } from "./words.js";

const ASKED = ["rows_per_person", "unit_rows"]; // to be filled in where they apply: nobody chooses them for you
const UNSAID = { rows_per_person: 1 }; // what a study file means that does not say it
const KEPT =
  "All others are left out of every number: with 1, a count of rows is one of persons. More rows, more noise.";
const TEXT_FILE = /\.(csv|tsv|txt)(\.gz)?$/i;
const SPACES = ["space", "no-break space", "narrow no-break space"];
const NAMED = { ",": "comma", ";": "semicolon", ".": "point" };
const signs = (first, ...all) => [["", first], ...all.map((each) => [each, NAMED[each] ?? each])];
const DIALECT = {
  delimiter: [SIGN, signs("as usual", ",", ";", "tab", "|", ":", "~", "^")],
  quote: ["Quotes", signs("as usual", '"', "'", "`", "|", "~", "^")],
  decimal: ["Decimal sign", signs("as usual", ".", ","), "Is a half 0.5 in this file, or 0,5?"],
  thousands: ["Between thousands", signs("nothing", ",", ".", "'", "_", ...SPACES)],
  encoding: [LETTERS, signs("as usual", "utf-8", "latin-1")],
};

const WAYS = {
  public: "Each row; the number of rows is public",
  private: "Each row; the number of rows is private",
  person: "Each person, who may have several rows; a column names the person",
  together: "Each person, who may have several rows; no column names the person",
};
const BELIEVED = "Such as 12, where each has one a month. Nothing can check it: it is believed.";

/** Return who is protected by a study: one of four ways to say it; empty where it is not said. */
function way(study) {
  if (study.relation === "change-one") return "public";
  if (study.relation !== "add-remove") return "";
  if (study.person !== undefined) return "person";
  return study.unit_rows === undefined ? "private" : "together";
}

/** Protect in another way; the number of rows that was typed stays. */
function choose(model, chosen) {
  const { study } = model;
  const rows = study.n ?? study.n_max;
  const kept = study.rows_per_person;
  for (const key of OF_RELATIONS) delete study[key];
  study.relation = chosen === "public" ? "change-one" : "add-remove";
  if (rows !== undefined) study[chosen === "public" ? "n" : "n_max"] = rows;
  if (chosen === "person") Object.assign(study, { person: "", rows_per_person: kept ?? "" });
  if (chosen === "together") study.unit_rows = "";
  model.edited({ now: true });
}

/** Return the question who is protected. */
export function protection(model) {
  const { study } = model;
  const whole = (key, hint = "") => {
    const none = ASKED.includes(key) ? "" : undefined;
    const set = (value) => model.set(study, key, value ?? none, { field: `/${key}` });
    const each = { label: LABELS[key], hint, field: `/${key}`, value: study[key] ?? UNSAID[key], set };
    return fixed(model, key, FIELD_TYPES.whole(each));
  };
  const most = () => whole("n_max");
  const person = () => {
    const set = (names) => model.set(study, "person", names ?? "", { now: true, field: "/person" });
    const each = { label: LABELS.person, field: "/person", value: study.person || undefined, set };
    return fixed(model, "person", columns(model, each, { single: true }));
  };
  return h("fieldset", { class: "protection", "data-field": "/relation" },
    h("legend", {}, h("h2", {}, "Who is protected?")),
    isFixed(model) && h("p", { class: "hint", key: "fixed" }, `Fixed when the account ${name(model)} was opened.`),
    contradiction(model),
    option(model, "public", () => whole("n")),
    option(model, "private", most),
    option(model, "person", () => [person(), whole("rows_per_person", KEPT), most()]),
    option(model, "together", () => [whole("unit_rows", BELIEVED), most()]));
}

function option(model, value, fields) {
  const isChosen = way(model.study) === value;
  if (isFixed(model) && !isChosen) return null;
  const on = { change: () => choose(model, value) };
  const given = { type: "radio", name: "protection", value, checked: isChosen, disabled: isFixed(model), on };
  return h("div", { class: `option${isChosen ? " chosen" : ""}`, key: value },
    h("label", {}, h("input", given), " ", WAYS[value]),
    isChosen && h("div", { class: "fields" }, fields()));
}

// What the account fixed

const name = (model) => visible(model.study.dataset);

/** Tell whether a study says of a key what its account fixed. */
const isSame = ({ study, terms }, key) => JSON.stringify(study[key] ?? null) === JSON.stringify(terms[key]);

/** Tell whether a study protects whom its account protects. */
function isFixed(model) {
  const keys = Object.keys(model.terms);
  return keys.length > 0 && keys.every((key) => isSame(model, key));
}

/** Return a field that nobody can change where the account fixed what it holds. */
function fixed(model, key, field) {
  const isOfAccount = isFixed(model) && key in model.terms;
  if (isOfAccount) field.querySelectorAll("input, select, button").forEach((each) => each.setAttribute("disabled", ""));
  return field;
}

/** Say in what a study is not as its account was opened, with a way to make it so. */
function contradiction(model) {
  const { account, terms } = model;
  if (!account?.contradicts || isFixed(model)) return null;
  const said = (value) => [value].flat().map(grouped).join(", ");
  const rest = Object.entries(terms).filter(([key]) => key !== "relation");
  const others = rest.map(([key, value]) => `${LABELS[key]}: ${said(value)}.`).join(" ");
  const words = `The account ${name(model)} was opened for: ${WAYS[way(terms)]}. ${others} That is fixed for good.`;
  const given = { type: "button", on: { click: () => model.takeTerms() } };
  return h("div", { class: "refusal", key: "contradiction" },
    h("b", {}, "This is not what the account says. "), visible(words), " ",
    h("button", given, "Ask as the account says"));
}

/** Return the dataset and the budget, with how the file is written and the texts for readers folded. */
export function aboutStudy(model) {
  return [
    h("div", { class: "fields" },
      textOf(model, "dataset", "Dataset", "The name of its account in the ledger."),
      ofStudy(model, "number", "budget", "Budget", "Epsilon for the whole plan.")),
    dialect(model),
    h("details", { class: "more", key: "texts" },
      h("summary", {}, "Title and publisher"),
      h("div", { class: "fields" },
        textOf(model, "title", "Title", "For readers of the report."),
        textOf(model, "publisher", "Publisher"),
        textOf(model, "contact", "Contact"))),
  ];
}

function ofStudy(model, type, key, label, hint = "") {
  const set = (value) => model.set(model.study, key, value, { field: `/${key}` });
  return FIELD_TYPES[type]({ label, hint, field: `/${key}`, value: model.study[key], set });
}

/** Return a text of the study; the dataset has one, even if it is empty. */
function textOf(model, key, label, hint = "") {
  const none = key === "dataset" ? "" : undefined;
  const set = (value) => model.set(model.study, key, value ?? none, { field: `/${key}` });
  return FIELD_TYPES.text({ label, hint, field: `/${key}`, value: model.study[key], set });
}

/** Return how a text file is written; nothing where the table is no such file. */
function dialect(model) {
  if (!TEXT_FILE.test(model.state.data?.name ?? "") && !model.study.csv) return null;
  const held = model.study.csv ?? {};
  const set = (key, value) => {
    const next = { ...held, [key]: value };
    if (value === undefined) delete next[key];
    model.set(model.study, "csv", Object.keys(next).length ? next : undefined, { now: true, field: "/csv" });
  };
  const one = ([key, [label, options, about]]) =>
    choice({ label, hint: about, field: `/csv/${key}`, value: held[key], set: (value) => set(key, value) }, options);
  const on = { change: (event) => set("null", listed(event.target.value, ",")) };
  const nulls = input("/csv/null", { value: [held.null ?? []].flat().join(", "), on });
  const hint = "Beside empty ones; commas between several.";
  return h("details", { class: "more", key: "written" },
    h("summary", {}, WRITTEN),
    h("fieldset", { class: "field group", "data-field": "/csv" },
      h("legend", { class: "hidden" }, h("span", { class: "label" }, WRITTEN)),
      h("div", { class: "fields" },
        Object.entries(DIALECT).map(one),
        labelled({ label: "Missing cells look like", hint }, nulls))));
}
