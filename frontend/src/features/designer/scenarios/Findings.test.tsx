// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import type { ScenarioFindings } from "../../../model/api";
import { Findings } from "./Findings";
import { VerdictMark } from "./VerdictMark";

afterEach(cleanup);

const row = (start: number, n: number) => ({
  output: "out",
  start,
  end: start + 10_000_000,
  payload: { plate: "A", n },
});
const NONE: ScenarioFindings = { holds: true, missing: [], unexpected: [], changed: [], other: [], ran: true };
const RED: ScenarioFindings = {
  holds: false,
  missing: [row(0, 1)],
  unexpected: [row(10_000_000, 2)],
  changed: [{ expected: row(20_000_000, 3), found: row(20_000_000, 4) }],
  other: ["late missing: cars at 3"],
};

test("each differing row names the difference and its values", () => {
  render(<Findings findings={RED} title="Differences" />);
  const rows = screen.getAllByRole("row").slice(1);
  expect(rows.map((each) => each.textContent?.replace(/\d{4}-.*Z/, " "))).toEqual([
    "− expected plate A, n 3out",
    "+ actual plate A, n 4out",
    "− missing plate A, n 1out",
    "+ unexpected plate A, n 2out",
  ]);
  expect(screen.getByText("late missing: cars at 3")).toBeTruthy();
});

test("the mark has words for the scenario's verdict", () => {
  const words = (verdict: ScenarioFindings | "running" | null) => {
    cleanup();
    return render(<VerdictMark verdict={verdict} />).container.textContent;
  };
  expect([words(NONE), words(RED), words("running"), words(null)]).toEqual([
    "✓ green",
    "✕ red: 4 differences",
    "… running",
    "not run",
  ]);
});
