/** The card of a release on the page that made it: what it has cost, its numbers, and the files to take away. */

import { fileList, numbers } from "./blocks.js";
import { h } from "./dom.js";

const SCREEN = 20; // numbers: where there are more, files stand above them
const OF_BEFORE = "These are numbers of the plan before your last change.";

/** Return the card of a release; nothing where there is none yet. */
export function results({ released, isShown, waits }) {
  if (!released) return null;
  const { number, keeps_texts: keepsTexts, addresses, blocks } = released;
  const isLong = blocks.reduce((count, { rows }) => count + rows.length, 0) > SCREEN;
  const files = h("div", { key: "files" }, h("h3", {}, "Files"),
    addresses ? fileList(addresses) : h("a", { href: "/ledger" }, "They are on the ledger page."));
  const key = `release ${released.dataset} ${number}`;
  return h("section", { class: "card results", "aria-labelledby": "results-title", key },
    h("h2", { id: "results-title", tabindex: "-1" }, "Released numbers"),
    !isShown && !waits && h("p", { class: "mark" }, h("b", {}, "! "), OF_BEFORE),
    h("p", {}, charged(released)),
    keepsTexts && h("p", { class: "hint" }, "It keeps the title, publisher and contact of its first time."),
    isLong ? [files, numbers(released)] : [numbers(released), files]);
}

function charged({ free, charged_shown: cost }) {
  if (free) return "Nothing was charged: these are the numbers of before.";
  return `Epsilon ${cost} was charged; the charge stands in the ledger.`;
}
