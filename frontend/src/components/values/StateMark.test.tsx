// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { StateMark } from "./StateMark";

afterEach(cleanup);

test("a lost run shows since when its state is unknown, and never as running", () => {
  render(<StateMark observed="lost" since="2026-11-21T14:02:07+00:00" />);
  expect(screen.getByText(/Unknown/).textContent).toBe("Unknown since 14:02:07Z");
});
