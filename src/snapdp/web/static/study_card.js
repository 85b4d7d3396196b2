/** The study: who is protected, asked first and in words; the dataset, the budget, and what readers are told. */

import { columns } from "./column_fields.js";
import { h } from "./dom.js";
import { FIELD_TYPES, choice, input, labelled, listed } from "./fields.js";
import { LABELS } from "./words.js";

const OF_RELATIONS = ["relation", "n", "n_max", "person", "rows_per_person", "unit_rows"];
const ASKED = ["rows_per_person", "unit_rows"]; // to be filled in where they apply: nobody chooses them for you
const UNSAID = { rows_per_person: 1 }; // what a study file means that does not say it
const KEPT =
  "All others are left out of every number: with 1, a count of rows is one of persons. More rows, more noise.";
const ARITHMETICS = [["", "exact"], ["proved", "proved, with certificates"]];
const TEXT_FILE = /\.(csv|tsv|txt)(\.gz)?$/i;
const SPACES = ["space", "no-break space", "narrow no-break space"];
const NAMED = { ",": "comma", ";": "semicolon", ".": "point" };
const signs = (first, ...all) => [["", first], ...all.map((each) => [each, NAMED[each] ?? each])];
const DIALECT = {
  delimiter: ["Between cells", signs("as usual", ",", ";", "tab", "|", ":", "~", "^")],
  quote: ["Quotes", signs("as usual", '"', "'", "`", "|", "~", "^")],
  decimal: ["Decimal sign", signs("as usual", ".", ",")],
  thousands: ["Between thousands", signs("nothing", ",", ".", "'", "_", ...SPACES)],
  encoding: ["Letters", signs("as usual", "utf-8", "latin-1")],
};

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
    return FIELD_TYPES.whole({ label: LABELS[key], hint, field: `/${key}`, value: study[key] ?? UNSAID[key], set });
  };
  const most = () => whole("n_max");
  const person = () => {
    const set = (names) => model.set(study, "person", names ?? "", { now: true, field: "/person" });
    const each = { label: LABELS.person, field: "/person", value: study.person || undefined, set };
    return columns(model, each, { single: true });
  };
  return h("fieldset", { class: "protection", "data-field": "/relation" },
    h("legend", {}, h("h2", {}, "Who is protected?")),
    option(model, "public", "Each row; the number of rows is public", () => whole("n")),
    option(model, "private", "Each row; the number of rows is private", most),
    option(model, "person", "Each person, who may have several rows", () => [
      person(),
      whole("rows_per_person", KEPT),
      most(),
    ]),
    option(model, "together", "Several rows together, such as a household", () => [
      whole("unit_rows"),
      most(),
    ]));
}

function option(model, value, words, fields) {
  const isChosen = way(model.study) === value;
  const on = { change: () => choose(model, value) };
  const radio = h("input", { type: "radio", name: "protection", value, checked: isChosen, on });
  return h("div", { class: `option${isChosen ? " chosen" : ""}`, key: value },
    h("label", {}, radio, " ", words),
    isChosen && h("div", { class: "fields" }, fields()));
}

/** Return the dataset and the budget, with the texts for readers folded. */
export function aboutStudy(model) {
  return [
    h("div", { class: "fields" },
      textOf(model, "dataset", "Dataset", "The name of its account in the ledger."),
      ofStudy(model, "number", "budget", "Budget", "Epsilon for the whole plan.")),
    h("details", { class: "more" },
      h("summary", {}, "Title, publisher, and how the table is written"),
      h("div", { class: "fields" },
        textOf(model, "title", "Title", "For readers of the report."),
        textOf(model, "publisher", "Publisher"),
        textOf(model, "contact", "Contact"),
        arithmetic(model),
        dialect(model))),
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

function arithmetic(model) {
  const { study } = model;
  const set = (value) => {
    delete study.bits;
    model.set(study, "arithmetic", value, { now: true, field: "/arithmetic" });
  };
  const value = study.arithmetic === "exact" ? undefined : study.arithmetic;
  const hint = "Exact, unless you want certificates.";
  return [
    choice({ label: "Arithmetic", hint, field: "/arithmetic", value, set }, ARITHMETICS),
    value === "proved" && ofStudy(model, "whole", "bits", "Bits", "The fewest that are allowed where left out."),
  ];
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
  const one = ([key, [label, options]]) =>
    choice({ label, field: `/csv/${key}`, value: held[key], set: (value) => set(key, value) }, options);
  const on = { change: (event) => set("null", listed(event.target.value, ",")) };
  const nulls = input("/csv/null", { value: [held.null ?? []].flat().join(", "), on });
  const hint = "Beside empty ones; commas between several.";
  return h("fieldset", { class: "field group wide", "data-field": "/csv" },
    h("legend", {}, h("span", { class: "label" }, "How the file is written")),
    h("div", { class: "fields" },
      Object.entries(DIALECT).map(one),
      labelled({ label: "Missing cells look like", hint }, nulls)));
}
