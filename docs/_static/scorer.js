/* The search puts a page first whose title has the words that were typed, or what docs/_ext/searched.py says it is also
   looked for by; then pages with some of them; then those that mention them. Guides come before theory and reference,
   lists of names and changes last, but for a name of Python that was typed as it is. */
var Scorer = {
  score: ([page, title, anchor, , score, , kind]) => {
    const query = new URLSearchParams(location.search).get("q") || "", typed = Scorer.words(query);
    const own = Scorer.words(title), also = Scorer.words((typeof ALSO === "undefined" ? {} : ALSO)[page] || "");
    const share = (words) => typed.filter((word) => words.includes(word)).length / Math.max(typed.length, 1);
    const ofTitle = own.filter((word) => typed.includes(word)).length / Math.max(own.length, 1);
    const isName = /[._]|[a-z][A-Z]/.test(query) && (title === query || title.endsWith(`.${query}`));
    if (kind === "object") return score + 50 * share(own) + (isName ? 200 : -20);
    if (/^(changes|reference\/api|errata)/.test(page)) score -= 20;
    else if (/^(theory|reference)\//.test(page)) score -= 10;
    return score + (anchor ? 50 : 100) * share([...own, ...also]) + 20 * share(own) + 10 * ofTitle;
  },
  words: (text) => {
    const stemmer = new Stemmer(), all = splitQuery(text.toLowerCase());
    return [...new Set(all.filter((word) => !stopwords.has(word)).map((word) => stemmer.stemWord(word)))];
  },
  objNameMatch: 11, objPartialMatch: 6,
  objPrio: {0: 15, 1: 5, 2: -5}, objPrioDefault: 0,
  title: 40, partialTitle: 20, term: 5, partialTerm: 2,
};
/* Signs are words: who looks for "±" or "95 %" means plus minus, or percent. The search knows letters and digits only. */
var splitQuery = (query) =>
  query.replace(/±|\+\/?[-−]/g, " plus minus ").replace(/%/g, " percent ").split(/[^\p{L}\p{N}_]+/u).filter(Boolean);
