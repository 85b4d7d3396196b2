/** Fields about columns: one of them, several in an order, conditions on them, and the levels above categories. */

import { h } from "./dom.js";
import { labelled } from "./fields.js";
import { shown, typed } from "./numbers.js";

/** Return the names that can be offered: those of the study first, then those of the table. */
export function knownColumns(model) {
  const stored = (model.state.data?.columns ?? []).map((each) => each.name);
  return [...new Set([...Object.keys(model.study.columns), ...stored])];
}

const ANOTHER = "\n"; // the choice of a name that is not offered; no column has it

/** One column: chosen where names are known, typed where they are not. */
export function column(model, each) {
  const names = knownColumns(model);
  const isOffered = each.value === undefined || names.includes(each.value);
  return labelled(each, isOffered ? offered(model, each, names, "choose") : written(model, each));
}

/** Several columns, in their order; `single` holds one of them as text alone. */
export function columns(model, each, { single = false } = {}) {
  const chosen = Array.isArray(each.value) ? each.value : each.value === undefined ? [] : [each.value];
  const set = (names) => each.set(names.length === 0 ? undefined : single && names.length === 1 ? names[0] : names);
  const chips = chosen.map((name) =>
    h("span", { class: "chip", key: name }, name, h("button", { type: "button", class: "quiet", "aria-label": `Take ${name} out of "${each.label}" ${each.more ?? ""}`.trim(), on: { click: () => set(chosen.filter((one) => one !== name)) } }, "×")));
  const left = knownColumns(model).filter((name) => !chosen.includes(name));
  const more = { field: each.field, name: `Add to "${each.label}" ${each.more ?? ""}`.trim(), value: undefined, set: (name) => name && !chosen.includes(name) && set([...chosen, name]) };
  return labelled({ ...each, group: true }, h("div", { class: "chips" }, chips, offered(model, more, left, "add a column")));
}

/** Return a choice of names, or a field for another one where that was chosen, or where none is known. */
function offered(model, each, names, first) {
  if (!knownColumns(model).length || model.naming === each.field) return written(model, each);
  const set = (event) => {
    const name = event.target.value;
    if (name === ANOTHER) return naming(model, each);
    if (first !== "choose") event.target.value = "";
    each.set(name || undefined);
  };
  const options = [["", first], ...names.map((name) => [name, name]), [ANOTHER, "another column ..."]];
  return h("select", { "data-field": each.field, "aria-label": each.name, value: each.value ?? "", on: { change: set } }, options.map(([value, words]) => h("option", { value }, words)));
}

function written(model, each) {
  const named = (event) => {
    const name = event.target.value.trim();
    model.naming = null;
    if (each.name) event.target.value = "";
    each.set(name || undefined);
  };
  return h("input", { type: "text", autocomplete: "off", spellcheck: "false", list: "column-names", placeholder: "name of a column", "data-field": each.field, "aria-label": each.name, value: each.value ?? "", on: { change: named } });
}

function naming(model, each) {
  model.naming = each.field;
  model.changed();
  document.querySelector(`input[data-field="${CSS.escape(each.field)}"]`)?.focus();
}

/** Conditions, all of which a row must meet: a column equals something, or lies in a range. */
export function conditions(model, each) {
  const all = each.value ?? [];
  const set = (list) => each.set(list.length ? list : undefined);
  const rows = all.map((one, place) => condition(model, each, one, place, (next) => set(next ? all.with(place, next) : all.toSpliced(place, 1))));
  const add = h("button", { type: "button", class: "quiet", on: { click: () => set([...all, {}]) }, "data-field": each.field }, "Add a condition", h("span", { class: "hidden" }, ` ${each.more}`));
  return labelled({ ...each, group: true, wide: all.length > 0 }, h("div", { class: "conditions" }, rows, add));
}

function condition(model, each, one, place, set) {
  const kind = model.study.columns[one.column]?.kind;
  const isRange = kind === "number" || kind === "integer" || kind === "date" || "from" in one || "below" in one;
  const field = `${each.field}/${place}`;
  const part = (key, words) =>
    labelled({ label: words, more: `of condition ${place + 1} ${each.more}` }, h("input", { type: "text", autocomplete: "off", class: "short", "data-field": `${field}/${key}`, value: shown(one[key]), on: { input: (event) => set(withKey(one, key, key === "equals" ? equalled(kind, event.target.value) : typed(event.target.value))) } }));
  return h("div", { class: "condition", key: `condition ${place}` },
    column(model, { label: "Column", more: `of condition ${place + 1} ${each.more}`, field: `${field}/column`, value: one.column, set: (name) => set(name === undefined ? {} : { column: name }) }),
    isRange ? [part("from", "from"), part("below", "below")] : kind === "category" ? equals(model, each, one, field, place, set) : part("equals", "equals"),
    h("button", { type: "button", class: "quiet", "aria-label": `Remove condition ${place + 1} ${each.more}`, on: { click: () => set(null) } }, "×"));
}

function equals(model, each, one, field, place, set) {
  const names = model.study.columns[one.column].categories ?? [];
  return labelled({ label: "equals", more: `of condition ${place + 1} ${each.more}` }, h("select", { "data-field": `${field}/equals`, value: one.equals ?? "", on: { change: (event) => set(withKey(one, "equals", event.target.value || undefined)) } }, [["", "choose"], ...names.map((name) => [name, name])].map(([value, words]) => h("option", { value }, words))));
}

const equalled = (kind, given) => (kind === "boolean" && /^(true|false)$/.test(given.trim()) ? given.trim() === "true" : given || undefined);

function withKey(one, key, value) {
  const { [key]: _, ...rest } = one;
  return value === undefined ? rest : { ...rest, [key]: value };
}

/** The levels above categories: for each name of a level, to which larger group it belongs. */
export function parents(model, each, categories) {
  const levels = Object.entries(each.value ?? {});
  const set = (next) => each.set(next.length ? Object.fromEntries(next) : undefined);
  let below = categories ?? [];
  const shownLevels = levels.map(([name, held], place) => {
    const made = level(each, name, held, below, place, (next) => set(next ? levels.with(place, next) : levels.slice(0, place)));
    below = Object.keys(held);
    return made;
  });
  const add = h("button", { type: "button", class: "quiet", "data-field": each.field, on: { click: () => set([...levels, [`level ${levels.length + 1}`, {}]]) } }, "Add a level");
  return labelled({ ...each, group: true, wide: true }, h("div", { class: "levels" }, shownLevels, add));
}

function level(each, name, held, below, place, set) {
  const parentOf = new Map(Object.entries(held).flatMap(([parent, names]) => names.map((one) => [one, parent])));
  const moved = (one, parent) => set([name, gathered(below, new Map(parentOf).set(one, parent.trim()))]);
  return h("div", { class: "level", key: `level ${place}` },
    labelled({ label: `Name of level ${place + 1}` }, h("input", { type: "text", autocomplete: "off", value: name, on: { change: (event) => set([event.target.value.trim() || name, held]) } })),
    below.map((one) => labelled({ label: `${one} belongs to` }, h("input", { key: one, type: "text", autocomplete: "off", value: parentOf.get(one) ?? "", on: { change: (event) => moved(one, event.target.value) } }))),
    h("button", { type: "button", class: "quiet", on: { click: () => set(null) } }, `Remove level ${place + 1} and those above`));
}

function gathered(below, parentOf) {
  const held = {};
  for (const one of below) if (parentOf.get(one)) (held[parentOf.get(one)] ??= []).push(one);
  return held;
}
