/** The plan as a table: a row for each statistic, edited from either end. */

import { column, columns } from "./column_fields.js";
import { columnsOf, isInCells, pointer, setOfColumn } from "./columns.js";
import { h } from "./dom.js";
import { choice, labelled, missing, numberInput, steadyId } from "./fields.js";
import { shown, typed } from "./numbers.js";
import { below, errorOf, isSeveral } from "./row_details.js";
import { plain } from "./words.js";

const HEADS = ["Statistic", "Column", "Lowest, highest", "Missing cells", "Epsilon", "± error", "Lock", ""];
const OF_EVERY_KIND = ["kind", "epsilon", "accuracy", "alpha", "lock"];
const NUMBERS = ["number", "integer"];
const LEVELS = { "1/10": "90 %", "1/20": "95 %", "1/100": "99 %" };
const SHAPES = { Duplicate: "M5.5 5.5h8v8h-8zM10.5 2.5h-8v8", Remove: "M3.5 3.5l9 9M12.5 3.5l-9 9" };

/** Return the table. */
export function planTable(model) {
  return h("table", { class: `plan${model.refusal ? " stale" : ""}` },
    h("caption", { class: "hidden" }, "The plan: a row for each statistic"),
    h("thead", {}, h("tr", {}, HEADS.map((each) => h("th", { scope: "col" }, headed(model, each))))),
    model.ids.map((id) => rows(model, id)));
}

/** Return the words of a head; that of errors says how sure they are, where all are as sure. */
function headed(model, head) {
  if (!head) return h("span", { class: "hidden" }, "What to do");
  const levels = [...new Set([...model.lines.values()].map((line) => LEVELS[line?.alpha]))];
  const isOne = head === "± error" && levels.length === 1 && levels[0];
  return isOne ? `${head} (${levels[0].replace(" ", "\u00a0")})` : head;
}

function rows(model, id) {
  const place = model.place(id);
  const row = model.study.statistic[place];
  const form = model.state.forms.statistics.find((each) => each.kind === row.kind) ?? { keys: [], takes: 0 };
  const number = place + 1;
  const base = `/statistic/${place}`;
  const set = (key, value, options = {}) => model.set(row, key, value, { field: `${base}/${key}`, ...options });
  const more = `of statistic ${number}`; // said after the name of each of its fields
  const of = { model, id, place, number, row, form, base, set, more, line: model.lines.get(id) };
  const names = columnsOf({ column: row.column, columns: row.columns });
  const select = () => model.select(id);
  const isSelected = model.selected === id;
  const given = { key: id, class: isSelected ? "selected" : "", "data-row": id, "data-field": base };
  return h("tbody", { ...given, on: { click: select, focusin: select } },
    h("tr", { "aria-current": isSelected ? "true" : null },
      h("td", { class: "statistic" }, kindField(of)),
      h("td", { class: "column" }, columnField(of)),
      h("td", { class: "bounds" }, names.map((name) => bounds(of, name))),
      h("td", { class: "missing" }, names.map((name) => missingOf(of, name))),
      h("td", { class: "followed" }, epsilonField(of)),
      h("td", { class: "followed" }, errorField(of)),
      h("td", { class: "lock" }, lockButton(of)),
      h("td", { class: "actions" }, actions(of))),
    h("tr", { class: "about" }, h("td", { colspan: HEADS.length }, below(of))));
}

// What is asked

function kindField(of) {
  const kinds = of.model.state.forms.statistics.map((each) => [each.kind, each.label]);
  const each = { label: "Kind", more: of.more, field: `${of.base}/kind`, value: of.row.kind };
  return choice({ ...each, set: (kind) => changeKind(of, kind ?? "") }, [["", "choose"], ...kinds]);
}

/** Make a row another statistic: what that one does not have is left out. */
function changeKind({ model, place, row }, kind) {
  const keys = model.state.forms.statistics.find((each) => each.kind === kind)?.keys ?? [];
  const kept = Object.entries(row).filter(([key]) => OF_EVERY_KIND.includes(key) || keys.includes(key));
  model.study.statistic[place] = { ...Object.fromEntries(kept), kind };
  model.edited({ now: true });
}

function columnField(of) {
  if (!of.form.takes) return h("span", { class: "none" }, "rows");
  const key = isSeveral(of) ? "columns" : "column";
  const label = isSeveral(of) ? "Columns" : "Column";
  const each = { label, more: of.more, field: `${of.base}/${key}`, value: of.row[key] };
  const set = (value) => of.set(key, value, { now: true });
  return isSeveral(of) ? columns(of.model, { ...each, set }) : column(of.model, { ...each, set });
}

// What is declared of its columns

function bounds(of, name) {
  const held = of.model.study.columns[name];
  if (!held) return null;
  if (!isInCells(of.model, name)) return h("span", { class: "none", key: name }, inShort(held));
  const end = (key, label) => {
    const field = `/columns/${pointer(name)}/${key}`;
    const on = { input: (event) => setOfColumn(of.model, name, key, typed(event.target.value)) };
    const more = `of ${name}, statistic ${of.number}`;
    return labelled({ label, more, field }, numberInput(field, { value: shown(held[key]), on }));
  };
  return h("div", { class: "pair", key: name }, end("lower", "Lowest"), end("upper", "Highest"));
}

function inShort({ kind, categories = [], from, to, lower, upper }) {
  if (kind === "category") {
    return categories.length === 1 ? h("b", { class: "mark" }, "! only 1 category") : `${categories.length} categories`;
  }
  if (kind === "date") return from && to ? `${from} to ${to}` : "dates";
  if (NUMBERS.includes(kind)) return shown(lower) && shown(upper) ? `${shown(lower)} to ${shown(upper)}` : "";
  return kind === "boolean" ? "yes or no" : "";
}

function missingOf(of, name) {
  const held = of.model.study.columns[name];
  if (!isInCells(of.model, name)) return null;
  const each = { label: "Missing cells", more: `of ${name}, statistic ${of.number}`, value: held.missing };
  const set = (value) => setOfColumn(of.model, name, "missing", value);
  return missing({ ...each, field: `/columns/${pointer(name)}/missing`, set });
}

// What it costs and is worth

/** Return what a row hears when one of its two ends is typed: the other end follows. */
function fromEnd(of, key, other) {
  const input = (event) => {
    delete of.row[other];
    of.set(key, typed(event.target.value)?.toString(), { place: of.place });
  };
  return { input, change: () => of.model.changed() };
}

function epsilonField(of) {
  const { line, row, model } = of;
  const isOfPlan = line && (!model.refusal || row.epsilon === line.epsilon || row.accuracy !== undefined);
  const value = isOfPlan ? line.epsilon_shown : shown(row.epsilon);
  const title = line ? `exactly ${line.epsilon}` : null;
  const field = `${of.base}/epsilon`;
  const made = numberInput(field, { title, value, on: fromEnd(of, "epsilon", "accuracy") });
  return labelled({ label: "Epsilon", more: of.more, field }, made);
}

/** Return the error field: the number is typed, what it holds for stands below. */
function errorField(of) {
  const { number, unit } = errorOf(of.line);
  const isFixed = of.line ? !of.line.settable : false;
  const value = of.row.accuracy !== undefined && !isFixed ? shown(of.row.accuracy) : number;
  const why = isFixed ? steadyId(`why ${of.id}`) : null;
  const field = `${of.base}/accuracy`;
  const reason = isFixed ? plain(of.line.why_not) : null;
  const on = fromEnd(of, "accuracy", "epsilon");
  const made = numberInput(field, { readonly: isFixed, "aria-describedby": why, title: reason, value, on });
  return h("div", {},
    labelled({ label: "± error", more: of.more, field }, made),
    unit && h("small", { class: "hint" }, unit),
    why && h("span", { class: "hidden", id: why }, reason));
}

function lockButton(of) {
  const isLocked = of.row.lock === true;
  const title = isLocked ? "Locked: it keeps its epsilon" : "Not locked: it shares the budget";
  const on = { click: () => of.set("lock", isLocked ? undefined : true, { now: true }) };
  const given = { type: "button", "aria-pressed": String(isLocked), title, on };
  return h("button", { ...given, "aria-label": `Lock statistic ${of.number}` }, isLocked ? "locked" : "lock");
}

function actions(of) {
  const button = (words, act) => {
    const click = (event) => {
      event.stopPropagation(); // the row may be gone
      act();
      focusOn(of.model.selected);
    };
    const html = `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${SHAPES[words]}"/></svg>`;
    const given = { type: "button", class: "quiet", "aria-label": `${words} statistic ${of.number}`, title: words };
    return h("button", { ...given, html, on: { click } });
  };
  return [button("Duplicate", () => of.model.duplicate(of.id)), button("Remove", () => of.model.remove(of.id))];
}

/** Move the focus to a row; to the button that adds one where there is none. */
export function focusOn(id) {
  (document.querySelector(`[data-row="${id}"] select`) ?? document.getElementById("add"))?.focus();
}
