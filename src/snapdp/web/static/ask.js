// One request to the page's own server. A refusal is thrown, in the one shape that refusals have.

export class Refusal extends Error {
  constructor(answer) {
    super(`${answer.error} ${answer.advice}`.trim());
    this.answer = answer;
  }
}

const UNREACHED = { error: "The page's server does not answer.", advice: "Is snapdp serve still running?" };
const UNREAD = { error: "The answer of the page's server cannot be read.", advice: "Reload the page." };

// Return the answer to a request: a GET without a body, a POST of JSON with one.
export async function ask(path, body) {
  const sent = body === undefined
    ? {}
    : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  let answer;
  try {
    const response = await fetch(path, sent);
    answer = await response.json().catch(() => UNREAD);
  } catch {
    answer = UNREACHED;
  }
  if (answer.ok !== true) throw new Refusal(answer);
  return answer;
}
