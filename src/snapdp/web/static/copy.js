/** The study to take away: as a command, as Python, as a study file; and a study file to open again. */

import { ask, refusalOf } from "./ask.js";
import { bring, h } from "./dom.js";

const COPY = { command: "Copy the command", python: "Copy the Python", toml: "Copy the study file" };
const TABS = { command: "Command", python: "Python", toml: "Study file" };

export class Copying {
  constructor(model, dialog) {
    Object.assign(this, { model, dialog, tab: "command", answer: null, refusal: null, said: "" });
    dialog.addEventListener("close", () => this.address && URL.revokeObjectURL(this.address));
  }

  async open() {
    Object.assign(this, { answer: null, refusal: null, said: "" });
    this.show();
    this.dialog.showModal();
    if (!(await this.model.settled())) return this.dialog.close();
    this.refusal = await refusalOf(async () => {
      this.answer = await ask("/api/copy", { study: this.model.study });
      this.address = URL.createObjectURL(new Blob([this.answer.toml], { type: "application/toml" }));
    });
    this.show();
    this.dialog.querySelector('[aria-selected="true"]')?.focus();
  }

  choose(tab) {
    Object.assign(this, { tab, said: "" });
    this.show();
    this.dialog.querySelector('[aria-selected="true"]')?.focus();
  }

  async copy() {
    try {
      await navigator.clipboard.writeText(this.answer[this.tab]);
      this.said = "Copied.";
    } catch {
      this.said = "The browser did not allow it: select the text and copy it yourself.";
    }
    this.show();
  }

  /** Move between the tabs by the arrow keys. */
  step(event) {
    const names = Object.keys(TABS);
    const moved = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!moved) return;
    event.preventDefault();
    this.choose(names[(names.indexOf(this.tab) + moved + names.length) % names.length]);
  }

  show() {
    bring(this.dialog, this.tree());
  }

  tree() {
    return h("div", { class: "sheet" },
      h("h2", { id: "copy-title" }, "Copy as"),
      this.refusal && h("p", { class: "refusal", role: "alert" }, this.refusal.message),
      this.answer && [this.tabs(), this.panel()],
      !this.answer && this.close());
  }

  tabs() {
    const tab = ([name, words]) => {
      const isChosen = name === this.tab;
      const on = { click: () => this.choose(name), keydown: (event) => this.step(event) };
      const given = { type: "button", role: "tab", id: `tab-${name}`, key: name, "aria-controls": "copied", on };
      return h("button", { ...given, "aria-selected": String(isChosen), tabindex: isChosen ? "0" : "-1" }, words);
    };
    return h("div", { role: "tablist", class: "tabs", "aria-label": "Copy as" }, Object.entries(TABS).map(tab));
  }

  panel() {
    const { answer, tab } = this;
    const text = answer[tab];
    const isOfFile = tab === "command" && text.includes("study.toml");
    const copy = { type: "button", class: "primary", key: "copy", on: { click: () => this.copy() } };
    const file = { class: "button", key: "download", href: this.address, download: "study.toml" };
    return h("div", { role: "tabpanel", id: "copied", "aria-labelledby": `tab-${tab}` },
      tab === "command" && answer.reason && h("p", {}, sentence(answer.reason)),
      isOfFile && h("p", { key: "first" }, "Save the study file as study.toml first, where you run the command."),
      text && h("pre", { tabindex: "0" }, text),
      h("div", { class: "buttons" },
        text && h("button", copy, COPY[tab]),
        (isOfFile || tab === "toml") && h("a", file, "Download study.toml"),
        this.close(),
        h("span", { role: "status" }, this.said)));
  }

  close() {
    return h("button", { type: "button", key: "close", on: { click: () => this.dialog.close() } }, "Close");
  }
}

const sentence = (words) => words.charAt(0).toUpperCase() + words.slice(1) + (/[.!?]$/.test(words) ? "" : ".");

/** Read a study file that was chosen, and hold it; where it cannot be read the present one stays. */
export async function openStudyFile(model, file) {
  model.unread = await refusalOf(async () => {
    const { study } = await ask("/api/study", { toml: await file.text() });
    model.replace(study);
  });
  model.changed();
}
