// @vitest-environment happy-dom
import { cleanup, render, screen, within } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import type { LedgerResponse } from "../../../model/api";
import { LedgerTable } from "./LedgerTable";

afterEach(cleanup);

const NOON = Date.UTC(2026, 10, 20, 12) * 1_000;
const SHOWN: LedgerResponse = {
  now: NOON,
  first: "2026-11-18",
  last: "2026-11-21",
  binding: "b",
  name: "toll",
  query: "q",
  query_name: "tolls",
  days: [
    {
      day: "2026-11-21",
      knowledge: "known",
      unknown: [],
      counts: { received: 1_003, outcomes: { on_time: 990, dropped_early: 10 }, difference: 3, results: 12 },
      repaired: 4,
    },
    {
      day: "2026-11-20",
      knowledge: "unknown",
      unknown: [{ begin: NOON, end: NOON + 3_600_000_000 }],
      counts: { received: 7, outcomes: { on_time: 7 }, difference: 0, results: 1 },
      repaired: 0,
    },
    {
      day: "2026-11-19",
      knowledge: "unknown",
      unknown: [{ begin: NOON - 36 * 3_600_000_000, end: NOON - 12 * 3_600_000_000 }],
      counts: null,
      repaired: 2,
    },
    {
      day: "2026-11-18",
      knowledge: "none",
      unknown: [],
      counts: { received: 0, outcomes: {}, difference: 0, results: 0 },
      repaired: 0,
    },
  ],
  total: { received: 1_010, outcomes: { on_time: 997, dropped_early: 10 }, difference: 3, results: 13 },
  repaired: 6,
  unknown_days: 2,
  deliveries: [],
};

function row(name: string): string[] {
  return within(screen.getByRole("row", { name: new RegExp(`^${name}`) }))
    .getAllByRole("cell")
    .map(({ textContent }) => textContent ?? "");
}

test("each day has its figures, a difference is named, and an unknown day has no zero", () => {
  render(<LedgerTable shown={SHOWN} />);
  expect(screen.getAllByRole("columnheader").map(({ textContent }) => textContent?.trim())).toEqual([
    "Day (UTC)",
    "Received",
    "On time",
    "Reordered",
    "Adjusted",
    "Dropped, late",
    "Dropped, early",
    "Malformed",
    "Sum of outcomes",
    "Results",
    "Repaired",
    "Note",
  ]);
  const wrong = "does not add up: 3 rows without an outcome";
  expect(row("2026-11-21")).toEqual(["1,003", "990", "0", "0", "0", "10", "0", wrong, "12", "4", ""]);
  expect(row("2026-11-20")).toEqual([
    ...["7", "7", "0", "0", "0", "0", "0", "adds up", "1", "0"],
    "unknown 12:00–13:00",
  ]);
  expect(row("2026-11-19")).toEqual(["unknown", "2", "unknown 00:00–24:00"]);
  expect(row("2026-11-18").at(-1)).toBe("no run");
  expect(row("All days")).toEqual([
    ...["1,010", "997", "0", "0", "0", "10", "0", wrong, "13", "6"],
    "2 days not completely known",
  ]);
});
