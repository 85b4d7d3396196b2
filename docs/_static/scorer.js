/* The search puts pages whose title has the words before pages that mention them, and lists of changes and names last. */
var Scorer = {
  score: ([docname, , , , score]) => score - (/^(changes|from-0|reference\/(api|messages)|errata)/.test(docname) ? 20 : 0),
  objNameMatch: 11, objPartialMatch: 6,
  objPrio: {0: 15, 1: 5, 2: -5}, objPrioDefault: 0,
  title: 40, partialTitle: 20, term: 5, partialTerm: 2,
};
