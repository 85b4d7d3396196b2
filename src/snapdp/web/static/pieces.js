/** Pieces of the ledger page and the verify page. Texts go in as text, never as markup. */

import { h } from "./dom.js";

export const paragraph = (text, kind = null) => h("p", { class: kind }, text);

/** Return a table that scrolls by itself where it is wide; rows are lists of texts or elements. */
export function table(caption, heads, rows, kinds = []) {
  const cell = (name, content, place, more = {}) => h(name, { class: kinds[place] || null, ...more }, content);
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h("table", {},
      h("caption", {}, caption),
      h("thead", {}, h("tr", {}, heads.map((each, place) => cell("th", each, place, { scope: "col" })))),
      h("tbody", {}, rows.map((row) => h("tr", {}, row.map((each, place) => cell("td", each, place)))))));
}

/** Return a verdict: its word, which is not told by its colour alone, and a sentence. */
export function verdict(word, kind, sentence) {
  return h("p", { class: "judged" }, h("strong", { class: `badge ${kind}` }, word), " ", sentence);
}

// What is read aloud: that work is done, and then the first words of what was found, never a whole table.
const voice = h("p", { class: "hidden", role: "status" });
document.querySelector("main").append(voice);
const FIRST = ".judged, .refusal, caption, h3, li";

/** Fill a place; while work is done it says so, and a refusal is told in words. */
export async function told(place, button, waiting, work) {
  place.replaceChildren(paragraph(waiting, "hint"));
  voice.textContent = waiting;
  place.setAttribute("aria-busy", "true");
  if (button) button.disabled = true;
  try {
    place.replaceChildren(...[await work()].flat().filter(Boolean));
  } catch (refusal) {
    place.replaceChildren(refused(refusal));
  } finally {
    voice.textContent = (place.querySelector(FIRST) ?? place).textContent;
    place.removeAttribute("aria-busy");
    if (button) button.disabled = false;
  }
}

export function refused(refusal) {
  const { error = String(refusal.message ?? refusal), advice = "", spent = "0" } = refusal;
  const cost = spent === "0" || spent === "unknown" ? "" : ` Spent: epsilon ${spent}.`; // the advice says the rest
  return h("div", { class: "refusal" }, h("b", {}, "Refused: "), `${error} ${advice}${cost}`);
}

/** Return the text of the file that was chosen. */
export async function chosenText(input) {
  const [file] = input.files;
  if (!file) throw new Error("Choose a file first.");
  return { name: file.name, text: await file.text() };
}
