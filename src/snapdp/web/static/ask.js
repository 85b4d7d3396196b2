/** Requests to the page's own server: JSON goes out and comes back, a refusal is thrown in its words. */

/** What the server refuses: what is wrong, what to do, at which field, and what it has cost. */
export class Refusal extends Error {
  constructor(answer) {
    const { error, advice = "", field = null, spent = "0" } = answer;
    super(`${error} ${advice}`.trim());
    Object.assign(this, { answer, error, advice, field, spent });
  }
}

const SILENT = {
  error: "The page's server does not answer.",
  advice: "Is snapdp serve still running? Start it again, and open its new address.",
  spent: "unknown",
};

/** That no answer came: what the request has done is not known. */
export class Silence extends Refusal {
  constructor() {
    super(SILENT);
  }
}

const SECRET = "snapdp-secret";

/** Keep what every request carries: other ports of this machine have other drawers. */
export const keepSecret = (secret) => localStorage.setItem(SECRET, secret);

/** Ask by a path, a GET without a body and a POST with one; return the answer, or throw the refusal. */
export async function ask(path, body, { signal } = {}) {
  const headers = { "X-Snapdp-Secret": localStorage.getItem(SECRET) ?? "", "Content-Type": "application/json" };
  const sent = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
  let answer;
  try {
    answer = await (await fetch(path, { ...sent, signal })).json();
  } catch (problem) {
    if (isGivenUp(problem)) throw problem;
    throw new Silence();
  }
  if (answer.ok !== true) throw new Refusal(answer);
  return answer;
}

/** Tell whether a request was given up for a newer one. */
export const isGivenUp = (problem) => problem.name === "AbortError";

/** Do what asks, and return the refusal where there is one; null where all went well. */
export async function refusalOf(work) {
  try {
    await work();
    return null;
  } catch (problem) {
    if (problem instanceof Refusal) return problem;
    throw problem;
  }
}
