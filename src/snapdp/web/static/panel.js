/** What follows from the selected row: pictures and sentences, moved by a slider "if the true value were ...". */

import { ask, refusalOf } from "./ask.js";
import { bring, h } from "./dom.js";
import { inDoubt, labelled, numberInput, select } from "./fields.js";
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
    Object.assign(this, { model, root, answer: null, refusal: null, isAsking: false, isWanted: false });
    this.begin(null, "");
  }

  /** Begin with another row, or with one that has become another statistic: at its own value. */
  begin(of, about) {
    Object.assign(this, { of, about, part: 0, value: undefined, typed: undefined });
  }

  /** Show the row that is selected now. */
  follow() {
    const { model } = this;
    const line = model.lines.get(model.selected);
    const about = line ? JSON.stringify([line.title, line.parts.map((each) => each.range)]) : "";
    if (model.selected !== this.of || (line && about !== this.about)) this.begin(model.selected, about);
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
    const body = { study: model.study, ...model.guess, place, part: this.part, paid: model.isReleased };
    if (this.value !== undefined) body.value = this.value;
    this.refusal = await refusalOf(async () => {
      const answer = await ask("/api/consequence", body);
      if (of === this.of) this.answer = { ...answer, of };
    });
    this.show();
  }

  /** Suppose another true value: `typed` is what somebody wrote, nothing where the slider was moved. */
  move(value, text) {
    this.typed = text;
    if (value === undefined || value === "") return;
    this.value = String(value);
    this.want();
  }

  choose(part) {
    Object.assign(this, { part, value: undefined, typed: undefined });
    this.want();
  }

  // What is shown

  show() {
    bring(this.root, this.tree());
  }

  tree() {
    const { model, answer, refusal } = this;
    if (!model.ids.length) return h("p", { class: "hint" }, "Add a statistic: what follows from it is shown here.");
    if (!answer || answer.of !== this.of) return h("p", { class: "hint" }, refusal?.message ?? this.waiting());
    const others = Object.keys(PICTURES).filter((name) => name !== "law");
    return h("div", { class: model.refusal ? "stale" : "", key: answer.of },
      h("p", { class: "of" }, answer.title),
      answer.parts.length > 1 && this.parts(answer),
      this.slider(answer),
      refusal && h("p", { class: "refusal", role: "alert" }, refusal.message),
      this.picture(answer, "law"),
      h("ul", { class: "says" }, answer.says.map((each) => h("li", {}, each))),
      others.map((name) => this.picture(answer, name)));
  }

  waiting() {
    return this.model.refusal ? "What follows is shown as soon as this can be planned." : "One moment.";
  }

  picture({ pictures }, name) {
    if (!pictures[name]) return null;
    return h("figure", { key: name },
      h("figcaption", {}, h("h3", {}, PICTURES[name])),
      h("div", { class: "picture", html: pictures[name] }));
  }

  parts({ parts, part }) {
    const options = parts.map((name, place) => [String(place), name]);
    const change = (chosen) => this.choose(Number(chosen));
    const chosen = select(null, { id: "which-number", value: String(part), options, change });
    return labelled({ label: "Which number" }, chosen);
  }

  slider({ slider, value, range, range_shown: ends }) {
    if (!slider) return null;
    const { min, max, step } = slider;
    const write = (text) => this.move(typed(text), text);
    const typing = { input: (event) => write(event.target.value) };
    const sliding = { input: (event) => this.move(event.target.value) };
    const named = { "aria-label": "If the true value were, as a slider", "aria-valuetext": value };
    return h("div", { class: "suppose" },
      h("label", { for: "suppose" }, "If the true value were"),
      numberInput(null, { id: "suppose", value, on: typing }),
      h("input", { type: "range", ...named, min, max, step, value: String(slider.value), on: sliding }),
      inDoubt({ value: this.typed, set: (number) => write(String(number)) }),
      h("small", { class: "hint ends" }, (ends ?? range.map(grouped)).map((end) => h("span", {}, end))));
  }
}
