/** Fields about columns: one of them, several in an order, conditions on them, and the levels above categories. */

import { h } from "./dom.js";
import { inDoubt, input, labelled, select } from "./fields.js";
import { shown, typed } from "./numbers.js";

const ANOTHER = "\n"; // the choice of a name that is not offered; no column has it
export const RANGED = ["number", "integer", "date"];

/** Return the names that can be offered: those of the study first, then those of the table. */
export function knownColumns(model) {
  const stored = (model.state.data?.columns ?? []).map((each) => each.name);
  return [...new Set([...Object.keys(model.study.columns), ...stored])];
}

// One column, and several

/** One column: chosen where names are known, typed where they are not; a name that is not known stays a choice. */
export function column(model, each) {
  const names = knownColumns(model);
  const isKnown = each.value === undefined || names.includes(each.value);
  return labelled(each, offered(model, each, isKnown ? names : [...names, each.value]));
}

/** Several columns, in their order; `single` holds one of them as text alone. */
export function columns(model, each, { single = false } = {}) {
  const chosen = [each.value ?? []].flat();
  const of = `"${each.label}" ${each.more ?? ""}`.trim();
  const set = (names) => each.set(single && names.length === 1 ? names[0] : names.length ? names : undefined);
  const add = (name) => name && !chosen.includes(name) && set([...chosen, name]);
  const left = knownColumns(model).filter((name) => !chosen.includes(name));
  const adding = offered(model, { field: each.field, name: `Add to ${of}`, set: add }, left);
  const chips = chosen.map((name) => chip(name, of, () => set(chosen.filter((one) => one !== name))));
  return labelled({ ...each, group: true }, h("div", { class: "chips" }, chips, adding));
}

function chip(name, of, remove) {
  const given = { type: "button", class: "quiet", "aria-label": `Take ${name} out of ${of}`, on: { click: remove } };
  return h("span", { class: "chip", key: name }, name, h("button", given, "×"));
}

/** Return a choice of names; a field for another one where that was chosen, or where none is known. */
function offered(model, each, names) {
  if (!knownColumns(model).length || model.naming === each.field) return written(model, each);
  const change = (name, target) => {
    if (name === ANOTHER) return naming(model, each);
    if (each.name) target.value = "";
    each.set(name || undefined);
  };
  const first = ["", each.name ? "add a column" : "choose"];
  const options = [first, ...names.map((name) => [name, called(model, name)]), [ANOTHER, "another column ..."]];
  return select(each.field, { "aria-label": each.name, value: each.value, options, change });
}

/** Return a name as it is offered: one that the table does not have says so. */
function called({ state }, name) {
  const stored = state.data?.columns ?? [];
  const isLacking = stored.length > 0 && !stored.some((each) => each.name === name);
  return isLacking ? `${name} (not in the table)` : name;
}

function written(model, each) {
  const change = ({ target }) => {
    const name = target.value.trim();
    model.naming = null;
    if (each.name) target.value = "";
    each.set(name || undefined);
  };
  const given = { list: "column-names", placeholder: "name of a column", "aria-label": each.name };
  return input(each.field, { ...given, value: each.value ?? "", on: { change } });
}

function naming(model, each) {
  model.naming = each.field;
  model.changed();
  document.querySelector(`input[data-field="${CSS.escape(each.field)}"]`)?.focus();
}

// Conditions

/** Conditions, all of which a row must meet: a column equals something, or lies in a range. */
export function conditions(model, each) {
  const all = each.value ?? [];
  const set = (list) => each.set(list.length ? list : undefined);
  const change = (place, next) => set(next ? all.with(place, next) : all.toSpliced(place, 1));
  const rows = all.map((one, place) => condition(model, each, one, place, (next) => change(place, next)));
  const given = { type: "button", class: "quiet", "data-field": each.field, on: { click: () => set([...all, {}]) } };
  const add = h("button", given, "Add a condition", h("span", { class: "hidden" }, ` ${each.more}`));
  return labelled({ ...each, group: true, wide: all.length > 0 }, h("div", { class: "conditions" }, rows, add));
}

function condition(model, each, one, place, set) {
  const of = { more: `of condition ${place + 1} ${each.more}`, field: `${each.field}/${place}` };
  const chosen = (name) => set(name === undefined ? {} : { column: name });
  const remove = { type: "button", class: "quiet", "aria-label": `Remove condition ${place + 1} ${each.more}` };
  return h("div", { class: "condition", key: `condition ${place}` },
    column(model, { label: "Column", more: of.more, field: `${of.field}/column`, value: one.column, set: chosen }),
    tested(of, one, model.study.columns[one.column] ?? {}, set),
    h("button", { ...remove, on: { click: () => set(null) } }, "×"));
}

/** Return what is asked of a column in a condition: a range, one of its categories, or a text. */
function tested(of, one, held, set) {
  const part = (key, read) => {
    const write = (value) => set(withKey(one, key, value));
    const on = { input: (event) => write(read(event.target.value)) };
    const field = `${of.field}/${key}`;
    const made = input(field, { value: shown(one[key]), on });
    return labelled({ label: key, more: of.more, field }, [made, inDoubt({ value: one[key], set: write })]);
  };
  if (RANGED.includes(held.kind) || "from" in one || "below" in one) return [part("from", typed), part("below", typed)];
  if (held.kind !== "category") return part("equals", (given) => equalled(held.kind, given));
  const options = [["", "choose"], ...(held.categories ?? []).map((name) => [name, name])];
  const change = (value) => set(withKey(one, "equals", value || undefined));
  const field = `${of.field}/equals`;
  return labelled({ label: "equals", more: of.more, field }, select(field, { value: one.equals, options, change }));
}

function equalled(kind, given) {
  const word = given.trim();
  return kind === "boolean" && ["true", "false"].includes(word) ? word === "true" : word || undefined;
}

function withKey(one, key, value) {
  const { [key]: _, ...rest } = one;
  return value === undefined ? rest : { ...rest, [key]: value };
}

// Levels

/** The levels above categories: for each name of a level, to which larger group it belongs. */
export function parents(each, categories) {
  const levels = Object.entries(each.value ?? {});
  const set = (next) => each.set(next.length ? Object.fromEntries(next) : undefined);
  const below = [categories ?? [], ...levels.map(([, held]) => Object.keys(held))];
  const change = (place, next) => set(next ? levels.with(place, next) : levels.slice(0, place));
  const scope = `${each.scope} ${each.field}`;
  const made = levels.map(([name, held], place) =>
    level({ name, held, below: below[place], place, scope }, (next) => change(place, next)));
  const added = [...levels, [`level ${levels.length + 1}`, {}]];
  const given = { type: "button", class: "quiet", "data-field": each.field, on: { click: () => set(added) } };
  const all = h("div", { class: "levels" }, made, h("button", given, "Add a level"));
  return labelled({ ...each, group: true, wide: levels.length > 0 }, all);
}

function level({ name, held, below, place, scope }, set) {
  const parentOf = new Map(Object.entries(held).flatMap(([parent, names]) => names.map((one) => [one, parent])));
  const moved = (one, parent) => set([name, gathered(below, new Map(parentOf).set(one, parent.trim()))]);
  const renamed = (event) => set([event.target.value.trim() || name, held]);
  const field = (label, value, change) =>
    labelled({ label, field: `level ${place}`, scope }, input(null, { value, on: { change } }));
  const remove = { type: "button", class: "quiet", on: { click: () => set(null) } };
  return h("div", { class: "level", key: `level ${place}` },
    field(`Name of level ${place + 1}`, name, renamed),
    below.map((one) => field(`${one} belongs to`, parentOf.get(one) ?? "", (event) => moved(one, event.target.value))),
    h("button", remove, `Remove level ${place + 1} and those above`));
}

function gathered(below, parentOf) {
  const held = Object.create(null);
  for (const one of below) if (parentOf.get(one)) (held[parentOf.get(one)] ??= []).push(one);
  return held;
}
