/**
 * The library's sentences in the words of the page: keys become the labels of their fields, and what only a file, a
 * flag or Python can say is left out. What to write in a field of numbers is said by the kind of the field.
 */

import { isNumber, isPositive, meant } from "./numbers.js";

export const GUESS = "Errors for so many rows in the table";
export const WRITTEN = "How the file is written";
export const SIGN = "Between cells";
export const LETTERS = "Letters";
export const LABELS = {
  n: "Rows in the table",
  n_max: "Rows in the table, at most",
  person: "Columns that name a person",
  rows_per_person: "Rows kept of each person",
  unit_rows: "Rows of one person, at most",
  budget: "Budget",
  cap: "Cap",
  dataset: "Dataset",
  accuracy: "± error",
  epsilon: "Epsilon",
  if_rows: GUESS,
};
const SIGNS = [[";", ";", "semicolons"], ["\t", "tab", "tabs"], ["|", "|", "bars"]]; // sign, its choice, its name
const NUMBERS_TOO = "Look at its numbers too: their decimal sign and thousands are chosen there as well.";
const ROWS = "Write a whole number, such as 5000.";
const AMOUNT = "Write a number above 0, such as 0.1 or 1/3.";
const KINDS = { // of the fields that no form holds
  n: "rows", n_max: "rows", if_rows: "rows", rows_per_person: "whole", unit_rows: "whole",
  budget: "amount", cap: "amount", epsilon: "amount", accuracy: "error", alpha: "number",
  from: "number", below: "number", // of conditions
};
const TO_WRITE = {
  rows: ROWS,
  whole: "Write a whole number: 1, 2, 3, ...",
  amount: AMOUNT,
  error: "Write a number above 0, such as 10 or 0.5.",
  number: "Write a number, such as 100 or 0.5.",
  missing: "Write a number between the bounds.",
  numbers: "Write numbers with commas between them, such as 0, 0.5, 100.",
};
const ABOVE_ZERO = ["rows", "whole", "amount", "error"];
const NO_NUMBERS = ["dropped", "middle", "binned"];
const LACKS = /(?:study: )?the key '([a-z_]+)' is missing\./;
const NO_NUMBER = / is not a finite number\./;
const CELLS =
  "Choose what it counts as: left out, the middle of the bounds, or a public number inside them.";
const ADVICE = [
  [/Give missing = "dropped".*?stands in\./, CELLS],
  [/Add a line [a-z_]+ = \.\.\./, "Please fill it in."],
  [/Give [a-z_]+(?: of column '.*?')? > 0\./, "Write a number above 0."],
  [/Give [a-z_]+ = 1, 2, 3, \.\.\./, "Write a whole number: 1, 2, 3, ..."],
  [/Give [a-z_]+(?: of column '.*?')? as a number/, "Write a number"],
  [/Give epsilon = "0\.3", or accuracy = .*/, "Fill in Epsilon, such as 0.3, or the ± error."],
  [/Give a step of at least (\S+), or bounds/, 'Write at least $1 in "Rounded to", or bounds'],
  [/Declare one as wide as you would print .*?: step = "(\S+)", or whole numbers \(by flags --step, or --integer\)\./,
    'Write in "Rounded to" as much as you would print, such as $1; or say that it holds whole numbers.'],
  [/a wider step, such as step = "(\S+)" \(--step .*?=\1\)/, 'more in "Rounded to", such as $1'],
  [/Give groups_per_person=1, or more/, 'Fill in "Groups in which a person counts": 1, or more'],
  [/; if_rows \(--if-rows N\) says for how many/, `; the field "${GUESS}" says for how many`],
  [/: "[^"]*" on the command line, .* in Python/, ""],
  [/ \(--[a-z-]+(?: [A-Z]+)?\)/g, ""],
];

/** Return a refusal's two sentences, what is wrong and what to do, as the page says them. */
export function onPage({ error, advice = "", field }, model) {
  const { state } = model;
  const labels = { ...LABELS };
  for (const [key, { label }] of Object.entries(state?.forms.fields ?? {})) labels[key] ??= label;
  const named = (text) => Object.entries(labels).reduce(withLabel, text);
  const lacking = error.replace(LACKS, (_, key) => `"${labels[key] ?? key}" is missing.`);
  const told = lacking.replace(NO_NUMBER, " is no number here.");
  return { error: named(told), advice: ofFile(field, model) ?? toWrite(field, model) ?? named(plain(advice)) };
}

/** Return where to say how a file is written, by the field that a refusal leads to; null where that is another. */
function ofFile(field, { state }) {
  if (field === "/csv/encoding") return `Choose others in "${LETTERS}" under "${WRITTEN}", or save the file as UTF-8.`;
  if (field !== "/csv/delimiter") return null;
  const asked = signBetween(state.data)?.called;
  const first = asked ? `Are there ${asked} between its cells? Choose them` : "Choose what is between its cells";
  return `${first} in "${SIGN}" under "${WRITTEN}". ${NUMBERS_TOO}`;
}

/** Return the sign that may stand between the cells of a file all whose names are in one column; null where none is. */
export function signBetween(data) {
  const [only, ...others] = data?.columns ?? [];
  const found = SIGNS.find(([sign]) => only?.name.includes(sign));
  return found && !others.length ? { delimiter: found[1], called: found[2] } : null;
}

/** Return what to write in a field of numbers that holds none; null where it holds one, or is no such field. */
export function toWrite(field, model) {
  const kind = kindOf(field ?? "", model);
  if (!(kind in TO_WRITE)) return null;
  const given = [valueAt(model, field)].flat().filter((each) => !NO_NUMBERS.includes(each));
  const wrong = given.find((each) => !isNumber(each));
  if (wrong === undefined) return ABOVE_ZERO.includes(kind) && !given.every(isPositive) ? TO_WRITE[kind] : null;
  return meantBy(String(wrong), kind) ?? TO_WRITE[kind];
}

/** Return how to write what is meant by a text: without signs between thousands, with a decimal point. */
function meantBy(text, kind) {
  const { thousands, decimal } = meant(text);
  if (!thousands && !decimal) return null;
  if (kind === "numbers" && thousands) return `Write ${thousands}; two numbers have a comma and a blank between them.`;
  if (["rows", "whole"].includes(kind)) return thousands?.includes(".") === false ? `Write ${thousands}.` : null;
  const isEither = thousands && decimal && kind !== "amount";
  if (isEither) return `Write ${thousands}. If the comma is a decimal sign, write ${decimal}.`;
  return decimal ? `Write ${decimal}, with a point.` : `Write ${thousands}.`;
}

/** Return the kind of a field of numbers, by its pointer; the forms know those of statistics and columns. */
function kindOf(field, { study, state }) {
  const way = field.split("/").slice(1);
  const key = way.at(-1);
  if (way[0] === "statistic") {
    const own = state?.forms.statistics.find((each) => each.kind === study.statistic[way[1]]?.kind)?.fields ?? {};
    if (own[key]) return own[key].type;
  }
  const isDay = way[0] === "columns" && key === "from"; // a column of dates has a first day
  return isDay ? "text" : (KINDS[key] ?? state?.forms.fields[key]?.type);
}

/** Return what a study holds at a pointer. */
export function valueAt({ study, ifRows, cap }, field) {
  if (field === "/if_rows") return ifRows;
  if (field === "/cap") return cap;
  const names = field.split("/").slice(1).map((each) => each.replaceAll("~1", "/").replaceAll("~0", "~"));
  return names.reduce((held, name) => held?.[name], study);
}

/** Return a sentence without flags, and without what a file or Python would say. */
export const plain = (text) => ADVICE.reduce((words, [sought, instead]) => words.replace(sought, instead), text);

/** Put a label in the place of a key: of one that is no ordinary word everywhere, of others where they are set. */
function withLabel(text, [key, label]) {
  const sought = key.includes("_") ? `\\b${key}\\b` : `(?<![\\w'"])${key}(?= = | < |(?: of column '[^']*') = )`;
  return text.replace(new RegExp(sought, "g"), `"${label}"`).replace('"Lowest" < upper', '"Lowest" below "Highest"');
}
