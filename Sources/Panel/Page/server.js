// Requests to the control server, which this page comes from.

/** What the server has refused: an RFC 9457 problem. */
export class Refused extends Error {
  /**
   * @param {number} status
   * @param {{ detail?: string, text?: string, help?: string[], diagnostics?: object[] }} problem
   * @param {string} tag the entity tag that came with it
   */
  constructor(status, problem, tag) {
    super(problem.detail ?? `the server answers with status ${status}`);
    this.status = status;
    this.problem = problem;
    this.tag = tag;
  }

  /** All there is to say, in lines. */
  get text() {
    if (this.problem.text) return this.problem.text;
    return [this.message, ...(this.problem.help ?? [])].join("\n");
  }
}

/** Nobody answers. */
export class Unreachable extends Error {}

const unquoted = (tag) => (tag ?? "").replaceAll('"', "");

/**
 * @param {string} method
 * @param {string} path
 * @param {{ body?: string, type?: string, ifMatch?: string }} options
 * @returns {Promise<{ status: number, text: string, tag: string }>}
 * @throws {Refused | Unreachable}
 */
async function ask(method, path, { body, type, ifMatch } = {}) {
  const headers = {};
  if (type) headers["Content-Type"] = type;
  if (ifMatch) headers["If-Match"] = `"${ifMatch}"`;
  let answer, text;
  try {
    answer = await fetch(path, { method, body, headers });
    text = await answer.text();
  } catch {
    throw new Unreachable("the run does not answer");
  }
  const tag = unquoted(answer.headers.get("ETag"));
  if (answer.ok) return { status: answer.status, text, tag };
  let problem = {};
  try {
    problem = JSON.parse(text);
  } catch {
    // Not a problem of ours: the status has to do.
  }
  throw new Refused(answer.status, problem, tag);
}

const json = async (method, path, options) => JSON.parse((await ask(method, path, options)).text);

export const readStatus = () => json("GET", "/status");

/** Everything that can be turned. What several have in common comes once. */
export async function readControls() {
  const { tag, list, kinds, controls } = await json("GET", "/controls?form=kinds");
  // All of a kind begin as copies of one, with every key there: thousands are made so in a few milliseconds.
  const bases = kinds.map((kind) => ({
    pointer: "", node: "", element: 0, elementName: null, isInDocument: false, isScheduled: false, ...kind, value: kind.default,
  }));
  return {
    tag, list,
    controls: controls.map((own) => {
      const control = { ...bases[own.of] };
      for (const key in own) if (key !== "of") control[key] = own[key];
      return control;
    }),
  };
}

/** What the controls say that are not at their defaults; `list` is another where there are other controls. */
export const readValues = () => json("GET", "/controls?form=values");

/** The kinds of unit that a node can have, with the number of their buses. */
export const readUnits = async () => (await json("GET", "/units")).units;
export const readResponse = (node) => json("GET", `/response?node=${encodeURIComponent(node)}`);
export const readGraph = () => ask("GET", "/graph.svg");
export const readDocument = () => ask("GET", "/patch");

/** Changes values of the document: RFC 7386, which makes what is missing on the way. */
export const mergeDocument = (change) =>
  json("PATCH", "/patch", {
    body: JSON.stringify(change), type: "application/merge-patch+json",
  });

/** Changes the structure of the document. @param {object[]} operations RFC 6902 */
export const patchDocument = (operations, ifMatch) =>
  json("PATCH", "/patch", { body: JSON.stringify(operations), type: "application/json-patch+json", ifMatch });

/** Has the sound of a callback begin again. */
export const trigger = (callback) => ask("POST", `/trigger?callback=${encodeURIComponent(callback)}`);

export const replaceDocument = (text, type, ifMatch) =>
  json("PUT", "/patch", { body: text, type, ifMatch });

export const validate = (text, type) => json("POST", "/validate", { body: text, type });

/** Asks the language server about a text. @returns {Promise<{ result?: any, error?: object }[]>} */
export const askLanguage = async (text, requests) =>
  (await json("POST", "/language", { body: JSON.stringify({ text, requests }), type: "application/json" })).answers;

/** The recordings that the run has finished. */
export const readTakes = async () => (await json("GET", "/takes")).takes;

/** What each part of the graph takes of the time that rendering takes. */
export const readShares = () => json("GET", "/shares");

export const saveDocument = (ifMatch) => json("POST", "/save", { ifMatch });

/** @param {"pause" | "start" | "stop"} what */
export const command = (what) => ask("POST", `/${what}`);

/** As much of a spectrum as there is room for in its drawing, and of the levels what is drawn. */
const meterOptions = "bands=24&prefader=false";

/** @param {number} metersPerSecond 0 for none */
export const openEvents = (metersPerSecond) =>
  new EventSource(
    metersPerSecond > 0 ? `/events?meters=${metersPerSecond}&${meterOptions}` : "/events");
