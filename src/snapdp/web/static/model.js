/**
 * The study that is being edited, and what the server says of it.
 *
 * The browser holds one study by the keys of a study file. Every edit goes to the server, which answers with the plan
 * and the study as it is then. The draft is kept for this tab; nothing here knows what a study may hold.
 */

import { Refusal, ask, isGivenUp } from "./ask.js";
import { equalShare } from "./numbers.js";

const TYPING = 150; // milliseconds that typing may pause before the plan is asked for
const POLL = 20; // milliseconds between two looks whether an answer has come
export const OF_RELATIONS = ["relation", "n", "n_max", "person", "rows_per_person", "unit_rows"];
const OF_COLUMNS = ["column", "columns", "by", "where"]; // keys of a statistic
const EMPTY = { format: 1, budget: 1, columns: {}, statistic: [] };

export class Model {
  constructor() {
    this.state = null; // what was named on the command line, and what forms hold
    this.study = null;
    this.ids = []; // of the rows: they stay what they are when rows come and go
    this.lines = new Map(); // what the plan says of each row, by its id
    this.answer = null; // the last plan that could be made
    this.refusal = null; // why the present one cannot
    this.unread = null; // why a study file was not read
    this.released = null; // the last release, with its numbers
    this.standing = null; // a dataset, and its account where there is one
    this.former = null; // the study that another one took the place of
    this.ifRows = ""; // a guess of how many rows count, as typed
    this.selected = null;
    this.priced = null; // the row whose cost was typed, until there is a plan in which the others follow it
    this.describing = new Set(); // columns whose declaration is being filled in
    this.asking = new Set(); // columns of which something is asked that no cell of the plan holds
    this.touched = new Set(); // fields that were edited: before that an empty one is no mistake
    this.changed = () => {};
    this.planned = () => {};
    this.waits = false; // for an answer
    this.count = 0;
    this.version = 0;
    this.controller = null;
    this.timer = 0;
  }

  /** Begin with what the server knows, and with the draft of this tab where there is one. */
  begin(state) {
    this.state = state;
    this.form = JSON.stringify(state.study?.csv ?? null); // how the file is written, when its names were read
    this.key = `snapdp draft ${state.ledger.path} ${state.data?.name ?? ""} ${JSON.stringify(state.study)}`;
    const draft = sessionStorage.getItem(this.key);
    this.former = JSON.parse(sessionStorage.getItem(`${this.key} former`));
    this.ifRows = sessionStorage.getItem(`${this.key} rows`) ?? "";
    this.take(draft ? JSON.parse(draft) : this.original());
  }

  original() {
    if (this.state.study) return this.state.study;
    const name = (this.state.data?.name ?? "").replace(/\.[a-z0-9.]+$/i, "");
    return { ...EMPTY, dataset: name || "my-table" };
  }

  /** Hold another study: from a file, or the one to begin with. */
  take(study) {
    const columns = Object.assign(Object.create(null), structuredClone(study.columns)); // of any name
    this.study = { statistic: [], ...structuredClone(study), columns };
    this.ids = this.study.statistic.map(() => ++this.count);
    this.lines.clear();
    this.describing.clear();
    this.asking.clear();
    this.touched.clear();
    this.answer = this.refusal = null;
    this.selected = this.ids[0] ?? null;
    this.edited({ now: true });
  }

  /** Hold another study; the one that was here can be brought back. */
  replace(study, ifRows = "") {
    const { statistic, columns } = this.study;
    const isWorth = statistic.length > 0 || Object.keys(columns).length > 0;
    this.former = isWorth ? { study: structuredClone(this.study), ifRows: this.ifRows } : null;
    sessionStorage.setItem(`${this.key} former`, JSON.stringify(this.former));
    sessionStorage.setItem(`${this.key} rows`, ifRows);
    this.ifRows = ifRows;
    this.take(study);
  }

  startAgain() {
    this.replace(this.original());
  }

  bringBack() {
    this.replace(this.former.study, this.former.ifRows);
  }

  // Releases

  /** Keep the numbers of a release. */
  keep(released) {
    this.released = released;
    this.edited({ now: true });
  }

  /** Tell whether the study as it is was released: then the same again is free. */
  get isReleased() {
    return !this.refusal && (this.answer?.released_as ?? null) !== null;
  }

  /** Tell whether the numbers that are shown are those of the study as it is. */
  get isShown() {
    const { released, study, answer } = this;
    return this.isReleased && released?.dataset === study.dataset && released.number === answer.released_as;
  }

  /** Show the numbers again that the study as it is was released with. */
  async recall() {
    const [dataset, number] = [this.study.dataset, this.answer.released_as];
    const found = await ask(`/api/ledger/release?dataset=${encodeURIComponent(dataset)}&number=${number}`);
    const addresses = await ask("/api/addresses", { dataset, number });
    this.released = { ...found, addresses };
    this.changed();
  }

  // The account

  /** The account of the dataset, as it was last seen; null where there is none, undefined where that is not known. */
  get account() {
    return this.standing?.dataset === this.study.dataset ? this.standing.account : undefined;
  }

  /** What the account fixed for good, by the keys of a study. */
  get terms() {
    return this.account?.terms ?? {};
  }

  /** Ask how the account stands, where no plan tells; what it fixed is the answer where nobody gave one. */
  async readAccount() {
    const { dataset } = this.study;
    if (typeof dataset !== "string") return;
    const { account } = await ask("/api/account", { dataset }).catch(() => ({ account: undefined }));
    if (account === undefined || dataset !== this.study.dataset) return;
    this.standing = { dataset, account: this.account?.head === account?.head ? (this.account ?? account) : account };
    if (this.study.relation === undefined && this.terms.relation) return this.takeTerms();
    this.changed();
  }

  /** Protect whom the account protects. */
  takeTerms() {
    for (const key of OF_RELATIONS) if (key !== "rows_per_person") delete this.study[key];
    Object.assign(this.study, this.terms);
    if (this.study.person === undefined) delete this.study.rows_per_person;
    else this.study.rows_per_person ??= "";
    this.edited({ now: true });
  }

  // Edits

  /** Note that the study was changed, and ask for its plan: `place` is the row whose cost was typed. */
  edited({ place, fit = false, now = false } = {}) {
    this.version += 1;
    this.unread = null;
    if (place !== undefined) this.priced = this.ids[place];
    sessionStorage.setItem(this.key, JSON.stringify(this.study));
    this.changed();
    clearTimeout(this.timer);
    this.waits = true;
    this.timer = setTimeout(() => this.plan({ fit }), now ? 0 : TYPING);
  }

  /** Set a key of the study, of a column or of a row; undefined leaves it out. */
  set(holder, key, value, options = {}) {
    if (value === undefined) delete holder[key];
    else holder[key] = value;
    if (options.field) this.touched.add(options.field);
    this.edited(options);
  }

  /** Suppose that so many rows count. */
  suppose(rows) {
    this.ifRows = rows;
    sessionStorage.setItem(`${this.key} rows`, rows);
    this.touched.add("/if_rows");
    this.edited();
  }

  place(id) {
    return this.ids.indexOf(id);
  }

  row(id) {
    return this.study.statistic[this.place(id)];
  }

  select(id) {
    if (this.selected === id) return;
    this.selected = id;
    this.changed();
    this.planned();
  }

  /** Add a row that shares the budget with those that are not locked; return its id. */
  add(row) {
    const rows = this.study.statistic;
    const epsilons = rows.map((each, place) => this.lines.get(this.ids[place])?.epsilon ?? each.epsilon);
    const locked = epsilons.filter((_, place) => rows[place].lock);
    const epsilon = equalShare(this.study.budget, locked, rows.length - locked.length + 1);
    return this.put(rows.length, { ...row, epsilon });
  }

  duplicate(id) {
    return this.put(this.place(id) + 1, structuredClone(this.row(id)));
  }

  put(place, row) {
    this.study.statistic.splice(place, 0, row);
    this.ids.splice(place, 0, ++this.count);
    this.selected = this.count;
    this.edited({ place, now: true });
    return this.count;
  }

  remove(id) {
    const place = this.place(id);
    this.study.statistic.splice(place, 1);
    this.ids.splice(place, 1);
    if (this.selected === id) this.selected = this.ids[place] ?? this.ids[place - 1] ?? null;
    this.edited({ now: true });
  }

  // Plans

  /** Ask for the names of columns again where the file is said to be written in another way. */
  async readNames() {
    const form = JSON.stringify(this.study.csv ?? null);
    if (!this.state.data || form === this.form) return;
    this.form = form;
    const { data } = await ask("/api/columns", { csv: this.study.csv ?? null });
    if (form !== this.form) return;
    const [only, ...others] = this.state.data.columns;
    this.state = { ...this.state, data };
    const isGone = data.columns.length > 0 && !data.columns.some((each) => each.name === only?.name);
    if (only && !others.length && isGone) this.forget(only.name); // it was the whole first line
    this.changed();
  }

  /** Take a column out of the study: its declaration, and wherever it is named. */
  forget(name) {
    const { study } = this;
    const kept = (held) => [held ?? []].flat().filter((each) => (each.column ?? each) !== name);
    for (const row of study.statistic) {
      for (const key of OF_COLUMNS.filter((each) => each in row)) {
        if (!kept(row[key]).length) delete row[key];
        else if (Array.isArray(row[key])) row[key] = kept(row[key]);
      }
    }
    if (Array.isArray(study.person)) study.person = kept(study.person);
    else if (study.person === name) study.person = ""; // still to be chosen
    delete study.columns[name];
    this.close(name);
    this.edited({ now: true });
  }

  /** Fold the declaration of a column. */
  close(name) {
    this.describing.delete(name);
    this.asking.delete(name);
  }

  /** Ask for the plan; an answer that was overtaken by an edit is dropped. */
  async plan({ fit = false } = {}) {
    this.readNames();
    if (this.account === undefined || this.study.relation === undefined) this.readAccount();
    this.controller?.abort();
    this.controller = new AbortController();
    const [version, ids, edited] = [this.version, [...this.ids], this.place(this.priced)];
    if (!ids.length) return this.refuse(null);
    this.waits = true;
    try {
      const body = { study: this.study, ...this.guess, ...(edited < 0 ? {} : { edited }), fit };
      const answer = await ask("/api/plan", body, { signal: this.controller.signal });
      if (version === this.version) this.accept(answer, ids);
    } catch (problem) {
      if (isGivenUp(problem)) return;
      if (!(problem instanceof Refusal)) throw problem;
      if (version === this.version) this.refuse(problem);
    }
  }

  /** How many rows are thought to count, for a request; nothing where that is not said. */
  get guess() {
    return /^[1-9]\d{0,14}$/.test(this.ifRows) ? { if_rows: Number(this.ifRows) } : {};
  }

  /** Wait until the plan is that of the last edit; tell whether there is one. */
  async settled() {
    while (this.waits) await new Promise((done) => setTimeout(done, POLL));
    return this.refusal === null && this.answer !== null;
  }

  accept(answer, ids) {
    this.study = { ...this.study, statistic: answer.study.statistic };
    this.answer = answer;
    this.standing = { dataset: answer.study.dataset, account: answer.account };
    this.refusal = null;
    this.waits = false;
    this.priced = null;
    this.lines = new Map(ids.map((id, place) => [id, answer.lines[place]]));
    sessionStorage.setItem(this.key, JSON.stringify(this.study));
    this.changed();
    this.planned();
  }

  refuse(refusal) {
    this.refusal = refusal;
    this.waits = false;
    if (!this.ids.length) this.answer = null;
    this.changed();
    this.planned();
  }

  /** Ask again, because the account may have changed. */
  refresh() {
    if (!this.study || this.waits) return;
    if (this.refusal || !this.ids.length) this.readAccount();
    this.plan();
  }
}
