import { expect, test } from "vitest";
import type { RunEventShown } from "./api";
import { eventWords, marksOf, notKeptWords } from "./journal";

function event(at: string, kind: RunEventShown["kind"], observed: RunEventShown["observed"] = null): RunEventShown {
  return { number: 1, at, kind, observed, domain: null, who: null, message: "" };
}

test("an event is named by what happened, or by the state to which the run came", () => {
  expect(eventWords(event("", "started"))).toBe("Asked to run");
  expect(eventWords(event("", "moved", "lost"))).toBe("Unknown");
});

test("charts mark what happened in their time, and not the steps of a start", () => {
  const events = [
    event("1970-01-01T00:00:01Z", "started"),
    event("1970-01-01T00:00:02Z", "moved", "starting"),
    event("1970-01-01T00:00:02.9Z", "told"),
    event("1970-01-01T00:00:03Z", "moved", "running"),
    event("1970-01-01T00:00:09Z", "stop"),
  ];
  expect(marksOf(events, 2_000_000, 9_000_000)).toEqual([
    { at: 2_900_000, words: "" },
    { at: 3_000_000, words: "Running" },
    { at: 9_000_000, words: "Asked to stop" },
  ]);
});

test("what is not kept is said", () => {
  expect(notKeptWords(0)).toBeNull();
  expect(notKeptWords(1)).toBe("Not kept: 1 older entry.");
  expect(notKeptWords(null)).toContain("before there were journals");
});
