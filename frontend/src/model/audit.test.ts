import { expect, test } from "vitest";
import { actionWords, actorWords, areaWords, differences, lineDifference, wantedEvents } from "./audit";

test("only what differs is a line, nested values by their path", () => {
  const before = { name: "cars", advance: { delay: "5s", late: "drop" }, fields: ["lane", "speed"] };
  const after = { name: "cars", advance: { delay: "9s", late: "drop" }, fields: ["lane"] };
  expect(differences(before, after)).toEqual([
    { path: "advance.delay", before: "5s", after: "9s" },
    { path: "fields", before: '["lane","speed"]', after: '["lane"]' },
  ]);
});

test("what is new has no before, what is gone no after", () => {
  expect(differences({ old: 1 }, { fresh: null })).toEqual([
    { path: "old", before: "1", after: undefined },
    { path: "fresh", before: undefined, after: "null" },
  ]);
  expect(differences(null, { role: "viewer" })).toEqual([{ path: "role", before: undefined, after: "viewer" }]);
});

test("lists of things are told thing by thing, and an event without states has no lines", () => {
  const after = { changes: [{ name: "a", deep: {} }] };
  expect(differences(null, after).map(({ path }) => path)).toEqual(["changes[0].name", "changes[0].deep"]);
  expect(differences(null, null)).toEqual([]);
  expect(differences({}, {})).toEqual([]);
});

test("texts of several lines are told line by line", () => {
  const lines = lineDifference("SELECT a\nFROM cars\nWHERE a > 1", "SELECT a\nFROM vans\nWHERE a > 1\nEMIT");
  expect(lines?.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
    "same SELECT a",
    "removed FROM cars",
    "added FROM vans",
    "same WHERE a > 1",
    "added EMIT",
  ]);
});

test("short texts, and texts that are only there once, need no lines", () => {
  expect(lineDifference("a", "b")).toBeNull();
  expect(lineDifference(undefined, "a\nb")).toBeNull();
});

test("an action is told in words, one that nobody knows as it is", () => {
  expect(actionWords("member.role_changed")).toBe("changed the role of a member");
  expect(actionWords("comet.seen")).toBe("comet.seen");
  expect([areaWords("service_account"), areaWords("query"), areaWords("audit")]).toEqual([
    "service accounts",
    "queries",
    "audit",
  ]);
});

test("whoever sat behind a session is named first", () => {
  const actor = { kind: "person", id: "1", label: "ada@x", token: null, impersonator: null, address: null };
  expect(actorWords({ actor })).toBe("ada@x");
  expect(actorWords({ actor: { ...actor, impersonator: "ops@x" } })).toBe("ops@x as ada@x");
  expect(actorWords({ actor: { ...actor, kind: "service", label: "nightly" } })).toBe("nightly (service account)");
});

test("only filters that are set are asked for, and times are of UTC", () => {
  const none = { action: "", actor: " ", target: "", since: "", until: "" };
  expect(wantedEvents(none)).toEqual({});
  expect(wantedEvents({ ...none, action: "stream.", since: "2026-11-22T01:00" })).toEqual({
    action: "stream.",
    since: "2026-11-22T01:00Z",
  });
});
