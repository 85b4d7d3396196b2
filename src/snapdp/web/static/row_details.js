/** Below a row of the plan: its name, what is to be said of it, its columns, and everything else that it can ask. */

import { columnsOf, declaration, fieldOf, isInCells, isOpen, setOfColumn } from "./columns.js";
import { h } from "./dom.js";
import { choice, inDoubt } from "./fields.js";
import { shown } from "./numbers.js";
import { plain } from "./words.js";

const SHORT = 6; // characters that have room below a number: "rows"
const OF_GROUPS = ["margins", "keys", "groups_per_person"];
const OF_BINS = ["edges", "outside", "missing"]; // of a statistic that can have bins
const WITHOUT_BINS = ["category", "boolean", "date"];
const SURENESS = ["90", "95", "99"].map((each) => [String((100 - each) / 100), `${each} of 100 releases`]);

/** Return the number of a line's first error, its unit, and the whole of it where it holds only under a condition. */
export function errorOf(line) {
  const [text = "", number = "", rest = ""] = /^± (\S+)\s*(.*)$/.exec(line?.error?.text ?? "") ?? [];
  return rest.length > SHORT ? { number, unit: "", text } : { number, unit: rest, text: "" };
}

/** Tell whether a row is about several columns. */
export const isSeveral = (of) => of.form.takes > 1 || of.row.columns !== undefined;

/** Return all that stands below a row. */
export function below(of) {
  const { study } = of.model;
  const isFirst = (name) => study.statistic.findIndex((row) => columnsOf(row).includes(name)) === of.place;
  const asked = columnsOf(of.row).filter((name) => isOpen(of.model, name) && isFirst(name));
  return [
    doubts(of),
    asked.map((name) => declaration(of.model, name, { scope: `row ${of.id}`, done: () => described(of, name) })),
    h("div", { class: "under", key: "under" }, h("div", { class: "said" }, said(of.line), repeated(of)), more(of)),
  ];
}

const CELLS = { lower: "Lowest", upper: "Highest", missing: "Missing cells" };

/** Ask back what the cells of a row have no room for: numbers that may be meant in thousands. */
function doubts({ row, model, place, set }) {
  const declared = columnsOf({ column: row.column, columns: row.columns }).filter((name) => isInCells(model, name));
  const ofColumn = (name) => Object.entries(CELLS).map(([key, label]) => {
    const value = model.study.columns[name]?.[key];
    return inDoubt({ of: `${label} of ${name}`, value, set: (next) => setOfColumn(model, name, key, next) });
  });
  const ofEnd = (key, label) =>
    inDoubt({ of: label, value: row[key], set: (next) => set(key, String(next), { place }) });
  return [declared.map(ofColumn), ofEnd("epsilon", "Epsilon"), ofEnd("accuracy", "± error")];
}

/** Fold a declaration; the cursor goes back to the column that was chosen. */
function described({ model, id }, name) {
  model.close(name);
  model.changed();
  document.querySelector(`[data-row="${id}"] .column :is(select, input)`)?.focus();
}

function said(line) {
  if (!line) return null;
  const also = (text) => text && h("span", {}, text);
  return [
    h("span", { class: "title" }, line.title),
    !line.useful.useful && h("span", { class: "mark" }, h("b", {}, "! "), line.useful.text),
    also(errorOf(line).text),
    line.errors.slice(1).map((each) => also(`${each.name} ${each.text}`)),
    also(plain(line.remarks)),
    also(line.cliff),
    also(line.offer),
  ];
}

/** Return where a statistic was released before, with a way to leave it out. */
function repeated({ model, id, number, line }) {
  if (!line?.released) return null;
  const click = (event) => {
    event.stopPropagation(); // the row is gone
    model.remove(id);
    document.getElementById("add").focus();
  };
  const given = { type: "button", "aria-label": `Leave out statistic ${number}`, on: { click } };
  return h("span", { class: "mark", key: "repeated" },
    h("b", {}, "! "), `Already ${line.released}. `, h("button", given, "Leave it out"));
}

/** Return every other key of a statistic, folded; groups and conditions first. */
function more(of) {
  const inCell = isSeveral(of) ? "columns" : "column";
  const keys = of.form.keys.filter((key) => key !== inCell && key !== "column" && applies(of, key));
  const order = [...new Set(["by", "where", ...keys])].filter((key) => keys.includes(key));
  return h("details", { class: "more" },
    h("summary", {}, "More", h("span", { class: "hidden" }, ` ${of.more}`)),
    h("div", { class: "fields" }, order.map((key) => h("div", { key, class: "slot" }, other(of, key))), sureness(of)));
}

function other(of, key) {
  const set = (value) => {
    if (key === "columns" && value) delete of.row.column;
    of.set(key, value);
  };
  const { model, form, row, base, more: words } = of;
  return fieldOf(model, { key, own: form.fields ?? {}, holder: row, base, more: words, set });
}

function sureness(of) {
  const value = shown(of.row.alpha) || "0.05";
  const set = (alpha) => of.set("alpha", alpha === "0.05" ? undefined : alpha, { now: true });
  return choice({ label: "The error holds in", more: of.more, field: `${of.base}/alpha`, value, set }, SURENESS);
}

/** Tell whether a key can matter to a row as it is; one that is set always does. */
function applies({ row, model, form }, key) {
  if (row[key] !== undefined) return true;
  const hasNoBins = WITHOUT_BINS.includes(model.study.columns[row.column]?.kind);
  if (form.keys.includes("edges") && OF_BINS.includes(key)) return !hasNoBins;
  if (key === "rows_per_person") return model.study.person !== undefined;
  if (OF_GROUPS.includes(key)) return row.by !== undefined;
  if (key === "shares") return row.margins !== undefined;
  return key !== "complete" || row.columns !== undefined;
}
