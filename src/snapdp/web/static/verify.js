/** The verify page: the audit of a record, and the verdict on a program. */

import { ask } from "./ask.js";
import { at, h, listen } from "./dom.js";
import { chosenText, paragraph, refused, table, told, verdict } from "./pieces.js";

const OWN = "own";
const KINDS = { VERIFIED: "good", BOUNDED: "good", REFUTED: "bad", SOUND: "good", ALTERED: "bad" };
const MEANING = {
  VERIFIED: "proved: the claim holds for all tables and all outputs.",
  REFUTED: "disproved: an output was found that gives more away than is claimed.",
  BOUNDED: "proved: the loss stays below a bound; the program claims nothing.",
  UNBOUNDED: "no bound of the loss can be given.",
  INCONCLUSIVE: "neither proved nor disproved.",
};
let programs = new Map();

// A record

at("audit").addEventListener("click", () =>
  told(at("audited"), at("audit"), "Deriving everything again ...", async () => {
    const { name, text } = await chosenText(at("record"));
    return audited(name, await ask("/api/audit", { record: text, alone: !at("with-ledger").checked }));
  }));

function audited(name, answer) {
  const sentence = answer.says.slice(answer.verdict.length + 2).replaceAll("this record", name);
  const found = [verdict(answer.verdict, KINDS[answer.verdict], sentence)];
  if (answer.findings.length) {
    found.push(table("What is not as it must be", ["field", "says", "should be", "about"],
      answer.findings.map((each) => [h("code", {}, each.field), each.says, each.should, each.about]),
      ["long", "long", "long"]));
  }
  if (answer.more_findings) found.push(paragraph(`... and ${answer.more_findings} more.`, "hint"));
  found.push(...answer.notes.map((each) => paragraph(each, "amended")));
  if (answer.sound) {
    found.push(paragraph(answer.claim), table("What the guarantee rests on", ["premise", "status", "why"],
      answer.premises.map((each) => [each.name, each.status, each.why]), ["", "", "long"]));
  }
  return found;
}

// A program

function chosen() {
  const program = programs.get(at("program").value);
  at("text").value = program?.text ?? "";
  at("machine").value = program?.machine ?? "";
  at("about").textContent = program?.about ?? "";
}

// Return what is to be judged: a program of the library as it is, or a text.
function asked() {
  const [name, text] = [at("program").value, at("text").value];
  const claim = at("claim").value === OWN ? at("loss").value : at("claim").value;
  const source = programs.get(name)?.text === text ? { name } : { text };
  return { ...source, machine: at("machine").value, claim: claim || null };
}

at("program-form").addEventListener("submit", (event) => {
  event.preventDefault();
  at("report").replaceChildren();
  told(at("judged"), at("judge"), "Judging; this can take up to a minute ...", async () => {
    const answer = await ask("/api/verify", asked());
    if (answer.report) at("report").replaceChildren(...report(answer));
    return judged(answer);
  });
});

function judged(answer) {
  const { lower, upper } = answer.loss;
  const rows = [
    ["at least, exactly computed at one output", lower ?? "nothing was found"],
    ["at most, for all tables and outputs", upper ?? "no bound"],
    ["claimed", answer.claimed ?? "nothing"],
  ];
  const premises = answer.premises.map((each) => [each.status, each.name, each.detail]);
  return [
    verdict(answer.verdict, KINDS[answer.verdict] ?? "open", MEANING[answer.verdict]),
    paragraph(answer.headline),
    table("The privacy loss (epsilon)", ["the loss is", "loss"], rows, ["", "figure"]),
    answer.runs_on ? paragraph(`Machine: ${answer.runs_on}`, "hint") : null,
    ...answer.remarks.map((each) => paragraph(each)),
    h("details", {}, h("summary", {}, `Premises (${premises.length})`),
      table("Premises", ["status", "premise", "why"], premises, ["", "", "long"])),
  ].filter(Boolean);
}

function report(answer) {
  const address = `/verdict?id=${encodeURIComponent(answer.report)}`;
  return [
    h("h3", {}, "The report, with pictures"),
    h("p", {}, h("a", { href: address, target: "_blank", rel: "noopener" }, "Open it in a new tab")),
    h("iframe", { src: address, title: "Report of the verdict", sandbox: "" }),
  ];
}

// The form

at("program").addEventListener("change", chosen);
at("text").addEventListener("input", () => {
  if (programs.get(at("program").value)?.text !== at("text").value) at("about").textContent = "";
});
at("claim").addEventListener("change", () => {
  at("own-claim").hidden = at("claim").value !== OWN;
  if (!at("own-claim").hidden) at("loss").focus();
});

async function begin() {
  try {
    const answer = await ask("/api/programs");
    programs = new Map(answer.programs.map((each) => [each.name, each]));
    at("program").append(...answer.programs.map((each) => h("option", { value: each.name }, each.name)));
    at("claim").append(...answer.claims.map((each) => h("option", { value: each.name }, each.label)),
      h("option", { value: OWN }, "a number of my own"));
    at("program").value = "snap_half";
    chosen();
  } catch (refusal) {
    at("judged").replaceChildren(refused(refusal));
  }
}

listen(document.body);
begin();
