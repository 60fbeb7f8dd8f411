// Questions to the server: of each kind only the newest is waited for.
const page = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join("");
const running = new Map();

// Returns the answer, or null if a newer question of the same kind came first.
/** @param {string} kind @param {object} question */
export async function ask(kind, question) {
  const response = await post(kind, question);
  if (response === null || response.status === 409) return null;
  try {
    return await response.json();
  } catch (error) {
    if (error.name === "AbortError") return null;
    throw error;
  }
}

/** @param {string} kind @param {object} question */
export async function askText(kind, question) {
  const response = await post(kind, question);
  return response === null ? null : response.text();
}

/** @param {string} kind @param {object} question */
export async function* askLines(kind, question) {
  const response = await post(kind, question);
  if (response === null) return;
  const reader = /** @type {ReadableStream<BufferSource>} */ (response.body).pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + value).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) yield JSON.parse(line);
    }
  } catch (error) {
    if (error.name !== "AbortError") throw error;
  }
}

/** @param {string} kind */
export function stop(kind) {
  running.get(kind)?.abort();
}

/** @param {string} path */
export async function get(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
}

/**
 * @param {string} kind
 * @param {object} question
 * @returns {Promise<Response | null>}
 */
async function post(kind, question) {
  stop(kind);
  const control = new AbortController();
  running.set(kind, control);
  try {
    const response = await fetch(`api/${kind}`, {
      method: "POST",
      headers: { "content-type": "application/json", "lab-page": page },
      body: JSON.stringify(question),
      signal: control.signal,
    });
    // An older question that took longer to get there has stopped this one.
    if (response.status === 409 && running.get(kind) === control) return post(kind, question);
    if (!response.ok && response.status !== 409) throw new Error((await response.json()).detail);
    return response;
  } catch (error) {
    if (error.name === "AbortError") return null;
    throw error;
  }
}
