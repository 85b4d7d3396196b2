/** Texts of anybody's, for people: what turns a line round, breaks it, or is not seen at all is written out. */

const BLANKS =
  "\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u2800\\u3164\\ufe00-\\ufe0f\\uffa0\\u{e0100}-\\u{e01ef}";
const UNSEEN = new RegExp(`(?! )[\\p{C}\\p{Z}${BLANKS}]`, "gu"); // every space but the usual one

/** Return a text in which everything is seen, as the command line writes it: U+202E as \u202e. */
export const visible = (text) => String(text).replace(UNSEEN, written);

function written(each) {
  const code = each.codePointAt(0);
  const digits = (size) => code.toString(16).padStart(size, "0");
  if (code < 0x100) return `\\x${digits(2)}`;
  return code < 0x10000 ? `\\u${digits(4)}` : `\\U${digits(8)}`;
}
