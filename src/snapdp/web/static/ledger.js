/** The ledger page: balances, charges, the numbers of earlier releases, and whether anything was altered. */

import { ask } from "./ask.js";
import { fileList, numbers } from "./blocks.js";
import { at, h, listen } from "./dom.js";
import { chosenText, paragraph, refused, table, told, verdict } from "./pieces.js";

const SHOWN = 10; // charges of an account at first

async function shown() {
  const accounts = at("accounts");
  try {
    const answer = await ask("/api/ledger");
    at("where").textContent = answer.is_there
      ? `${answer.path}: what was spent, on what, and what is left.`
      : "What was spent, on what, and what is left.";
    accounts.replaceChildren(...content(answer));
    at("checks").hidden = !answer.is_there;
  } catch (refusal) {
    accounts.replaceChildren(refused(refusal));
    at("checks").hidden = false;
  } finally {
    accounts.removeAttribute("aria-busy");
  }
}

function content(answer) {
  if (!answer.is_there) {
    return [paragraph("There is no ledger yet: nothing was spent. The plan opens one when you give it a cap."),
      h("p", {}, h("a", { href: "/" }, "To the plan"))];
  }
  const unsound = answer.unsound.map((each) => h("p", { class: "refusal" },
    h("strong", {}, "Not shown: "), each));
  const none = answer.accounts.length || unsound.length ? [] : [paragraph("The ledger has no account yet.")];
  return [...unsound, ...answer.accounts.map(account), ...none];
}

function account(each) {
  return h("section", { class: "card account", "aria-label": `Account ${each.name}` },
    h("h2", {}, each.name),
    h("p", { class: "balance" },
      h("progress", { max: each.of_parts, value: each.parts, "aria-label": `Spent of the budget of ${each.name}` }),
      " ", h("span", {}, `Budget (epsilon): ${each.says}`)),
    paragraph(each.protected),
    paragraph(each.means),
    ...each.amended.map((one) => paragraph(one.says, "amended")),
    ...entries(each));
}

function entries(each) {
  if (!each.entries.length) return [paragraph("No charge yet.")];
  const items = each.entries.map((entry) => charge(each, entry));
  const list = h("ol", { class: "charges", "aria-label": `Charges of ${each.name}, newest first` },
    ...items.slice(0, SHOWN));
  const later = items.slice(SHOWN);
  const all = !later.length ? null : h("button", { type: "button", on: { click: (event) => {
    list.append(...later);
    event.target.remove();
    later[0].querySelector("button")?.focus();
  } } }, `Show ${later.length} more`);
  const more = each.more ? paragraph("snapdp ledger history shows all charges.", "hint") : null;
  return [h("h3", {}, "Charges, newest first"), list, all, more].filter(Boolean);
}

function charge(account, entry) {
  const below = h("div", { class: "below" });
  const of = `dataset=${encodeURIComponent(account.dataset)}&number=${entry.number}`;
  const what = `${entry.time} UTC`;
  const button = (label, waiting, work) => {
    const found = h("button", { type: "button", "aria-label": `${label}: charge of ${what}`,
      on: { click: () => told(below, found, waiting, work) } }, label);
    return found;
  };
  const answered = entry.has_record ? [
    button("Numbers", "Reading the numbers ...", () => released(of)),
    button("Files", "Reading what there is ...", () => files(account.dataset, entry.number)),
    button("Certificate and check", "Making the certificate, and asking its checker ...",
      () => certificate(account.dataset, entry.number)),
  ] : [];
  return h("li", {},
    h("div", { class: "charge" },
      h("span", { class: "when" }, what),
      h("span", { class: "cost" }, `epsilon ${entry.epsilon_shown} spent`),
      h("span", { class: `became ${entry.has_record ? "" : "lost"}` }, entry.became),
      h("span", { class: "titles" }, entry.titles)),
    h("div", { class: "buttons" }, ...answered,
      button("Request", "Reading the request ...", () => request(of))),
    below);
}

async function released(of) {
  return numbers(await ask(`/api/ledger/release?${of}`));
}

async function files(dataset, number) {
  return fileList(await ask("/api/addresses", { dataset, number }));
}

async function certificate(dataset, number) {
  const answer = await ask("/api/ledger/certificate", { dataset, number });
  const { files: addresses } = await ask("/api/addresses", { dataset, number });
  const [word, ...rest] = answer.says.split(": ");
  const sentence = answer.accepted
    ? "The independent checker, which shares no code with the release, derived everything again."
    : rest.join(": ");
  const proved = answer.proved.map((part) => [part.topic, lines(part.lines)]);
  const link = h("a", { href: addresses["certificate.json"], download: "certificate.json" },
    "Download the certificate");
  return [verdict(word, answer.accepted ? "good" : "bad", sentence),
    proved.length ? table("What was accepted", ["about", "what"], proved) : null,
    answer.accepted ? h("p", {}, link) : null].filter(Boolean);
}

async function request(of) {
  const answer = await ask(`/api/ledger/release?${of}`);
  const { statistics = [], ...rest } = answer.asked;
  const rows = statistics.map((each) => [each.title ?? each.kind ?? "", each.epsilon ?? ""]);
  return [rows.length ? table("What was asked for", ["statistic", "epsilon"], rows, ["", "figure"]) : null,
    h("details", {}, h("summary", {}, "The request as the ledger holds it"),
      h("pre", { tabindex: "0" }, JSON.stringify({ ...rest, statistics }, null, 1)))].filter(Boolean);
}

const lines = (all) => (all.length === 1 ? all[0] : h("ul", {}, ...all.map((each) => h("li", {}, each))));

async function verified(body, word) {
  const answer = await ask("/api/ledger/verify", body);
  return [verdict(word, "good", answer.says), ...answer.amended.map((each) => paragraph(each, "amended"))];
}

at("verify").addEventListener("click", () =>
  told(at("verified"), at("verify"), "Computing every digest again ...", () => verified({}, "SOUND")));
at("against").addEventListener("click", () =>
  told(at("held"), at("against"), "Looking for the record ...", async () => {
    const { text } = await chosenText(at("record"));
    return verified({ record: text }, "SOUND");
  }));
listen(document.body);
shown();
