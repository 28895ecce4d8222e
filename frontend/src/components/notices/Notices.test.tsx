// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { ApiFailure } from "../../lib/api/client";
import { ErrorNote } from "./Notices";

afterEach(cleanup);

test("an error links to its guide page in a new tab, so unsaved input stays", () => {
  const fault = { code: "no_clock", severity: "error", node: "w", field: null, message: "It waits.", remedy: "Do." };
  render(<ErrorNote error={new ApiFailure(422, { code: "faulty", message: "1 fault.", faults: [fault as never] })} />);
  const link = screen.getByRole("link", { name: "In the guide: Time does not advance" });
  expect([link.getAttribute("href"), link.getAttribute("target")]).toEqual(["/guide/advance_time", "_blank"]);
});

test("an error shows its message and every detail with code, place and remedy", () => {
  const fault = {
    code: "unknown_field",
    severity: "error",
    node: "fast",
    field: "where",
    message: "There is no field 'sped'.",
    remedy: "Use lane, plate or speed.",
  } as const;
  const failure = new ApiFailure(422, { code: "faulty", message: "1 fault found.", faults: [fault] });
  render(<ErrorNote error={failure} />);
  const alert = screen.getByRole("alert");
  for (const part of ["1 fault found.", "unknown_field", "fast · where", "Use lane, plate or speed."]) {
    expect(alert.textContent).toContain(part);
  }
});

test("nothing is shown when there is no error", () => {
  const { container } = render(<ErrorNote error={null} />);
  expect(container.textContent).toBe("");
});
