/** The plan as a table: a row for each statistic, edited from either end. */

import { column, columns } from "./column_fields.js";
import { columnsOf, declaration, fieldOf, pointer, setOfColumn } from "./columns.js";
import { h } from "./dom.js";
import { choice, labelled, missing, steadyId } from "./fields.js";
import { shown, typed } from "./numbers.js";

const HEADS = ["Statistic", "Column", "Lowest, highest", "Missing cells", "Epsilon", "± error", "Lock", ""];
const OF_EVERY_KIND = ["kind", "epsilon", "accuracy", "alpha", "lock"];
const SHORT = 6; // characters that have room below a number: "rows"
const NUMBERS = ["number", "integer"];

/** Return the table. */
export function planTable(model) {
  const levels = new Set([...model.lines.values()].map((line) => percent(line?.alpha)));
  const level = levels.size === 1 ? ` (${[...levels][0].replace(" ", "\u00a0")})` : "";
  const heads = HEADS.map((each) => h("th", { scope: "col" }, each === "± error" ? each + level : each || h("span", { class: "hidden" }, "What to do")));
  return h("table", { class: `plan${model.refusal ? " stale" : ""}` },
    h("caption", { class: "hidden" }, "The plan: a row for each statistic"),
    h("thead", {}, h("tr", {}, heads)),
    model.ids.map((id) => group(model, id)));
}

const percent = (alpha) => ({ "1/10": "90 %", "1/20": "95 %", "1/100": "99 %" })[alpha ?? "1/20"] ?? `all but ${alpha}`;

function group(model, id) {
  const place = model.place(id);
  const of = { model, id, row: model.study.statistic[place], line: model.lines.get(id), base: `/statistic/${place}`, more: `of statistic ${place + 1}` };
  of.form = model.state.forms.statistics.find((each) => each.kind === of.row.kind) ?? { keys: [], takes: 0 };
  of.set = (key, value, options = {}) => model.set(of.row, key, value, { field: `${of.base}/${key}`, ...options });
  const isSelected = model.selected === id;
  return h("tbody", { key: id, class: isSelected ? "selected" : "", "data-row": id, "data-field": of.base, on: { click: () => model.select(id), focusin: () => model.select(id) } },
    h("tr", { "aria-current": isSelected ? "true" : null },
      h("td", { class: "statistic" }, kindField(of)),
      h("td", { class: "column" }, columnField(of)),
      h("td", { class: "bounds" }, valueColumns(of).map((name) => bounds(of, name))),
      h("td", { class: "missing" }, valueColumns(of).map((name) => missingOf(of, name))),
      h("td", { class: "followed" }, epsilonField(of)),
      h("td", { class: "followed" }, errorField(of)),
      h("td", { class: "lock" }, lockButton(of)),
      h("td", { class: "actions" }, actions(of))),
    h("tr", { class: "about" }, h("td", { colspan: HEADS.length }, about(of))));
}

function kindField(of) {
  const kinds = of.model.state.forms.statistics.map((each) => [each.kind, each.label]);
  return choice({ label: "Statistic", more: of.more, field: `${of.base}/kind`, value: of.row.kind, set: (kind) => changeKind(of, kind) }, [["", "choose"], ...kinds]);
}

/** Make a row another statistic: what that one does not have is left out. */
function changeKind(of, kind) {
  const form = of.model.state.forms.statistics.find((each) => each.kind === kind);
  const kept = Object.entries(of.row).filter(([key]) => OF_EVERY_KIND.includes(key) || (form?.keys ?? []).includes(key));
  const place = of.model.place(of.id);
  of.model.study.statistic[place] = { ...Object.fromEntries(kept), kind };
  of.model.edited({ now: true });
}

const isSeveral = (of) => of.form.takes > 1 || of.row.columns !== undefined;

function columnField(of) {
  if (!of.form.takes) return h("span", { class: "none" }, "rows");
  const each = { label: isSeveral(of) ? "Columns" : "Column", more: of.more };
  if (isSeveral(of)) return columns(of.model, { ...each, field: `${of.base}/columns`, value: of.row.columns, set: (names) => of.set("columns", names, { now: true }) });
  return column(of.model, { ...each, field: `${of.base}/column`, value: of.row.column, set: (name) => of.set("column", name, { now: true }) });
}

/** Return the columns whose values a statistic is about, not those of groups and conditions. */
function valueColumns(of) {
  return columnsOf({ column: of.row.column, columns: of.row.columns });
}

function bounds(of, name) {
  const held = of.model.study.columns[name];
  if (!held) return null;
  if (!NUMBERS.includes(held.kind)) return h("span", { class: "none", key: name }, inShort(held));
  const end = (key, words) => {
    const each = { label: words, more: `of ${name}, statistic ${of.model.place(of.id) + 1}`, field: `/columns/${pointer(name)}/${key}` };
    return labelled(each, h("input", { type: "text", inputmode: "decimal", autocomplete: "off", class: "number", "data-field": each.field, value: shown(held[key]), on: { input: (event) => setOfColumn(of.model, name, key, typed(event.target.value)) } }));
  };
  return h("div", { class: "pair", key: name }, end("lower", "Lowest"), end("upper", "Highest"));
}

function inShort(held) {
  if (held.kind === "category") return `${(held.categories ?? []).length} categories`;
  if (held.kind === "date") return held.from && held.to ? `${held.from} to ${held.to}` : "dates";
  return held.kind === "boolean" ? "yes or no" : "";
}

function missingOf(of, name) {
  const held = of.model.study.columns[name];
  if (!held || !NUMBERS.includes(held.kind)) return null;
  return missing({ label: "Missing cells", more: `of ${name}, statistic ${of.model.place(of.id) + 1}`, field: `/columns/${pointer(name)}/missing`, value: held.missing, set: (value) => setOfColumn(of.model, name, "missing", value) });
}

function epsilonField(of) {
  const isOfPlan = of.line && (!of.model.refusal || of.row.epsilon === of.line.epsilon || of.row.accuracy !== undefined);
  const value = isOfPlan ? of.line.epsilon_shown : shown(of.row.epsilon);
  const set = (event) => {
    delete of.row.accuracy;
    of.set("epsilon", typed(event.target.value)?.toString(), { place: of.model.place(of.id) });
  };
  return labelled({ label: "Epsilon", more: of.more }, h("input", { type: "text", inputmode: "decimal", autocomplete: "off", class: "number", "data-field": `${of.base}/epsilon`, title: of.line ? `exactly ${of.line.epsilon}` : null, value, on: { input: set, change: of.model.changed } }));
}

/** Return the error field: the number is typed, what it holds for stands below. */
function errorField(of) {
  const { number, rest } = errorOf(of);
  const isFixed = of.line ? !of.line.settable : false;
  const set = (event) => {
    delete of.row.epsilon;
    of.set("accuracy", typed(event.target.value)?.toString(), { place: of.model.place(of.id) });
  };
  const why = isFixed && steadyId(`why ${of.id}`);
  return h("div", {},
    labelled({ label: "± error", more: of.more }, h("input", { type: "text", inputmode: "decimal", autocomplete: "off", class: "number", readonly: isFixed, "data-field": `${of.base}/accuracy`, title: isFixed ? of.line.why_not : null, "aria-describedby": why || null, value: of.row.accuracy !== undefined && !isFixed ? shown(of.row.accuracy) : number, on: { input: set, change: of.model.changed } })),
    rest.length <= SHORT && rest && h("small", { class: "hint" }, rest),
    why && h("span", { class: "hidden", id: why }, of.line.why_not));
}

/** Return the number of an error, and for what it holds. */
function errorOf(of) {
  const [, number = "", rest = ""] = /^± (\S+)\s*(.*)$/.exec(of.line?.error?.text ?? "") ?? [];
  return { number, rest };
}

function lockButton(of) {
  const isLocked = of.row.lock === true;
  return h("button", { type: "button", class: "lock", "aria-pressed": String(isLocked), "aria-label": `Lock statistic ${of.model.place(of.id) + 1}`, title: isLocked ? "Locked: it keeps its epsilon" : "Not locked: it shares the budget", on: { click: () => toggleLock(of) } }, isLocked ? "locked" : "lock");
}

/** Lock a row at the epsilon that it has, or let it share the budget again. */
function toggleLock(of) {
  of.set("lock", of.row.lock ? undefined : true, { now: true });
}

function actions(of) {
  const number = of.model.place(of.id) + 1;
  const button = (words, shape, act) =>
    h("button", { type: "button", class: "quiet", "aria-label": `${words} statistic ${number}`, title: words, on: { click: (event) => { event.stopPropagation(); act(); focusOn(of.model.selected); } }, html: `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${shape}"/></svg>` });
  return [
    button("Duplicate", "M5.5 5.5h8v8h-8zM10.5 2.5h-8v8", () => of.model.duplicate(of.id)),
    button("Remove", "M3.5 3.5l9 9M12.5 3.5l-9 9", () => of.model.remove(of.id)),
  ];
}

/** Move the focus to a row; to the button that adds one where there is none. */
export function focusOn(id) {
  (document.querySelector(`[data-row="${id}"] select`) ?? document.getElementById("add"))?.focus();
}

// Below a row

function about(of) {
  const said = [
    of.line && h("span", { class: "title" }, of.line.title),
    of.line && !of.line.useful.useful && h("span", { class: "mark" }, h("b", {}, "! "), of.line.useful.text),
    errorOf(of).rest.length > SHORT && h("span", { class: "also" }, of.line.error.text),
    (of.line?.errors ?? []).slice(1).map((each) => h("span", { class: "also" }, `${each.name} ${each.text}`)),
    of.line?.remarks && h("span", { class: "also" }, of.line.remarks),
  ];
  const asked = columnsOf(of.row).filter((name) => !of.model.study.columns[name]?.kind || of.model.describing.has(name));
  return [
    asked.map((name) => declaration(of.model, name, { done: () => { of.model.describing.delete(name); of.model.changed(); } })),
    h("div", { class: "under", key: "under" }, h("div", { class: "said" }, said), more(of)),
  ];
}

function more(of) {
  const inCell = isSeveral(of) ? ["columns"] : ["column"];
  const keys = of.form.keys.filter((key) => !inCell.includes(key) && applies(of, key));
  const order = ["by", "where", ...keys.filter((key) => key !== "by" && key !== "where" && key !== "column")];
  const set = (key, value) => {
    if (key === "columns" && value) delete of.row.column;
    of.set(key, value);
  };
  return h("details", { class: "more" },
    h("summary", {}, "More", h("span", { class: "hidden" }, ` ${of.more}`)),
    h("div", { class: "fields" },
      order.filter((key) => keys.includes(key)).map((key) => h("div", { key, class: "slot" }, fieldOf(of.model, { key, own: of.form.fields ?? {}, holder: of.row, base: of.base, more: of.more, set: (value) => set(key, value) }))),
      choice({ label: "The error holds in", more: of.more, field: `${of.base}/alpha`, value: shown(of.row.alpha) || "0.05", set: (alpha) => of.set("alpha", alpha === "0.05" ? undefined : alpha, { now: true }) }, [["0.1", "90 of 100 releases"], ["0.05", "95 of 100 releases"], ["0.01", "99 of 100 releases"]])));
}

/** Tell whether a key can matter to a row as it is; one that is set always does. */
function applies(of, key) {
  if (of.row[key] !== undefined) return true;
  if (key === "rows_per_person") return of.model.study.person !== undefined;
  if (["margins", "keys", "groups_per_person"].includes(key)) return of.row.by !== undefined;
  if (key === "shares") return of.row.margins !== undefined;
  if (key === "complete") return of.row.columns !== undefined;
  return true;
}
