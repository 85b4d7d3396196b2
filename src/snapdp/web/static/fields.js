/**
 * Fields: how each type of key is typed. A field knows a text for a value and a value for a text, not what is allowed.
 *
 * A field is given {label, more, hint, field, value, set}: `more` is said to screen readers after the label, `field` is
 * the pointer by which a refusal finds it, `set(value)` takes what was typed and undefined where it is left out;
 * `scope` says where it stands, where the same field stands twice.
 */

import { h } from "./dom.js";
import { doubt, shown, typed, typedList } from "./numbers.js";

const ids = new Map();

/** Return an id that stays the same for the same words. */
export function steadyId(words) {
  if (!ids.has(words)) ids.set(words, `f${ids.size}`);
  return ids.get(words);
}

// Controls

/** Return a field of one line. */
export const input = (field, given) =>
  h("input", { type: "text", autocomplete: "off", spellcheck: "false", "data-field": field, ...given });

/** Return a field for a number. */
export const numberInput = (field, given) => input(field, { inputmode: "decimal", class: "number", ...given });

/** Return a choice: [value, words] each; `change` is given what was chosen. */
export function select(field, { value, options, change, ...given }) {
  const on = { change: (event) => change(event.target.value, event.target) };
  const made = options.map(([each, words]) => h("option", { value: each }, words));
  return h("select", { "data-field": field, value: value ?? "", on, ...given }, made);
}

/** Return a field with its label above, or hidden where the head of a table says it; several controls are a group. */
export function labelled(each, control) {
  const { label, more = "", hint = "", wide = false, group = false, field = "", scope = "" } = each;
  const words = h("span", { class: "label" }, label, more && h("span", { class: "hidden" }, ` ${more}`));
  const told = hint && h("small", { class: "hint" }, hint);
  const kind = `field${group ? " group" : ""}${wide ? " wide" : ""}`;
  if (group) return h("fieldset", { class: kind }, h("legend", {}, words), control, told);
  const named = [control].flat()[0];
  if (!named.id) named.id = steadyId(`${scope} ${field || named.dataset.field} ${label} ${more}`);
  return h("div", { class: kind }, h("label", { for: named.id }, words), control, told);
}

// Fields

function line(each, { read, write, make = input }) {
  const on = { input: (event) => each.set(read(event.target.value)) };
  return labelled(each, [make(each.field, { value: write(each.value), on }), inDoubt(each)]);
}

/**
 * Ask back where a number, or some of a list, may be meant in thousands. `of` says which field is meant where that
 * stands elsewhere; the value is what is typed, not how it is shown.
 */
export function inDoubt({ value, set, of = "" }) {
  const all = [value ?? []].flat();
  const found = all.map(doubt).filter(Boolean);
  if (!found.length) return null;
  const next = all.map((each) => (doubt(each) ? typed(doubt(each).meant) : each));
  const given = { type: "button", on: { click: () => set(Array.isArray(value) ? next : next[0]) } };
  const read = found.map(({ text, read: as }) => `${text} is read as ${as}`).join(", ");
  const made = found.map((each) => each.meant).join(", ");
  return h("p", { class: "asked-back", key: `thousands ${of}` },
    h("b", {}, "! "), `${of && `${of}: `}${read}; the point is a decimal sign. `,
    h("button", given, `Make it ${made}`));
}

/** Return a choice of texts; an empty value leaves the key out. */
export function choice(each, options) {
  const isKnown = options.some(([value]) => value === (each.value ?? ""));
  const all = isKnown ? options : [...options, [each.value, String(each.value)]];
  const change = (value) => each.set(value || undefined);
  return labelled(each, select(each.field, { value: each.value, options: all, change }));
}

function lines(each) {
  const value = [each.value ?? []].flat().join("\n");
  const rows = Math.min(8, Math.max(3, value.split("\n").length));
  const on = { input: (event) => each.set(listed(event.target.value, "\n")) };
  const area = h("textarea", { rows, "data-field": each.field, spellcheck: "false", value, on });
  return labelled({ ...each, wide: true }, [area, severalInOne(each)]);
}

/** Ask back where the only line holds commas: one text, or several? */
function severalInOne({ value, label, set }) {
  const [only, ...others] = [value ?? []].flat().map(String);
  const parts = listed(only ?? "", /[,;]/) ?? [];
  if (others.length || parts.length < 2) return null;
  const given = { type: "button", on: { click: () => set(parts) } };
  return h("p", { class: "asked-back", key: "several" },
    h("b", {}, "! "), `This is one line, and counts as one: "${only}". `,
    h("button", given, `Make it ${parts.length} ${label.toLowerCase()}`));
}

/** Return the texts between signs; undefined where there are none. */
export function listed(given, sign) {
  const found = given.split(sign).map((each) => each.trim()).filter(Boolean);
  return found.length ? found : undefined;
}

function flag(each) {
  const on = { change: (event) => each.set(event.target.checked || undefined) };
  const box = h("input", { type: "checkbox", "data-field": each.field, checked: each.value === true, on });
  const told = each.hint && h("small", { class: "hint" }, each.hint);
  return h("div", { class: "field flag" }, h("label", {}, box, " ", each.label), told);
}

const MISSING = [["", "choose"], ["dropped", "left out"], ["middle", "middle of the bounds"], ["number", "count as"]];

/** Missing cells: left out, the middle of the bounds, or a public number. */
export function missing(each, { asksBack = false } = {}) {
  const isNumber = each.value !== undefined && each.value !== "dropped" && each.value !== "middle";
  const change = (value) => each.set(value === "number" ? "" : value || undefined);
  const chosen = select(each.field, { value: isNumber ? "number" : each.value, options: MISSING, change });
  const name = `Number for missing cells ${each.more ?? ""}`;
  const on = { input: (event) => each.set(typed(event.target.value) ?? "") };
  const given = { "aria-label": name, value: shown(each.value), on, key: "number" };
  const number = isNumber && numberInput(`${each.field}/number`, given);
  return labelled(each, [chosen, number, asksBack && inDoubt(each)]);
}

const TOTALS = [
  ["", "no"],
  ["all", "all of them"],
  ["hierarchy", "the levels of the column"],
  ["list", "those listed here"],
];
const TOTALS_HINT = "One in each line, its columns with commas between; the word total for the total.";

function margins(each) {
  const isList = Array.isArray(each.value);
  const change = (value) => each.set(value === "list" ? [] : value || undefined);
  const chosen = select(each.field, { value: isList ? "list" : each.value, options: TOTALS, change });
  if (!isList) return labelled(each, chosen);
  const value = each.value.map((names) => names.join(", ") || "total").join("\n");
  const on = { input: (event) => each.set(asMargins(event.target.value)) };
  const name = `Totals ${each.more ?? ""}, one in each line`;
  const list = h("textarea", { rows: 3, "data-field": each.field, "aria-label": name, value, on });
  return labelled({ ...each, hint: TOTALS_HINT }, [chosen, list]);
}

const asMargins = (given) =>
  (listed(given, "\n") ?? []).map((each) => (each === "total" ? [] : (listed(each, ",") ?? [])));

const list = (value) => [value ?? []].flat().map(shown).join(", ");
const DROPPED = [["", "as usual: left out"], ["dropped", "left out"], ["binned", "counted by themselves"]];
const COMPARED = [["", "as usual"], ["text", "text"], ["numbers", "numbers"]];
const PERIODS = [["", "choose"], ...["day", "week", "month", "year"].map((each) => [each, each])];

const number = (each) => line(each, { read: typed, write: shown, make: numberInput });

/** How each type is typed; columns, conditions and parents have a module of their own. */
export const FIELD_TYPES = {
  text: (each) => line(each, { read: (given) => given.trim() || undefined, write: (value) => String(value ?? "") }),
  number,
  whole: number,
  numbers: (each) => line({ ...each, wide: true }, { read: typedList, write: list }),
  texts: lines,
  flag,
  dropped: (each) => choice(each, DROPPED),
  compare: (each) => choice(each, COMPARED),
  each: (each) => choice(each, PERIODS),
  missing: (each) => missing(each, { asksBack: true }),
  margins,
};
