/** The study: who is protected, asked first and in words; the dataset, the budget, and what readers are told. */

import { columns } from "./column_fields.js";
import { h } from "./dom.js";
import { FIELD_TYPES, choice, labelled } from "./fields.js";

const OF_RELATIONS = ["relation", "n", "n_max", "person", "rows_per_person", "unit_rows"];
const DIALECT = {
  delimiter: ["Between cells", [["", "as usual"], [",", "comma"], [";", "semicolon"], ["tab", "tab"], ["|", "|"], [":", ":"]]],
  quote: ["Quotes", [["", "as usual"], ['"', '"'], ["'", "'"], ["`", "`"]]],
  decimal: ["Decimal sign", [["", "as usual"], [".", "point"], [",", "comma"]]],
  thousands: ["Between thousands", [["", "nothing"], [",", "comma"], [".", "point"], ["'", "'"], ["_", "_"], ["space", "space"], ["no-break space", "no-break space"], ["narrow no-break space", "narrow no-break space"]]],
  encoding: ["Letters", [["", "as usual (UTF-8)"], ["latin-1", "Latin-1"]]],
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
  if (chosen === "person") Object.assign(study, { person: "", rows_per_person: kept ?? 1 });
  if (chosen === "together") study.unit_rows = "";
  model.edited({ now: true });
}

/** Return the question who is protected. */
export function protection(model) {
  const now = way(model.study);
  const whole = (key, label) => FIELD_TYPES.whole({ label, field: `/${key}`, value: model.study[key], set: (value) => model.set(model.study, key, value ?? (key === "unit_rows" ? "" : undefined), { field: `/${key}` }) });
  const most = () => whole("n_max", "Rows in the table, at most");
  const person = () => columns(model, { label: "Columns that name a person", field: "/person", value: model.study.person || undefined, set: (names) => model.set(model.study, "person", names ?? "", { now: true, field: "/person" }) }, { single: true });
  return h("fieldset", { class: "protection", "data-field": "/relation" },
    h("legend", {}, h("h2", {}, "Who is protected?")),
    option(model, now, "public", "Each row; the number of rows is public", () => [whole("n", "Rows in the table")]),
    option(model, now, "private", "Each row; the number of rows is private", () => [most()]),
    option(model, now, "person", "Each person, who may have several rows", () => [person(), whole("rows_per_person", "Rows kept of each person"), most()]),
    option(model, now, "together", "Several rows together, such as a household", () => [whole("unit_rows", "Rows that come or go together"), most()]));
}

function option(model, now, value, words, fields) {
  return h("div", { class: `option${now === value ? " chosen" : ""}`, key: value },
    h("label", {}, h("input", { type: "radio", name: "protection", value, checked: now === value, on: { change: () => choose(model, value) } }), " ", words),
    now === value && h("div", { class: "fields" }, fields()));
}

/** Return the dataset and the budget, with the texts for readers folded. */
export function aboutStudy(model) {
  const { study } = model;
  const text = (key, label, hint = "") => FIELD_TYPES.text({ label, hint, field: `/${key}`, value: study[key], set: (value) => model.set(study, key, value ?? (key === "dataset" ? "" : undefined), { field: `/${key}` }) });
  return [
    h("div", { class: "fields" },
      text("dataset", "Dataset", "The name of its account in the ledger."),
      FIELD_TYPES.number({ label: "Budget", hint: "Epsilon for the whole plan.", field: "/budget", value: study.budget, set: (value) => model.set(study, "budget", value, { field: "/budget" }) })),
    h("details", { class: "more" },
      h("summary", {}, "Title, publisher, and how the table is written"),
      h("div", { class: "fields" },
        text("title", "Title", "For readers of the report."), text("publisher", "Publisher"), text("contact", "Contact"),
        arithmetic(model), dialect(model))),
  ];
}

function arithmetic(model) {
  const { study } = model;
  const set = (value) => {
    delete study.bits;
    model.set(study, "arithmetic", value, { now: true, field: "/arithmetic" });
  };
  return [
    choice({ label: "Arithmetic", hint: "Exact, unless you want certificates.", field: "/arithmetic", value: study.arithmetic === "exact" ? "" : study.arithmetic, set }, [["", "exact"], ["proved", "proved, with certificates"]]),
    study.arithmetic === "proved" && FIELD_TYPES.whole({ label: "Bits", hint: "The fewest that are allowed where left out.", field: "/bits", value: study.bits, set: (value) => model.set(study, "bits", value, { field: "/bits" }) }),
  ];
}

function dialect(model) {
  if (!/\.(csv|tsv|txt)(\.gz)?$/i.test(model.state.data?.name ?? "") && !model.study.csv) return null;
  const held = model.study.csv ?? {};
  const set = (key, value) => {
    const next = { ...held, [key]: value };
    if (value === undefined) delete next[key];
    model.set(model.study, "csv", Object.keys(next).length ? next : undefined, { now: true, field: "/csv" });
  };
  const nulls = labelled({ label: "Missing cells look like", hint: "Beside empty ones; commas between several." }, h("input", { type: "text", autocomplete: "off", "data-field": "/csv/null", value: [held.null ?? []].flat().join(", "), on: { change: (event) => set("null", listed(event.target.value)) } }));
  return h("fieldset", { class: "field group wide", "data-field": "/csv" }, h("legend", {}, h("span", { class: "label" }, "How the file is written")),
    h("div", { class: "fields" }, Object.entries(DIALECT).map(([key, [label, options]]) => choice({ label, field: `/csv/${key}`, value: held[key], set: (value) => set(key, value) }, options)), nulls));
}

function listed(given) {
  const found = given.split(",").map((each) => each.trim()).filter(Boolean);
  return found.length > 1 ? found : found[0];
}
