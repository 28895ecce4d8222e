// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { Instant } from "./Instant";

afterEach(cleanup);

test("a moment is written in UTC with the reader's own time on hover; null is infinity", () => {
  render(<Instant ticks={1_500_000} />);
  expect(screen.getByText("1970-01-01 00:00:01.500Z").title).toContain("(your time)");
  render(<Instant ticks={null} />);
  expect(screen.getByText("infinity")).toBeTruthy();
});
