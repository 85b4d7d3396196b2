/**
 * The library's sentences in the words of the page: keys become the labels of their fields, and what only a file, a
 * flag or Python can say is left out.
 */

export const GUESS = "Errors for so many rows";
export const LABELS = {
  n: "Rows in the table",
  n_max: "Rows in the table, at most",
  person: "Columns that name a person",
  rows_per_person: "Rows kept of each person",
  unit_rows: "Rows that come or go together",
  budget: "Budget",
  cap: "Cap",
  dataset: "Dataset",
  accuracy: "± error",
  epsilon: "Epsilon",
  if_rows: GUESS,
};
const WHOLE = ["n", "n_max", "rows_per_person", "unit_rows", "groups_per_person", "if_rows"];
const LACKS = /(?:study: )?the key '([a-z_]+)' is missing\./;
const COMMA = /= '(-?\d+),(\d+)' is not a finite number/;
const CELLS =
  "Choose what it counts as: left out, the middle of the bounds, or a public number inside them.";
const ADVICE = [
  [/Give missing = "dropped".*?stands in\./, CELLS],
  [/Add a line [a-z_]+ = \.\.\./, "Please fill it in."],
  [/Give [a-z_]+(?: of column '.*?')? > 0\./, "Write a number above 0."],
  [/Give [a-z_]+ = 1, 2, 3, \.\.\./, "Write a whole number: 1, 2, 3, ..."],
  [/Give [a-z_]+(?: of column '.*?')? as a number/, "Write a number"],
  [/Give epsilon = "0\.3", or accuracy = .*/, "Fill in Epsilon, such as 0.3, or the ± error."],
  [/Give groups_per_person=1, or more/, 'Fill in "Groups in which a person counts": 1, or more'],
  [/; if_rows \(--if-rows N\) says for how many/, `; the field "${GUESS}" says for how many`],
  [/: "[^"]*" on the command line, .* in Python/, ""],
  [/ \(--[a-z-]+(?: [A-Z]+)?\)/g, ""],
];

/** Return a refusal's two sentences, what is wrong and what to do, as the page says them. */
export function onPage({ error, advice = "" }, { state }) {
  const labels = { ...LABELS };
  for (const [key, { label }] of Object.entries(state?.forms.fields ?? {})) labels[key] ??= label;
  const named = (text) => Object.entries(labels).reduce(withLabel, text);
  return { error: named(error.replace(LACKS, (_, key) => `"${labels[key] ?? key}" is missing.`)), advice: told() };

  function told() {
    const comma = COMMA.exec(error);
    if (comma) return comma[2].length === 3 ? thousands(comma) : `Write ${comma[1]}.${comma[2]}, with a point.`;
    if (WHOLE.some((key) => error.includes(`${key} = '`))) return "Write a whole number, such as 5000.";
    return named(plain(advice));
  }
}

const thousands = ([, first, rest]) => `Write ${first}${rest}, or ${first}.${rest} with a point.`;

/** Return a sentence without flags, and without what a file or Python would say. */
export const plain = (text) => ADVICE.reduce((words, [sought, instead]) => words.replace(sought, instead), text);

/** Put a label in the place of a key: of one that is no ordinary word everywhere, of others where they are set. */
function withLabel(text, [key, label]) {
  const sought = key.includes("_") ? `\\b${key}\\b` : `(?<![\\w'"])${key}(?= = | < |(?: of column '[^']*') = )`;
  return text.replace(new RegExp(sought, "g"), `"${label}"`).replace('"Lowest" < upper', '"Lowest" below "Highest"');
}
