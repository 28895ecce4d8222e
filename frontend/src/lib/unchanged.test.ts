// @vitest-environment happy-dom
import { afterEach, expect, test, vi } from "vitest";
import { fetchChanged } from "./unchanged";

afterEach(() => vi.unstubAllGlobals());

/** A server whose content is `says`; what it was asked with and how many bytes it sent. */
function server(says: { now: string }) {
  const told: { tag: string | null; bytes: number }[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    const tag = request.headers.get("If-None-Match");
    const same = tag === `"${says.now}"`;
    told.push({ tag, bytes: same ? 0 : says.now.length });
    return new Response(same ? null : says.now, { status: same ? 304 : 200, headers: { ETag: `"${says.now}"` } });
  });
  return told;
}

test("what has not changed is read from memory, as often as it is asked for, and what has changed is read anew", async () => {
  const says = { now: "one" };
  const told = server(says);
  const read = async () => (await fetchChanged(new Request("https://here/api/list/"))).text();
  expect([await read(), await read(), await read()]).toEqual(["one", "one", "one"]);
  says.now = "another";
  expect([await read(), await read()]).toEqual(["another", "another"]);
  expect(told.map(({ bytes }) => bytes)).toEqual([3, 0, 0, 7, 0]);
});

test("writing is never compared, and of many addresses the oldest are forgotten", async () => {
  const told = server({ now: "x" });
  await fetchChanged(new Request("https://here/api/w/", { method: "POST", body: "{}" }));
  for (let at = 0; at <= 30; at++) await fetchChanged(new Request(`https://here/api/${at}/`));
  await fetchChanged(new Request("https://here/api/0/"));
  await fetchChanged(new Request("https://here/api/30/"));
  expect(told.slice(-2).map(({ tag }) => tag)).toEqual([null, '"x"']);
  expect(told[0]?.tag).toBeNull();
});
