/** Numbers as texts: exact fractions, shown as decimals where that says the same. None of a study becomes a float. */

const WHOLE = /^[+-]?\d{1,15}$/;
const FRACTION = /^(-?\d+)\/(\d+)$/;
const DECIMAL = /^([+-]?)(\d*)\.?(\d*)$/;
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

/** Return the numbers of a line with commas or blanks between them; undefined where there are none. */
export function typedList(text) {
  const found = text.split(/[,;\s]+/).filter(Boolean).map(typed);
  return found.length ? found : undefined;
}

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
