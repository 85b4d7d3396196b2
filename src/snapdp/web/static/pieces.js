// Pieces of a page. Texts go in as text, never as markup.

// Return an element: its name, its properties, and what stands in it.
export function made(name, properties = {}, ...content) {
  const found = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("on")) found.addEventListener(key.slice(2), value);
    else if (key in found && key !== "list") found[key] = value;
    else found.setAttribute(key, value);
  }
  found.append(...content.filter((each) => each !== null && each !== undefined && each !== ""));
  return found;
}

export const paragraph = (text, kind = "") => made("p", { className: kind }, text);

// Return a table that scrolls by itself where it is wide; rows are lists of texts or elements.
export function table(caption, heads, rows, kinds = []) {
  const cell = (name, content, place, more = {}) =>
    made(name, { className: kinds[place] ?? "", ...more }, content);
  return made("div", { className: "scrolled", tabIndex: 0, role: "region", "aria-label": caption },
    made("table", {},
      made("caption", {}, caption),
      made("thead", {}, made("tr", {}, ...heads.map((each, place) => cell("th", each, place, { scope: "col" })))),
      made("tbody", {}, ...rows.map((row) => made("tr", {}, ...row.map((each, place) => cell("td", each, place)))))));
}

// Return a verdict: its word, which is not told by its colour alone, and a sentence.
export function verdict(word, kind, sentence) {
  return made("p", { className: "judged" }, made("strong", { className: `badge ${kind}` }, word), " ", sentence);
}

// What is read aloud: that work is done, and then the first words of what was found, never a whole table.
const voice = made("p", { className: "unseen", role: "status" });
document.querySelector("main").append(voice);
const FIRST = ".judged, .refusal, caption, li";

// Fill a place; while work is done it says so, and a refusal is told in words.
export async function told(place, button, waiting, work) {
  place.replaceChildren(paragraph(waiting, "waiting"));
  voice.textContent = waiting;
  place.setAttribute("aria-busy", "true");
  if (button) button.disabled = true;
  try {
    place.replaceChildren(...[await work()].flat());
  } catch (refusal) {
    place.replaceChildren(refused(refusal));
  } finally {
    voice.textContent = (place.querySelector(FIRST) ?? place).textContent;
    place.removeAttribute("aria-busy");
    if (button) button.disabled = false;
  }
}

export function refused(refusal) {
  const { error = String(refusal.message ?? refusal), advice = "" } = refusal;
  return made("div", { className: "refusal" },
    made("p", {}, made("strong", {}, "Refused: "), error), advice ? paragraph(advice) : null);
}

// Return the text of the file that was chosen.
export async function chosenText(input) {
  const [file] = input.files;
  if (!file) throw new Error("Choose a file first.");
  return { name: file.name, text: await file.text() };
}
