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

/** Return the card of a release; nothing where there is none yet. */
export function results(released) {
  if (!released) return null;
  const address = (name, more = "") => `/api/file?${new URLSearchParams({ dataset: released.dataset, number: released.number, name })}${more}`;
  return h("section", { class: "card results", "aria-labelledby": "results-title", key: `release ${released.number}` },
    h("h2", { id: "results-title", tabindex: "-1" }, "Released numbers"),
    h("p", {}, charged(released)),
    released.keeps_texts && h("p", { class: "hint" }, "It keeps the title, publisher and contact with which it was released first."),
    released.blocks.map((block, place) => blockTable(block, place)),
    h("h3", {}, "Files"),
    h("p", {}, h("a", { class: "button primary", href: address("report.html", "&shown=true"), target: "_blank", rel: "noopener" }, "Open the report in a new tab")),
    h("ul", { class: "files" }, [...released.files, ...released.beside].map((name) => h("li", { key: name }, h("a", { href: address(name), download: name }, NAMES[name] ?? name)))));
}

function charged(released) {
  if (released.free) return "Nothing was charged: these are the numbers of before.";
  return `Epsilon ${released.charged_shown} was charged. Entry ${released.number} of the ledger.`;
}

function blockTable(block, place) {
  const titled = `block-${place}`;
  return h("section", { class: "block", key: `${place} ${block.title}` },
    h("h3", { id: titled }, block.title),
    h("table", { class: "numbers", "aria-labelledby": titled },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, block.single ? "Number" : "Name"), h("th", { scope: "col", class: "figure" }, "Value"), h("th", { scope: "col", class: "figure" }, "95 % noise interval"))),
      h("tbody", {}, block.rows.map((row) => h("tr", {}, h("th", { scope: "row" }, row.name), h("td", { class: "figure value" }, row.value), h("td", { class: "figure" }, row.interval))))),
    block.more > 0 && h("p", { class: "hint" }, `${block.more} more are in the files.`));
}
