/**
 * Fields: how each type of key is typed. A field knows a text for a value and a value for a text, never what is allowed.
 *
 * A field is given {label, more, hint, field, value, set}: `more` is said to screen readers after the label, `field` is
 * the pointer by which a refusal finds it, `set(value)` takes what was typed and undefined where it is left out.
 */

import { h } from "./dom.js";
import { shown, typed, typedList } from "./numbers.js";

let names = 0;
const nameFor = new Map();

/** Return an id that stays the same for the same words. */
export function steadyId(words) {
  if (!nameFor.has(words)) nameFor.set(words, `f${(names += 1)}`);
  return nameFor.get(words);
}

/** Return a field with its label above, or hidden where the head of a table says it. */
export function labelled({ label, more = "", hint = "", wide = false, group = false, field = "" }, control) {
  const words = [h("span", { class: "label" }, label, more && h("span", { class: "hidden" }, ` ${more}`))];
  const told = hint && h("small", { class: "hint" }, hint);
  if (group) return h("fieldset", { class: `field group${wide ? " wide" : ""}` }, h("legend", {}, words), control, told);
  if (!control.id) control.id = steadyId(`${field || control.dataset.field} ${label} ${more}`);
  return h("div", { class: `field${wide ? " wide" : ""}` }, h("label", { for: control.id }, words), control, told);
}

const text = (each, type, read, write, extra = {}) =>
  labelled(each, h("input", { type: "text", autocomplete: "off", spellcheck: "false", "data-field": each.field, "data-type": type, value: write(each.value), on: { input: (event) => each.set(read(event.target.value)) }, ...extra }));

/** Return a choice of texts: [value, words] each; an empty value leaves the key out. */
export function choice(each, options) {
  const known = options.some(([value]) => value === (each.value ?? ""));
  const all = known ? options : [...options, [each.value, String(each.value)]];
  return labelled(each, h("select", { "data-field": each.field, on: { change: (event) => each.set(event.target.value || undefined) }, value: each.value ?? "" }, all.map(([value, words]) => h("option", { value }, words))));
}

const lines = (each, value) => (Array.isArray(value) ? value.join("\n") : String(value ?? ""));
const list = (value) => (Array.isArray(value) ? value : value === undefined ? [] : [value]).map(shown).join(", ");
const asLines = (given) => {
  const found = given.split("\n").map((each) => each.trim()).filter(Boolean);
  return found.length ? found : undefined;
};

function area(each, read, write) {
  const rows = Math.min(8, Math.max(3, write(each.value).split("\n").length));
  return labelled({ ...each, wide: true }, h("textarea", { rows, "data-field": each.field, spellcheck: "false", value: write(each.value), on: { input: (event) => each.set(read(event.target.value)) } }));
}

/** Missing cells: left out, the middle of the bounds, or a public number. */
export function missing(each) {
  const isNumber = each.value !== undefined && each.value !== "dropped" && each.value !== "middle";
  const chosen = h("select", { "data-field": each.field, value: isNumber ? "number" : each.value ?? "", on: { change: (event) => each.set(event.target.value === "number" ? "" : event.target.value || undefined) } },
    [["", "choose"], ["dropped", "left out"], ["middle", "middle of the bounds"], ["number", "count as"]].map(([value, words]) => h("option", { value }, words)));
  if (!isNumber) return labelled(each, chosen);
  const number = h("input", { type: "text", inputmode: "decimal", class: "number", autocomplete: "off", "data-field": each.field, "aria-label": `Number for missing cells ${each.more ?? ""}`, value: shown(each.value), on: { input: (event) => each.set(typed(event.target.value) ?? "") } });
  const made = labelled(each, chosen);
  chosen.after(number);
  return made;
}

function margins(each) {
  const listed = Array.isArray(each.value);
  const set = (value) => each.set(value === "list" ? [] : value || undefined);
  const chosen = h("select", { "data-field": each.field, value: listed ? "list" : each.value ?? "", on: { change: (event) => set(event.target.value) } },
    [["", "no"], ["all", "all of them"], ["hierarchy", "the levels of the column"], ["list", "those listed here"]].map(([value, words]) => h("option", { value }, words)));
  const told = listed && h("textarea", { rows: 3, "data-field": each.field, "aria-label": `Totals ${each.more ?? ""}, one in each line`, placeholder: "region, sex\nregion\ntotal", value: each.value.map((of) => (of.length ? of.join(", ") : "total")).join("\n"), on: { input: (event) => each.set(asMargins(event.target.value)) } });
  const made = labelled({ ...each, hint: listed ? "One in each line, its columns with commas between; the word total for the total." : each.hint }, chosen);
  if (told) chosen.after(told);
  return made;
}

const asMargins = (given) => given.split("\n").map((each) => each.trim()).filter(Boolean).map((each) => (each === "total" ? [] : each.split(",").map((name) => name.trim()).filter(Boolean)));

const DROPPED = [["", "as usual: left out"], ["dropped", "left out"], ["binned", "counted by themselves"]];
const number = { inputmode: "decimal", class: "number" };

/** How each type is typed; columns, conditions and parents have modules of their own. */
export const FIELD_TYPES = {
  text: (each) => text(each, "text", (given) => given.trim() || undefined, (value) => String(value ?? "")),
  number: (each) => text(each, "number", typed, shown, number),
  whole: (each) => text(each, "whole", typed, shown, { ...number, inputmode: "numeric" }),
  numbers: (each) => text({ ...each, wide: true }, "numbers", typedList, list),
  texts: (each) => area(each, asLines, (value) => lines(each, value)),
  flag: (each) => h("div", { class: "field flag" }, h("label", {}, h("input", { type: "checkbox", "data-field": each.field, checked: each.value === true, on: { change: (event) => each.set(event.target.checked || undefined) } }), " ", each.label), each.hint && h("small", { class: "hint" }, each.hint)),
  dropped: (each) => choice(each, DROPPED),
  compare: (each) => choice(each, [["", "as usual"], ["text", "text"], ["numbers", "numbers"]]),
  each: (each) => choice(each, [["", "choose"], ["day", "day"], ["week", "week"], ["month", "month"], ["year", "year"]]),
  missing,
  margins,
};
