/** Conditional requests: the server answers 304 for content that this page already has. */

const MOST = 30;
const known = new Map<string, { tag: string; answer: Response }>();

/** Like `fetch`. Keeps copies of the last `MOST` addresses in memory, because the responses must not be cached. */
export async function fetchChanged(request: Request): Promise<Response> {
  if (request.method !== "GET") return globalThis.fetch(request);
  const before = known.get(request.url);
  if (before !== undefined) request.headers.set("If-None-Match", before.tag);
  const answer = await globalThis.fetch(request);
  if (answer.status === 304 && before !== undefined) return before.answer.clone();
  known.delete(request.url);
  const tag = answer.headers.get("ETag");
  if (answer.status === 200 && tag !== null) known.set(request.url, { tag, answer: answer.clone() });
  for (const oldest of [...known.keys()].slice(0, Math.max(0, known.size - MOST))) known.delete(oldest);
  return answer;
}
