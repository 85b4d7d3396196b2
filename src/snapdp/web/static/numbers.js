/** Numbers as texts: exact fractions, shown as decimals where that says the same. None of a study becomes a float. */

const WHOLE = /^[+-]?\d{1,15}$/;
const FRACTION = /^(-?\d+)\/(\d+)$/;
const DECIMAL = /^([+-]?)(\d*)\.?(\d*)$/;
const READ = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i; // a number with a point, as the library reads it
const DOUBTFUL = /^[+-]?[1-9]\d{0,2}\.\d{3}$/; // with a decimal point, or one between thousands?
const THOUSANDS = /^[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?$/;
const POINTED = /^[+-]?[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?$/; // thousands with points, a decimal comma
const COMMA = /^[+-]?\d+,\d+$/;
const GROUPS = /^[+-]?\d{1,3}(?:[\s'\u2019_]\d{3})+(?:[.,]\d+)?$/; // blanks and the like between thousands
const SIGNS = /[\s'\u2019_]/g;
const MOST_DIGITS = 9; // after the point, of a decimal that is shown in the place of a fraction

/** Return a number as a field shows it: "1/100" as 0.01, "1/3" as it is. */
export function shown(value) {
  const text = value === undefined || value === null ? "" : String(value);
  const found = FRACTION.exec(text);
  if (!found) return text;
  const [top, bottom] = [BigInt(found[1]), BigInt(found[2])];
  for (let digits = 1, power = 10n; digits <= MOST_DIGITS; digits += 1, power *= 10n) {
    if (bottom !== 0n && (top * power) % bottom === 0n) return placed((top * power) / bottom, digits);
  }
  return text;
}

function placed(units, digits) {
  const text = String(units < 0n ? -units : units).padStart(digits + 1, "0");
  return `${units < 0n ? "-" : ""}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/** Return what was typed as a study holds it: a whole number as one, else its text; nothing as undefined. */
export function typed(text) {
  const given = text.trim();
  if (given === "") return undefined;
  return WHOLE.test(given) ? Number(given) : given;
}

/**
 * Return the numbers of a line; undefined where there are none. Semicolons stand between them, or commas, or blanks.
 * Where commas have blanks, one without and with three digits after it may be one between thousands: it is left alone.
 */
export function typedList(text) {
  const sign = text.includes(";") ? ";" : /\d,\s/.test(text) ? /,\s+|,(?!\d{3}(?!\d))|\s+/ : /[,\s]+/;
  const found = text.split(sign).map(typed).filter((each) => each !== undefined);
  return found.length ? found : undefined;
}

// What is meant

/** Tell whether the library reads a text, or whole number, as a number. */
export function isNumber(value) {
  const text = String(value ?? "").trim();
  return READ.test(text) || FRACTION.test(text);
}

/** Tell whether a number that can be read is above zero. */
export function isPositive(value) {
  const text = String(value).trim();
  return !text.startsWith("-") && /[1-9]/.test(text.split(/[e/]/i)[0]);
}

/** Return how a number is read that may be meant in thousands, and what is meant then; null where nobody doubts. */
export function doubt(value) {
  const text = String(value ?? "").trim();
  return DOUBTFUL.test(text) ? { text, read: trimmed(text), meant: text.replace(".", "") } : null;
}

/** Return what may be meant by a text that is no number: with a sign between thousands, and with a decimal comma. */
export function meant(value) {
  const given = String(value).trim();
  if (GROUPS.test(given)) return { thousands: given.replace(SIGNS, "").replace(",", ".") };
  const found = {};
  if (THOUSANDS.test(given)) found.thousands = given.replaceAll(",", "");
  else if (POINTED.test(given)) found.thousands = given.replaceAll(".", "").replace(",", ".");
  if (COMMA.test(given) && !given.endsWith(",000")) found.decimal = trimmed(given.replace(",", "."));
  return found;
}

const trimmed = (decimal) => decimal.replace(/\.?0+$/, "");

/** Return an exact number as [top, bottom]; null where it is none. */
function ratio(value) {
  const text = String(value ?? "").trim();
  const fraction = FRACTION.exec(text);
  if (fraction) return BigInt(fraction[2]) === 0n ? null : [BigInt(fraction[1]), BigInt(fraction[2])];
  const found = DECIMAL.exec(text);
  if (!found || !(found[2] || found[3])) return null;
  const top = BigInt(found[2] + found[3]);
  return [found[1] === "-" ? -top : top, 10n ** BigInt(found[3].length)];
}

/** Return the part of a budget that one more statistic gets: an equal share of what locked ones leave, as text. */
export function equalShare(budget, locked, sharing) {
  const whole = ratio(budget);
  if (!whole) return "0.1";
  const left = locked.map(ratio).filter(Boolean).reduce(([a, b], [c, d]) => [a * d - c * b, b * d], whole);
  if (left[0] <= 0n) return "0.1";
  const [top, bottom] = lowest(left[0], left[1] * BigInt(sharing));
  return bottom === 1n ? String(top) : `${top}/${bottom}`;
}

function lowest(top, bottom) {
  let [a, b] = [top, bottom];
  while (b) [a, b] = [b, a % b];
  return [top / a, bottom / a];
}

/** Return an exact number for the width of a drawn bar: the one place where a float will do. */
export function drawn(value) {
  const found = ratio(value);
  return found ? Number((found[0] * 1000000n) / found[1]) / 1e6 : 0;
}

/** Return a whole number with commas between its thousands: 5,000; any other number as it is shown. */
export function grouped(value) {
  const text = shown(value);
  return /^-?\d+$/.test(text) ? text.replace(/\B(?=(\d{3})+$)/g, ",") : text;
}
