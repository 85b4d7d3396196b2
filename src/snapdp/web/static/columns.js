/** Declarations of columns: what each holds, asked first, then what is public about it. Nothing is ever guessed. */

import { column, columns, conditions, knownColumns, parents } from "./column_fields.js";
import { h } from "./dom.js";
import { FIELD_TYPES, choice } from "./fields.js";
import { visible } from "./visible.js";

const NUMBERS = ["number", "integer"];
const BINS = ["edges", "outside", "null"];
const IN_CELLS = ["lower", "upper", "missing"]; // what rows of the plan ask of their columns
const IN_PLAN = "Lowest, highest and missing cells stand in the plan.";

/** Return a name as a part of a JSON pointer. */
export const pointer = (name) => name.replaceAll("~", "~0").replaceAll("/", "~1");

/** Return the field of a key of a statistic or column, by the type that the forms give it. */
export function fieldOf(model, { key, own = {}, holder, base, more = "", scope = "", set }) {
  const told = own[key] ?? model.state.forms.fields[key] ?? { type: "text", label: key, hint: "" };
  const each = { label: told.label, hint: told.hint, more, scope, field: `${base}/${key}`, value: holder[key], set };
  if (told.type === "column") return column(model, each);
  if (told.type === "columns") return columns(model, each, { single: key === "by" });
  if (told.type === "conditions") return conditions(model, each);
  if (told.type === "parents") return parents(each, holder.categories);
  return (FIELD_TYPES[told.type] ?? FIELD_TYPES.text)(each);
}

/** Set a key of a column's declaration. */
export function setOfColumn(model, name, key, value) {
  model.study.columns[name] ??= {};
  const options = { field: `/columns/${pointer(name)}/${key}` };
  model.set(model.study.columns[name], key, value, options);
}

/** Declare what a column holds; what does not belong to that kind is left out. */
function setKind(model, name, kind) {
  const before = model.study.columns[name] ?? {};
  const kept = Object.entries(before).filter(([key]) => keysOf(model, kind).includes(key));
  if (kind) model.study.columns[name] = { kind, ...Object.fromEntries(kept) };
  else delete model.study.columns[name];
  model.describing.add(name);
  model.edited({ now: true });
}

const formOf = (model, kind) => model.state.forms.columns.find((each) => each.kind === kind);
const keysOf = (model, kind) => formOf(model, kind)?.keys ?? [];

/** Tell whether a column's declaration stands below a row: what it holds is not said yet, or something is asked. */
export const isOpen = ({ study, describing, asking }, name) =>
  !study.columns[name]?.kind || describing.has(name) || asking.has(name);

/** Tell whether rows of the plan are about a column. */
const isInPlan = ({ study }, name) =>
  study.statistic.some(({ column: one, columns: several = [] }) => one === name || several.includes(name));

/** Tell whether the cells of these rows hold its bounds: while it is filled in, its declaration does. */
export const isInCells = (model, name) =>
  NUMBERS.includes(model.study.columns[name]?.kind) && isInPlan(model, name) && !model.describing.has(name);

/** Return the form in which one column is declared; bounds stand there, or in the plan, to which `toPlan` leads. */
export function declaration(model, name, { done, scope = "declared", toPlan = null } = {}) {
  const held = model.study.columns[name] ?? {};
  const base = `/columns/${pointer(name)}`;
  const more = `of ${name}`;
  const kinds = [["", "choose"], ...model.state.forms.columns.map((each) => [each.kind, each.label])];
  const set = (key) => (value) => setOfColumn(model, name, key, value);
  const hint = formOf(model, held.kind)?.hint;
  const asked = { label: "What it holds", hint, more, scope, field: `${base}/kind`, value: held.kind };
  const isElsewhere = NUMBERS.includes(held.kind) && (toPlan !== null || isInCells(model, name));
  const isHere = (key) => matters(model, name, key) && !(isElsewhere && IN_CELLS.includes(key));
  const fields = keysOf(model, held.kind).filter(isHere).map((key) =>
    fieldOf(model, { key, holder: held, base, more, scope, set: set(key) }));
  const isAsked = columnAsked(model) === name;
  const finish = (event) => (isAsked && !model.waits ? goToAsked(event.target) : done());
  return h("fieldset", { class: "declaration", key: `declared ${name}` },
    h("legend", {}, "The column ", h("b", {}, name)),
    h("div", { class: "fields" }, choice({ ...asked, set: (kind) => setKind(model, name, kind) }, kinds), fields),
    isElsewhere && toPlan && h("p", { class: "hint", key: "in plan" }, `${IN_PLAN} `, goThere(name, toPlan)),
    h("p", { class: "hint" }, "What you say here is public. Say what is known without looking at the rows."),
    held.kind && done && h("button", { type: "button", on: { click: finish } }, `Done with ${name}`));
}

/** Tell whether a key matters: bins of a number do where groups are by it; one that is set always does. */
function matters({ study }, name, key) {
  const held = study.columns[name] ?? {};
  if (!NUMBERS.includes(held.kind) || !BINS.includes(key) || held[key] !== undefined) return true;
  if (key !== "edges") return held.edges !== undefined;
  return study.statistic.some(({ by = [] }) => [by].flat().includes(name));
}

/** Return the column whose declaration the present refusal is about; null where it is about something else. */
function columnAsked({ refusal, study }) {
  const field = refusal?.field ?? "";
  return Object.keys(study.columns).find((name) => field.startsWith(`/columns/${pointer(name)}/`)) ?? null;
}

/** Keep a declaration open while something is asked in it: the cursor goes there. */
function goToAsked(button) {
  button.closest(".declaration").querySelector(".asked, [aria-invalid]")?.focus();
}

/** Open the declaration of a column again of which something is asked that no cell of the plan's rows holds. */
export function askAgain(model) {
  const name = columnAsked(model);
  if (name === null) return;
  const key = model.refusal.field.split("/").at(-1);
  if (!IN_CELLS.includes(key) || !isInPlan(model, name)) model.asking.add(name);
}

/** Return the card of all columns that are declared; `goTo` leads to a field of the plan. */
export function columnsCard(model, goTo) {
  const names = Object.keys(model.study.columns);
  const others = knownColumns(model).filter((name) => !names.includes(name));
  const adding = { label: "Declare a column", field: "/columns", set: (given) => given && begin(model, given[0]) };
  return h("details", { class: "card", id: "columns" },
    h("summary", {},
      h("h2", {}, "Columns"),
      h("span", { class: "hint" }, names.length ? ` ${visible(names.join(", "))}` : " none is declared yet")),
    names.map((name) => h("div", { class: "declared", key: name },
      declaration(model, name, { toPlan: isInPlan(model, name) ? goTo : null }), removal(model, name))),
    columns(model, adding),
    others.length > 0 && h("p", { class: "hint" }, `Of the table, not declared: ${visible(others.join(", "))}.`));
}

function goThere(name, toPlan) {
  const field = CSS.escape(`/columns/${pointer(name)}/lower`);
  const click = () => toPlan(document.querySelector(`#plan [data-field="${field}"]`));
  const words = h("span", { class: "hidden" }, ` for ${name}`);
  return h("button", { type: "button", class: "quiet", on: { click } }, "Go there", words);
}

function removal(model, name) {
  const on = { click: () => removeColumn(model, name) };
  return h("button", { type: "button", class: "quiet", on }, `Remove the column ${name}`);
}

/** Begin the declaration of a column: what it holds is asked first. */
function begin(model, name) {
  model.study.columns[name] ??= {};
  model.edited({ now: true });
}

function removeColumn(model, name) {
  delete model.study.columns[name];
  model.close(name);
  model.edited({ now: true });
}

/** Return the columns that a statistic names; those of groups that a file lists are not declared. */
export function columnsOf({ column, columns: several, by, keys, where = [] }) {
  const named = [column, several, keys ? undefined : by, where.map((each) => each.column)].flat();
  return [...new Set(named.filter(Boolean))];
}
