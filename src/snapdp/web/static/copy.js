/** The study to take away: as a command, as Python, as a study file; and a study file to open again. */

import { Refusal, ask } from "./ask.js";
import { bring, h } from "./dom.js";

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
    try {
      this.answer = await ask("/api/copy", { study: this.model.study });
      this.address = URL.createObjectURL(new Blob([this.answer.toml], { type: "application/toml" }));
    } catch (problem) {
      if (!(problem instanceof Refusal)) throw problem;
      this.refusal = problem;
    }
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
      this.refusal && h("p", { class: "refusal", role: "alert" }, `${this.refusal.error} ${this.refusal.advice}`),
      this.answer && this.tabs(),
      !this.answer && this.close());
  }

  tabs() {
    const { answer, tab } = this;
    const tabs = Object.entries(TABS).map(([name, words]) =>
      h("button", { type: "button", role: "tab", id: `tab-${name}`, key: name, "aria-selected": String(name === tab), "aria-controls": "copied", tabindex: name === tab ? "0" : "-1", on: { click: () => this.choose(name), keydown: (event) => this.step(event) } }, words));
    const text = answer[tab];
    return [
      h("div", { role: "tablist", class: "tabs", "aria-label": "Copy as" }, tabs),
      h("div", { role: "tabpanel", id: "copied", "aria-labelledby": `tab-${tab}` },
        tab === "command" && answer.reason && h("p", {}, answer.reason),
        text && h("pre", { tabindex: "0" }, text),
        h("div", { class: "buttons" },
          text && h("button", { type: "button", class: "primary", key: "copy", on: { click: () => this.copy() } }, `Copy the ${TABS[tab].toLowerCase()}`),
          tab === "toml" && h("a", { class: "button", key: "download", href: this.address, download: "study.toml" }, "Download study.toml"),
          this.close(),
          h("span", { role: "status" }, this.said))),
    ];
  }

  close() {
    return h("button", { type: "button", key: "close", on: { click: () => this.dialog.close() } }, "Close");
  }
}

/** Read a study file that was chosen, and hold it. */
export async function openStudyFile(model, file) {
  try {
    const { study } = await ask("/api/study", { toml: await file.text() });
    model.take(study);
  } catch (problem) {
    if (!(problem instanceof Refusal)) throw problem;
    model.refuse(Object.assign(problem, { field: null }));
  }
}
