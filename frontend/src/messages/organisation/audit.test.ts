import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import {
  ACTIONS,
  actionWords,
  actorWords,
  areaWords,
  differences,
  lineDifference,
  targetWords,
  wantedEvents,
} from "./audit";

test("only differences have lines, nested values by their path", () => {
  const before = { name: "cars", advance: { delay: "5s", late: "drop" }, fields: ["lane", "speed"] };
  const after = { name: "cars", advance: { delay: "9s", late: "drop" }, fields: ["lane"] };
  expect(differences(before, after)).toEqual([
    { path: "advance.delay", before: "5s", after: "9s" },
    { path: "fields", before: '["lane","speed"]', after: '["lane"]' },
  ]);
});

test("added values have no before, removed ones no after", () => {
  expect(differences({ old: 1 }, { fresh: null })).toEqual([
    { path: "old", before: "1", after: undefined },
    { path: "fresh", before: undefined, after: "null" },
  ]);
  expect(differences(null, { role: "viewer" })).toEqual([{ path: "role", before: undefined, after: "viewer" }]);
});

test("lists are compared item by item, and an event without states has no lines", () => {
  const after = { changes: [{ name: "a", deep: {} }] };
  expect(differences(null, after).map(({ path }) => path)).toEqual(["changes[0].name", "changes[0].deep"]);
  expect(differences(null, null)).toEqual([]);
  expect(differences({}, {})).toEqual([]);
});

test("multi-line texts are compared line by line", () => {
  const lines = lineDifference("SELECT a\nFROM cars\nWHERE a > 1", "SELECT a\nFROM vans\nWHERE a > 1\nEMIT");
  expect(lines?.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
    "same SELECT a",
    "removed FROM cars",
    "added FROM vans",
    "same WHERE a > 1",
    "added EMIT",
  ]);
});

test("short texts, and texts on one side only, are not compared by line", () => {
  expect(lineDifference("a", "b")).toBeNull();
  expect(lineDifference(undefined, "a\nb")).toBeNull();
});

test("an action has words, an unknown one without its code", () => {
  expect(actionWords("member.role_changed")).toBe("changed the role of a member");
  expect(actionWords("comet.seen")).toBe("comet: seen");
  expect([areaWords("service_account"), areaWords("query"), areaWords("audit")]).toEqual([
    "service accounts",
    "queries",
    "audit",
  ]);
});

test("an impersonator is named first", () => {
  const actor = { kind: "person", id: "1", label: "ada@x", token: null, impersonator: null, address: null };
  expect(actorWords({ actor })).toBe("ada@x");
  expect(actorWords({ actor: { ...actor, impersonator: "ops@x" } })).toBe("ops@x as ada@x");
  expect(actorWords({ actor: { ...actor, kind: "service", label: "nightly" } })).toBe("nightly (service account)");
});

test("only active filters are sent, and times are in UTC", () => {
  const none = { action: "", actor: " ", target: "", since: "", until: "" };
  expect(wantedEvents(none)).toEqual({});
  expect(wantedEvents({ ...none, action: "stream.", since: "2026-11-22T01:00" })).toEqual({
    action: "stream.",
    since: "2026-11-22T01:00Z",
  });
});

const SERVER = resolve(import.meta.dirname, "../../../../webapp");
/** File names that look like actions. */
const NO_ACTIONS = ["runner.log"];

/** Return every action whose name is written out in the server's code. */
function recorded(): string[] {
  const sources = readdirSync(SERVER, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".py") && !file.includes("migrations"))
    .map((file) => readFileSync(join(SERVER, file), "utf8"))
    .filter((text) => /\brecord\(/.test(text));
  const areas = new RegExp(`"((?:${Object.keys(ACTIONS).join("|")})\\.[a-z_]+)"`, "g");
  const found = sources.flatMap((text) => [...text.matchAll(/record\(\s*"([a-z_.]+)"/g), ...text.matchAll(areas)]);
  return [...new Set(found.map(([, action = ""]) => action))].filter((action) => !NO_ACTIONS.includes(action));
}

test("every action that the server records has words", () => {
  const actions = recorded();
  expect(actions.length).toBeGreaterThan(60);
  const unknown = actions.filter((action) => {
    const [area = "", what = ""] = action.split(".");
    return ACTIONS[area]?.[what] === undefined;
  });
  expect(unknown).toEqual([]);
});

test("an action of a newer server is shown in words, and an object has its name", () => {
  expect(actionWords("stream.renamed_all")).toBe("stream: renamed all");
  expect(targetWords({ kind: "service_account", id: "1", label: "nightly" })).toBe("service account nightly");
  expect(targetWords({ kind: "audit", id: null, label: "" })).toBe("audit");
});
