import { expect, test } from "vitest";
import type { RunEventResponse } from "../../model/api";
import { eventWords, marksOf, notKeptWords } from "./journal";

function event(
  at: string,
  kind: RunEventResponse["kind"],
  observed: RunEventResponse["observed"] = null,
): RunEventResponse {
  return { number: 1, at, kind, observed, domain: null, who: null, message: "" };
}

test("an event is named by its kind, or by the run's new state", () => {
  expect(eventWords(event("", "started"))).toBe("Start requested");
  expect(eventWords(event("", "moved", "lost"))).toBe("Unknown");
});

test("charts mark events in their range, but not the steps of a start", () => {
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
    { at: 9_000_000, words: "Stop requested" },
  ]);
});

test("missing entries are reported", () => {
  expect(notKeptWords(0)).toBeNull();
  expect(notKeptWords(1)).toBe("Not stored: 1 older entry.");
  expect(notKeptWords(null)).toContain("before journals existed");
});
