/** What follows from the selected row: pictures and sentences, moved by a slider "if the true value were ...". */

import { Refusal, ask } from "./ask.js";
import { bring, h } from "./dom.js";
import { labelled } from "./fields.js";
import { grouped, typed } from "./numbers.js";

const PAUSE = 60; // milliseconds between two pictures while sliding
const PICTURES = {
  law: "Where the release may fall",
  odds: "What an observer learns",
  interval: "With privacy, and without",
  curve: "What more epsilon buys",
};

export class Panel {
  constructor(model, root) {
    Object.assign(this, { model, root, part: 0, value: undefined, answer: null, refusal: null, of: null, isAsking: false, isWanted: false });
  }

  /** Show the row that is selected now; another row begins at its own value. */
  follow() {
    const { model } = this;
    const line = model.lines.get(model.selected);
    if (model.selected !== this.of) Object.assign(this, { of: model.selected, part: 0, value: undefined });
    if (!line || model.refusal) return this.show();
    this.want();
  }

  /** Ask for the pictures, one request at a time; what was wanted meanwhile is asked for after it. */
  async want() {
    this.isWanted = true;
    if (this.isAsking) return;
    this.isAsking = true;
    while (this.isWanted) {
      this.isWanted = false;
      await this.askOnce();
      await new Promise((done) => setTimeout(done, PAUSE));
    }
    this.isAsking = false;
  }

  async askOnce() {
    const { model, of } = this;
    const place = model.place(of);
    if (place < 0 || model.refusal) return;
    try {
      const answer = await ask("/api/consequence", { study: model.study, place, part: this.part, ...(this.value === undefined ? {} : { value: this.value }) });
      if (of === this.of) Object.assign(this, { answer: { ...answer, of }, refusal: null });
    } catch (problem) {
      if (!(problem instanceof Refusal)) throw problem;
      this.refusal = problem;
    }
    this.show();
  }

  move(value) {
    if (value === undefined || value === "") return;
    this.value = String(value);
    this.want();
  }

  choose(part) {
    Object.assign(this, { part, value: undefined });
    this.want();
  }

  // What is shown

  show() {
    bring(this.root, this.tree());
  }

  tree() {
    const { model, answer } = this;
    if (!model.ids.length) return h("p", { class: "hint" }, "Add a statistic: what follows from it is shown here.");
    if (!answer || answer.of !== this.of) return h("p", { class: "hint" }, model.refusal ? "What follows from this statistic is shown as soon as it can be planned." : "One moment.");
    return h("div", { class: model.refusal ? "stale" : "", key: answer.of },
      h("p", { class: "of" }, answer.title),
      answer.parts.length > 1 && this.parts(answer),
      this.slider(answer),
      this.refusal && h("p", { class: "refusal", role: "alert" }, `${this.refusal.error} ${this.refusal.advice}`),
      this.picture(answer, "law"),
      h("ul", { class: "says" }, answer.says.map((each) => h("li", {}, each))),
      Object.keys(PICTURES).filter((name) => name !== "law").map((name) => this.picture(answer, name)));
  }

  picture(answer, name) {
    if (!answer.pictures[name]) return null;
    return h("figure", { key: name }, h("figcaption", {}, h("h3", {}, PICTURES[name])), h("div", { class: "picture", html: answer.pictures[name] }));
  }

  parts(answer) {
    const options = answer.parts.map((name, place) => h("option", { value: String(place) }, name));
    return labelled({ label: "Which number" }, h("select", { id: "which-number", value: String(answer.part), on: { change: (event) => this.choose(Number(event.target.value)) } }, options));
  }

  slider({ slider, value, range }) {
    if (!slider) return null;
    return h("div", { class: "suppose" },
      h("label", { for: "suppose" }, "If the true value were"),
      h("input", { id: "suppose", type: "text", inputmode: "decimal", class: "number", autocomplete: "off", value, on: { input: (event) => this.move(typed(event.target.value)) } }),
      h("input", { type: "range", "aria-label": "If the true value were, as a slider", "aria-valuetext": value, min: slider.min, max: slider.max, step: slider.step, value: String(slider.value), on: { input: (event) => this.move(event.target.value) } }),
      h("small", { class: "hint ends" }, h("span", {}, grouped(range[0])), h("span", {}, grouped(range[1]))));
  }
}
