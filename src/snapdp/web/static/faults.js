/**
 * A refusal at the field that caused it.
 *
 * Its JSON pointer names the field; where the page has none, the nearest one above it; where there is none at all, the
 * notice above the plan. A field that is still empty, and was never typed in, asks to be filled in; it is no mistake.
 * Why there is no plan stands beside the button that releases too, with a way to the field.
 */

import { hindrance } from "./account.js";
import { RANGED } from "./column_fields.js";
import { pointer } from "./columns.js";
import { at, h } from "./dom.js";
import { onPage, valueAt } from "./words.js";

const PLACE = /^(?:study|csv|statistic \d+(?: \([^)]*\)+)?(?:, [a-z_]+)?|columns\.[^:]+): /;
const NOT_DECLARED = /column '(.+?)' is not declared/;
const OF_STATISTIC = /^statistic (\d+)/;
const OF_STUDY = /^study: (?:the key ')?([a-z_]+)/;
const LACKING =
  /is not declared|key '[a-z_]+' is missing|is empty\.|is not said|needs an epsilon|= '' is not/;
const NO_GROUPS = /in how many groups a person counts/;
const TOO_MANY_ROWS = /^(?:if_)?rows = /;
const ID = "fault";

/** Show the refusal of a model, or take the last one away. */
export function showFault(root, model) {
  clear(root);
  if (model.unread) notify(wording(model.unread, null, model));
  const { refusal } = model;
  if (!refusal) return hinder(root, model);
  const lack = lackBelow(refusal.field ?? "", model);
  const target = fieldFor(root, model, lack ?? pointerOf(refusal));
  const isToFill = target && isEmpty(target) && (lack !== null || LACKING.test(refusal.error));
  const isUnset = target && isEmpty(target) && valueAt(model, target.dataset.field) === undefined;
  const isMistake = !(isToFill || isUnset) || model.touched.has(target.dataset.field);
  const words = () => wording(refusal, isToFill ? target : null, model);
  explain(target, words(), "This cannot be planned yet. ");
  if (!target) return notify(words());
  unfold(target, model, refusal);
  mark(target, words(), isMistake);
}

/** Say beside the button that releases what stands in the way of a plan that could be made. */
function hinder(root, model) {
  const found = hindrance(model);
  if (!found || !model.answer) return;
  const target = found.field && root.querySelector(`[data-field="${CSS.escape(found.field)}"]`);
  explain(target, found.words, "This cannot be released yet. ");
}

/** Say beside the button that releases why there is no plan, and lead to the field. */
function explain(target, message, first) {
  const name = target && h("b", {}, `${nameOf(target)}: `);
  const click = () => goTo(target);
  const way = target && h("button", { type: "button", class: "quiet", on: { click } }, "Go there");
  at("why")?.replaceChildren(h("span", {}, first, name, message), way ?? "");
  if (at("why")) at("why").hidden = false;
}

/** Return how a field is called on the page: its label, and of what. */
function nameOf(target) {
  const label = target.closest(".field")?.querySelector(".label") ?? target.querySelector("legend");
  const row = target.closest("tbody[data-row]");
  const name = label?.textContent.trim() || target.getAttribute("aria-label");
  return name || (row ? `Statistic ${Number(row.dataset.field.split("/")[2]) + 1}` : "The study");
}

/** Open what hides a field, and put the cursor there. */
export function goTo(target) {
  open(target);
  const field = target.matches("input, select, textarea, button") ? target : target.querySelector("input, select");
  target.scrollIntoView({ block: "center" });
  field?.focus({ preventScroll: true });
}

function open(target) {
  for (let each = target.closest("details"); each; each = each.parentElement?.closest("details")) each.open = true;
}

function notify(message) {
  at("notice").replaceChildren(message);
  at("notice").hidden = false;
}

function clear(root) {
  root.querySelectorAll(".fault").forEach((each) => each.remove());
  root.querySelectorAll("[aria-invalid]").forEach((each) => {
    each.removeAttribute("aria-invalid");
    if (each.getAttribute("aria-describedby") === ID) each.removeAttribute("aria-describedby");
  });
  root.querySelectorAll(".asked").forEach((each) => each.classList.remove("asked"));
  at("notice").hidden = true;
  at("notice").replaceChildren();
}

/** Return the pointer of a refusal, by its words where it does not say it. */
function pointerOf({ field, error }) {
  const column = NOT_DECLARED.exec(error);
  if (column) return `/columns/${pointer(column[1])}/kind`;
  if (field && NO_GROUPS.test(error)) return `${field}/groups_per_person`;
  if (field) return field;
  if (TOO_MANY_ROWS.test(error)) return "/if_rows";
  const statistic = OF_STATISTIC.exec(error);
  if (statistic) return `/statistic/${statistic[1] - 1}`;
  const key = OF_STUDY.exec(error);
  return key ? `/${key[1]}` : "";
}

/** Return which part of a field was begun and left empty: of conditions, or the number for missing cells; else null. */
function lackBelow(field, { study }) {
  const [, table, name, key] = field.split("/");
  if (table === "columns" && key === "missing") return valueAt({ study }, field) === "" ? `${field}/number` : null;
  if (table !== "statistic" || key !== "where") return null;
  const where = study.statistic[name]?.where ?? [];
  const place = where.findIndex(({ column, ...rest }) => !column || !Object.keys(rest).length);
  if (place < 0) return null;
  const kind = study.columns[where[place].column]?.kind;
  if (where[place].column && !kind) return null; // its declaration is asked first
  const next = !where[place].column ? "column" : RANGED.includes(kind) ? "from" : "equals";
  return `/statistic/${name}/where/${place}/${next}`;
}

/** Return the element of a refusal's field: in the selected row where it is there, else the first that can be seen. */
function fieldFor(root, model, pointed) {
  for (let path = pointed; path; path = path.slice(0, path.lastIndexOf("/"))) {
    const found = [...root.querySelectorAll(`[data-field="${CSS.escape(path)}"]`)];
    if (!found.length) found.push(...root.querySelectorAll(`[data-field^="${CSS.escape(path)}/"]`)); // a part of it
    const chosen = root.querySelector(`[data-row="${model.selected}"]`);
    const tests = [(each) => each === document.activeElement, (each) => chosen?.contains(each), isSeen, () => true];
    const best = tests.map((test) => found.find(test)).find(Boolean);
    if (best) return best;
  }
  return null;
}

const isSeen = (each) => each.checkVisibility();
const isEmpty = (target) => ("value" in target ? target.value === "" : target.dataset.field === "/relation");

/** Say what is wrong and what to do, without the place: it stands there. */
function wording(refusal, toFill, model) {
  if (toFill) return h("span", {}, toFill.matches("select, fieldset") ? "Please choose." : "Please fill this in.");
  const { error, advice } = onPage(refusal, model);
  const bare = error.replace(PLACE, "");
  return h("span", {}, h("b", {}, bare.charAt(0).toUpperCase() + bare.slice(1)), advice && ` ${advice}`);
}

/** Open what hides a field, once for each refusal: whoever folds it again wants it folded. */
function unfold(target, model, refusal) {
  if (model.unfolded === refusal.error) return;
  model.unfolded = refusal.error;
  open(target);
}

/** Mark a field, and say below it what is wrong: below its row where it stands in a table. */
function mark(target, message, isMistake) {
  const note = h("div", { id: ID, class: isMistake ? "fault" : "fault asking" }, message);
  if (target.matches("input, select, textarea, button")) {
    if (isMistake) target.setAttribute("aria-invalid", "true");
    else target.classList.add("asked");
    if (!target.hasAttribute("aria-describedby")) target.setAttribute("aria-describedby", ID);
  }
  const row = target.closest("tbody[data-row]");
  if (row && !target.closest(".about")) row.querySelector(".about > td").prepend(note);
  else (target.closest(".field") ?? target).append(note);
}
