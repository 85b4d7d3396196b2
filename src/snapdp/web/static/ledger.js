// The ledger page: balances, charges, the numbers of earlier releases, and whether anything was altered.

import { ask } from "./ask.js";
import { chosenText, made, paragraph, refused, table, told, verdict } from "./pieces.js";

const place = (id) => document.getElementById(id);
const FILES = {
  "report.html": "report",
  "record.json": "record (JSON)",
  "values.csv": "values (CSV)",
  "values.parquet": "values (Parquet)",
  "datapackage.json": "what the columns mean (JSON)",
  "certificate.json": "certificate (JSON)",
};
const SHOWN = 10; // charges of an account at first

async function shown() {
  const accounts = place("accounts");
  try {
    const answer = await ask("/api/ledger");
    place("where").textContent = answer.is_there
      ? `${answer.path}: what was spent, on what, and what is left.`
      : "What was spent, on what, and what is left.";
    accounts.replaceChildren(...content(answer));
    place("checks").hidden = !answer.is_there;
  } catch (refusal) {
    accounts.replaceChildren(refused(refusal));
    place("checks").hidden = false;
  } finally {
    accounts.removeAttribute("aria-busy");
  }
}

function content(answer) {
  if (!answer.is_there) {
    return [paragraph("There is no ledger yet: nothing was spent. The plan opens one when you give it a cap."),
      made("p", {}, made("a", { href: "/" }, "To the plan"))];
  }
  const unsound = answer.unsound.map((each) => made("p", { className: "refusal" },
    made("strong", {}, "Not shown: "), each));
  const none = answer.accounts.length || unsound.length ? [] : [paragraph("The ledger has no account yet.")];
  return [...unsound, ...answer.accounts.map(account), ...none];
}

function account(each) {
  return made("section", { className: "account", "aria-label": `Account ${each.name}` },
    made("h2", {}, each.name),
    made("p", { className: "balance" },
      made("progress", { max: each.of_parts, value: each.parts, "aria-label": `Spent of the budget of ${each.name}` }),
      " ", made("span", {}, `Budget (epsilon): ${each.says}`)),
    paragraph(`What is protected: ${each.protected}`),
    paragraph(each.means),
    ...each.amended.map((one) => paragraph(one.says, "amended")),
    ...entries(each));
}

function entries(each) {
  if (!each.entries.length) return [paragraph("No charge yet.")];
  const items = each.entries.map((entry) => charge(each, entry));
  const list = made("ol", { className: "charges", "aria-label": `Charges of ${each.name}, newest first` },
    ...items.slice(0, SHOWN));
  const later = items.slice(SHOWN);
  const all = !later.length ? null : made("button", { type: "button", onclick: (event) => {
    list.append(...later);
    event.target.remove();
    later[0].querySelector("button")?.focus();
  } }, `Show ${later.length} more`);
  const more = each.more ? paragraph(`... and ${each.more} older: snapdp ledger history shows them.`, "hint") : null;
  return [made("h3", {}, "Charges, newest first"), list, all, more].filter(Boolean);
}

function charge(account, entry) {
  const below = made("div", { className: "below" });
  const of = `dataset=${encodeURIComponent(account.dataset)}&number=${entry.number}`;
  const what = `${entry.time} UTC`;
  const button = (label, waiting, work) => {
    const found = made("button", { type: "button", "aria-label": `${label}: charge of ${what}`,
      onclick: () => told(below, found, waiting, work) }, label);
    return found;
  };
  const answered = entry.has_record ? [
    button("Numbers", "Reading the numbers ...", () => numbers(of)),
    button("Files", "Reading what there is ...", () => files(account.dataset, entry.number)),
    button("Certificate and check", "Making the certificate, and asking its checker ...",
      () => certificate(account.dataset, entry.number)),
  ] : [];
  return made("li", {},
    made("div", { className: "charge" },
      made("span", { className: "when" }, what),
      made("span", { className: "cost" }, `epsilon ${entry.epsilon_shown} spent`),
      made("span", { className: `became ${entry.has_record ? "" : "lost"}` }, entry.became),
      made("span", { className: "titles" }, entry.titles)),
    made("div", { className: "buttons" }, ...answered,
      button("Request", "Reading the request ...", () => request(of))),
    below);
}

// Return the name of a number in its block, whose title stands above it.
const short = (name, title) =>
  (name.startsWith(`${title} [`) && name.endsWith("]") ? name.slice(title.length + 2, -1) : name);

async function numbers(of) {
  const answer = await ask(`/api/ledger/release?${of}`);
  return answer.blocks.flatMap((block) => [
    table(block.title, block.single ? ["value", "95 % interval"] : ["name", "value", "95 % interval"],
      block.rows.map((row) => (block.single ? [row.value, row.interval] : [short(row.name, block.title), row.value, row.interval])),
      block.single ? ["r", "r"] : ["", "r", "r"]),
    block.more ? paragraph(`... and ${block.more} more: the files of values hold them all.`, "hint") : null,
  ].filter(Boolean));
}

async function files(dataset, number) {
  const addresses = await ask("/api/addresses", { dataset, number });
  const download = ([name, href]) => made("li", {}, made("a", { href, download: name }, FILES[name] ?? name));
  const view = made("li", {}, made("a", { href: addresses.report, target: "_blank", rel: "noopener" },
    "Open the report in a new tab"));
  return [made("ul", { className: "files" }, view, ...Object.entries(addresses.files).map(download))];
}

async function certificate(dataset, number) {
  const answer = await ask("/api/ledger/certificate", { dataset, number });
  const { files: addresses } = await ask("/api/addresses", { dataset, number });
  const [word, ...rest] = answer.says.split(": ");
  const sentence = answer.accepted
    ? "The independent checker, which shares no code with the release, derived everything again."
    : rest.join(": ");
  const proved = answer.proved.map((part) => [part.topic, lines(part.lines)]);
  const link = made("a", { href: addresses["certificate.json"], download: "certificate.json" },
    "Download the certificate");
  return [verdict(word, answer.accepted ? "good" : "bad", sentence),
    proved.length ? table("What was accepted", ["about", "what"], proved) : null,
    answer.accepted ? made("p", {}, link) : null].filter(Boolean);
}

async function request(of) {
  const answer = await ask(`/api/ledger/release?${of}`);
  const { statistics = [], ...rest } = answer.asked;
  const rows = statistics.map((each) => [each.title ?? each.kind ?? "", each.epsilon ?? ""]);
  return [rows.length ? table("What was asked for", ["statistic", "epsilon"], rows, ["", "r"]) : null,
    made("details", {}, made("summary", {}, "The request as the ledger holds it"),
      made("pre", { tabIndex: 0 }, JSON.stringify({ ...rest, statistics }, null, 1)))].filter(Boolean);
}

const lines = (all) => (all.length === 1 ? all[0] : made("ul", {}, ...all.map((each) => made("li", {}, each))));

async function verified(body, word) {
  const answer = await ask("/api/ledger/verify", body);
  return [verdict(word, "good", answer.says), ...answer.amended.map((each) => paragraph(each, "amended"))];
}

place("verify").addEventListener("click", () =>
  told(place("verified"), place("verify"), "Computing every digest again ...", () => verified({}, "SOUND")));
place("against").addEventListener("click", () =>
  told(place("held"), place("against"), "Looking for the record ...", async () => {
    const { text } = await chosenText(place("record"));
    return verified({ record: text }, "SOUND");
  }));
shown();
