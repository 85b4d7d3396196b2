/** Declarations of columns: what each holds, asked first, then what is public about it. Nothing is ever guessed. */

import { column, columns, conditions, knownColumns, parents } from "./column_fields.js";
import { h } from "./dom.js";
import { FIELD_TYPES, choice } from "./fields.js";

/** Return a name as a part of a JSON pointer. */
export const pointer = (name) => name.replaceAll("~", "~0").replaceAll("/", "~1");

/** Return the field of a key of a statistic or column, by the type that the forms give it. */
export function fieldOf(model, { key, own = {}, holder, base, more = "", set }) {
  const told = own[key] ?? model.state.forms.fields[key] ?? { type: "text", label: key, hint: "" };
  const each = { label: told.label, hint: told.hint, more, field: `${base}/${key}`, value: holder[key], set };
  if (told.type === "column") return column(model, each);
  if (told.type === "columns") return columns(model, each, { single: key === "by" });
  if (told.type === "conditions") return conditions(model, each);
  if (told.type === "parents") return parents(model, each, holder.categories);
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
  const keys = model.state.forms.columns.find((each) => each.kind === kind)?.keys ?? [];
  if (kind) model.study.columns[name] = { kind, ...Object.fromEntries(Object.entries(before).filter(([key]) => keys.includes(key))) };
  else delete model.study.columns[name];
  model.describing.add(name);
  model.edited({ now: true });
}

/** Return the form in which one column is declared. */
export function declaration(model, name, { done } = {}) {
  const held = model.study.columns[name] ?? {};
  const base = `/columns/${pointer(name)}`;
  const kinds = [["", "choose"], ...model.state.forms.columns.map((each) => [each.kind, each.label])];
  const keys = model.state.forms.columns.find((each) => each.kind === held.kind)?.keys ?? [];
  return h("fieldset", { class: "declaration", key: `declared ${name}` },
    h("legend", {}, "The column ", h("b", {}, name)),
    h("div", { class: "fields" },
      choice({ label: "What it holds", more: `of ${name}`, field: `${base}/kind`, value: held.kind, set: (kind) => setKind(model, name, kind) }, kinds),
      keys.map((key) => fieldOf(model, { key, holder: held, base, more: `of ${name}`, set: (value) => setOfColumn(model, name, key, value) }))),
    h("p", { class: "hint" }, "What you say here is public. Say what is known without looking at the rows."),
    held.kind && done && h("button", { type: "button", on: { click: done } }, `Done with ${name}`));
}

/** Return the card of all columns that are declared. */
export function columnsCard(model) {
  const names = Object.keys(model.study.columns);
  const others = knownColumns(model).filter((name) => !names.includes(name));
  return h("details", { class: "card", id: "columns" },
    h("summary", {}, h("h2", {}, "Columns"), h("span", { class: "hint" }, names.length ? ` ${names.join(", ")}` : " none is declared yet")),
    names.map((name) => h("div", { class: "declared", key: name },
      declaration(model, name),
      h("button", { type: "button", class: "quiet", on: { click: () => removeColumn(model, name) } }, `Remove the column ${name}`))),
    columns(model, { label: "Declare a column", field: "/columns", value: undefined, set: (given) => given && begin(model, given[0]) }),
    others.length > 0 && h("p", { class: "hint" }, `Of the table, not declared: ${others.join(", ")}.`));
}

/** Begin the declaration of a column: what it holds is asked first. */
function begin(model, name) {
  model.study.columns[name] ??= {};
  model.edited({ now: true });
}

function removeColumn(model, name) {
  delete model.study.columns[name];
  model.describing.delete(name);
  model.edited({ now: true });
}

/** Return the columns that a statistic names. */
export function columnsOf(row) {
  const listed = (value) => (Array.isArray(value) ? value : value === undefined ? [] : [value]);
  return [...new Set([...listed(row.column), ...listed(row.columns), ...listed(row.keys ? undefined : row.by), ...(row.where ?? []).map((each) => each.column)].filter(Boolean))];
}
