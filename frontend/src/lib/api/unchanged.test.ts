// @vitest-environment happy-dom
import { afterEach, expect, test, vi } from "vitest";
import { fetchChanged } from "./unchanged";

afterEach(() => vi.unstubAllGlobals());

/** A fake server with the content `says`; records the received tags and the number of bytes sent. */
function server(says: { now: string }) {
  const requests: { tag: string | null; bytes: number }[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    const tag = request.headers.get("If-None-Match");
    const same = tag === `"${says.now}"`;
    requests.push({ tag, bytes: same ? 0 : says.now.length });
    return new Response(same ? null : says.now, { status: same ? 304 : 200, headers: { ETag: `"${says.now}"` } });
  });
  return requests;
}

test("unchanged content comes from memory, changed content is loaded again", async () => {
  const says = { now: "one" };
  const requests = server(says);
  const read = async () => (await fetchChanged(new Request("https://here/api/list/"))).text();
  expect([await read(), await read(), await read()]).toEqual(["one", "one", "one"]);
  says.now = "another";
  expect([await read(), await read()]).toEqual(["another", "another"]);
  expect(requests.map(({ bytes }) => bytes)).toEqual([3, 0, 0, 7, 0]);
});

test("writes carry no tag, and the oldest addresses are evicted", async () => {
  const requests = server({ now: "x" });
  await fetchChanged(new Request("https://here/api/w/", { method: "POST", body: "{}" }));
  for (let at = 0; at <= 30; at++) await fetchChanged(new Request(`https://here/api/${at}/`));
  await fetchChanged(new Request("https://here/api/0/"));
  await fetchChanged(new Request("https://here/api/30/"));
  expect(requests.slice(-2).map(({ tag }) => tag)).toEqual([null, '"x"']);
  expect(requests[0]?.tag).toBeNull();
});
