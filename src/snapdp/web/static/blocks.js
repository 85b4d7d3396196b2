/** The numbers of a release as tables with noise intervals, what is to be said of them, and its files. */

import { h } from "./dom.js";

const NAMES = {
  "report.html": "Report (HTML)",
  "record.json": "Record (JSON)",
  "values.csv": "Values (CSV)",
  "values.parquet": "Values (Parquet)",
  "datapackage.json": "Dictionary of the values (JSON)",
  "certificate.json": "Certificate (JSON)",
};

const BESIDE = " a part of the record, which names it; keep it beside it";

/** Return the tables of a release, and below them the remarks without which its numbers would be misread. */
export function numbers({ blocks, remarks = [] }) {
  const said = remarks.map((each) => h("li", {}, each));
  return [...blocks.map(blockTable), said.length > 0 && h("ul", { class: "remarks", key: "remarks" }, said)];
}

function blockTable({ title, says = [], rows, more, single, level, cross }, place) {
  const sure = level ? `${level} noise interval` : "Noise interval";
  return h("section", { class: "block", key: `${place} ${title}`, "aria-label": title },
    h("h3", {}, title),
    says.length > 0 && h("p", { class: "hint" }, `${says.join("; ")}.`),
    cross ? crossTable(title, cross, rows, sure) : listTable(title, rows, single, sure),
    more > 0 && h("p", { class: "hint" }, `${more} more are in the files.`));
}

/** Return a table by two columns: each number, and below it its interval. */
function crossTable(title, { down, across, heads, rows: lines }, rows, sure) {
  const head = (words) => h("th", { scope: "col", class: "figure" }, words);
  const cell = ({ value, interval }) =>
    h("td", { class: "figure" }, h("b", {}, value), h("small", { class: "hint" }, interval));
  const line = ({ name, places }) => h("tr", {}, h("th", { scope: "row" }, name), places.map((at) => cell(rows[at])));
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title },
    h("table", { class: "crossed" },
      h("caption", { class: "hint" }, `${down} down, ${across} across; below each number its ${lower(sure)}`),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, `${down} / ${across}`), heads.map(head))),
      h("tbody", {}, lines.map(line))));
}

const lower = (words) => words.charAt(0).toLowerCase() + words.slice(1);

function listTable(title, rows, single, sure) {
  const head = (words, given = {}) => h("th", { scope: "col", ...given }, words);
  const figure = { class: "figure" };
  const row = ({ name, value, interval }) =>
    h("tr", {},
      h("th", { scope: "row" }, single ? name : short(name, title)),
      h("td", { class: "figure value" }, value),
      h("td", figure, interval));
  const heads = [head(single ? "Number" : "Name"), head("Value", figure), head(sure, figure)];
  return h("table", { class: "numbers", "aria-label": title },
    h("thead", {}, h("tr", {}, heads)),
    h("tbody", {}, rows.map(row)));
}

/** Return the name of a number in its block, whose title stands above it. */
const short = (name, title) =>
  (name.startsWith(`${title} [`) && name.endsWith("]") ? name.slice(title.length + 2, -1) : name);

/** Return the files of a release to take away, by their addresses. */
export function fileList(addresses) {
  const about = (name) => (NAMES[name] ? null : h("small", { class: "hint" }, BESIDE));
  const file = ([name, href]) =>
    h("li", { key: name }, h("a", { href, download: name }, NAMES[name] ?? name), about(name));
  return [
    h("p", { key: "report" },
      h("a", { class: "button primary", href: addresses.report, target: "_blank", rel: "noopener" },
        "Open the report in a new tab")),
    h("ul", { class: "files", key: "files" }, Object.entries(addresses.files).map(file)),
  ];
}
