// The verify page: the audit of a record, and the verdict on a program.

import { ask } from "./ask.js";
import { chosenText, made, paragraph, refused, table, told, verdict } from "./pieces.js";

const place = (id) => document.getElementById(id);
const OWN = "own";
const KINDS = { VERIFIED: "good", REFUTED: "bad", SOUND: "good", ALTERED: "bad" };
const MEANING = {
  VERIFIED: "proved: the claim holds for all tables and all outputs.",
  REFUTED: "disproved: an output was found that gives more away than is claimed.",
  UNBOUNDED: "no bound of the loss can be given.",
  INCONCLUSIVE: "neither proved nor disproved.",
};
let programs = new Map();

// A record

place("audit").addEventListener("click", () =>
  told(place("audited"), place("audit"), "Deriving everything again ...", async () => {
    const { name, text } = await chosenText(place("record"));
    return audited(name, await ask("/api/audit", { record: text, alone: !place("with-ledger").checked }));
  }));

function audited(name, answer) {
  const sentence = answer.says.slice(answer.verdict.length + 2).replaceAll("this record", name);
  const found = [verdict(answer.verdict, KINDS[answer.verdict], sentence)];
  if (answer.findings.length) {
    found.push(table("What is not as it must be", ["field", "says", "should be", "about"],
      answer.findings.map((each) => [made("code", {}, each.field), each.says, each.should, each.about]),
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
  const program = programs.get(place("program").value);
  place("text").value = program?.text ?? "";
  place("machine").value = program?.machine ?? "";
  place("about").textContent = program?.about ?? "";
}

// Return what is to be judged: a program of the library as it is, or a text.
function asked() {
  const [name, text] = [place("program").value, place("text").value];
  const claim = place("claim").value === OWN ? place("loss").value : place("claim").value;
  const source = programs.get(name)?.text === text ? { name } : { text };
  return { ...source, machine: place("machine").value, claim: claim || null };
}

place("program-form").addEventListener("submit", (event) => {
  event.preventDefault();
  place("report").replaceChildren();
  told(place("judged"), place("judge"), "Judging; this can take up to a minute ...", async () => {
    const answer = await ask("/api/verify", asked());
    if (answer.report) place("report").replaceChildren(...report(answer));
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
    table("The privacy loss (epsilon)", ["the loss is", "loss"], rows, ["", "r"]),
    answer.runs_on ? paragraph(`Machine: ${answer.runs_on}`, "hint") : null,
    ...answer.remarks.map((each) => paragraph(each)),
    made("details", {}, made("summary", {}, `Premises (${premises.length})`),
      table("Premises", ["status", "premise", "why"], premises, ["", "", "long"])),
  ].filter(Boolean);
}

function report(answer) {
  const address = `/verdict?id=${encodeURIComponent(answer.report)}`;
  return [
    made("h3", {}, "The report, with pictures"),
    made("p", {}, made("a", { href: address, target: "_blank", rel: "noopener" }, "Open it in a new tab")),
    made("iframe", { src: address, title: "Report of the verdict", sandbox: "" }),
  ];
}

// The form

place("program").addEventListener("change", chosen);
place("text").addEventListener("input", () => {
  if (programs.get(place("program").value)?.text !== place("text").value) place("about").textContent = "";
});
place("claim").addEventListener("change", () => {
  place("own-claim").hidden = place("claim").value !== OWN;
  if (!place("own-claim").hidden) place("loss").focus();
});

async function begin() {
  try {
    const answer = await ask("/api/programs");
    programs = new Map(answer.programs.map((each) => [each.name, each]));
    place("program").append(...answer.programs.map((each) => made("option", { value: each.name }, each.name)));
    place("claim").append(...answer.claims.map((each) => made("option", { value: each.name }, each.label)),
      made("option", { value: OWN }, "a number of my own"));
    place("program").value = "snap_half";
    chosen();
  } catch (refusal) {
    place("judged").replaceChildren(refused(refusal));
  }
}

begin();
