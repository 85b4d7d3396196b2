/** Requests to the page's own server: JSON goes out and comes back, a refusal is thrown in its words. */

/** What the server refuses: what is wrong, what to do, at which field, and what it has cost. */
export class Refusal extends Error {
  constructor({ error, advice = "", field = null, spent = "0" }) {
    super(error);
    Object.assign(this, { error, advice, field, spent });
  }
}

const SILENT = { error: "the page does not answer.", advice: "Is snapdp serve still running? Start it again, and open its new address." };

/** Ask by a path, with a body where there is one; return the answer, or throw the refusal. */
export async function ask(path, body, { signal } = {}) {
  const sent = body === undefined ? { signal } : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal };
  let answer;
  try {
    answer = await (await fetch(path, sent)).json();
  } catch (problem) {
    if (problem.name === "AbortError") throw problem;
    throw new Refusal(SILENT);
  }
  if (!answer.ok) throw new Refusal(answer);
  return answer;
}

/** Tell whether a request was given up for a newer one. */
export const isGivenUp = (problem) => problem.name === "AbortError";
