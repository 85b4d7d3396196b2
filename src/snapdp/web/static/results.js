/** The numbers of a release, each with its noise interval, and the files to take away. */

import { h } from "./dom.js";

const NAMES = {
  "report.html": "Report (HTML)",
  "record.json": "Record (JSON)",
  "values.csv": "Values (CSV)",
  "values.parquet": "Values (Parquet)",
  "datapackage.json": "Dictionary of the values (JSON)",
  "certificate.json": "Certificate (JSON)",
};

const OF_BEFORE = "These are numbers of the plan before your last change.";

/** Return the card of a release; nothing where there is none yet. */
export function results({ released, isReleased }) {
  if (!released) return null;
  const { number, keeps_texts: keepsTexts, blocks, remarks = [], addresses } = released;
  const file = ([name, href]) => h("li", { key: name }, h("a", { href, download: name }, NAMES[name] ?? name));
  const shown = { href: addresses.report, target: "_blank", rel: "noopener" };
  return h("section", { class: "card results", "aria-labelledby": "results-title", key: `release ${number}` },
    h("h2", { id: "results-title", tabindex: "-1" }, "Released numbers"),
    !isReleased && h("p", { class: "mark" }, h("b", {}, "! "), OF_BEFORE),
    h("p", {}, charged(released)),
    keepsTexts && h("p", { class: "hint" }, "It keeps the title, publisher and contact of its first time."),
    blocks.map(blockTable),
    remarks.length > 0 && h("ul", { class: "remarks", key: "remarks" }, remarks.map((each) => h("li", {}, each))),
    h("h3", {}, "Files"),
    h("p", {}, h("a", { class: "button primary", ...shown }, "Open the report in a new tab")),
    h("ul", { class: "files" }, Object.entries(addresses.files).map(file)));
}

function charged({ free, charged_shown: cost, number }) {
  if (free) return "Nothing was charged: these are the numbers of before.";
  return `Epsilon ${cost} was charged, as entry ${number} of the ledger.`;
}

function blockTable({ title, rows, more, single, level }, place) {
  const head = (words, given = {}) => h("th", { scope: "col", ...given }, words);
  const figure = { class: "figure" };
  const row = ({ name, value, interval }) =>
    h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "figure value" }, value), h("td", figure, interval));
  const heads = [head(single ? "Number" : "Name"), head("Value", figure), head(level ? `${level} noise interval` : "Noise interval", figure)];
  return h("section", { class: "block", key: `${place} ${title}` },
    h("h3", { id: `block-${place}` }, title),
    h("table", { class: "numbers", "aria-labelledby": `block-${place}` },
      h("thead", {}, h("tr", {}, heads)),
      h("tbody", {}, rows.map(row))),
    more > 0 && h("p", { class: "hint" }, `${more} more are in the files.`));
}
