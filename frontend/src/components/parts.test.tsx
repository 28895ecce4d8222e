// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, expect, test } from "vitest";
import { ApiFailure } from "../lib/api";
import { type FormField, type FormValues, formFields, initialValues } from "../model/schemaForm";
import { FaultyForm } from "./FieldFaults";
import { Instant } from "./Instant";
import { ErrorNote } from "./Notices";
import { SchemaForm } from "./SchemaForm";
import { StateMark } from "./StateMark";

afterEach(cleanup);

test("a fault that the guide explains leads there, in a page of its own, so that nothing typed is left", () => {
  const fault = { code: "no_clock", severity: "error", node: "w", field: null, message: "It waits.", remedy: "Do." };
  render(<ErrorNote error={new ApiFailure(422, { code: "faulty", message: "1 fault.", faults: [fault as never] })} />);
  const link = screen.getByRole("link", { name: "In the guide: Time does not advance" });
  expect([link.getAttribute("href"), link.getAttribute("target")]).toEqual(["/guide/advance_time", "_blank"]);
});

test("a refusal shows its sentence and every fault with code, place and remedy", () => {
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

test("a lost run says since when nothing is known, and never that it runs", () => {
  render(<StateMark observed="lost" since="2026-11-21T14:02:07+00:00" />);
  expect(screen.getByText(/Unknown/).textContent).toBe("Unknown since 14:02:07Z");
});

test("a moment is written in UTC with the reader's own time on hover; null is infinity", () => {
  render(<Instant ticks={1_500_000} />);
  expect(screen.getByText("1970-01-01 00:00:01.500Z").title).toContain("(your time)");
  render(<Instant ticks={null} />);
  expect(screen.getByText("infinity")).toBeTruthy();
});

const WRONG = { path: "This is needed." };

interface FormProps {
  fields: readonly FormField[];
  onChange: (values: FormValues) => void;
  first?: FormValues;
}

function Form({ fields, onChange, first }: FormProps) {
  const [values, setValues] = useState(first ?? initialValues(fields));
  const change = (next: FormValues) => {
    setValues(next);
    onChange(next);
  };
  return (
    <FaultyForm error={null} wrong={WRONG} paths={[]} onSubmit={() => undefined}>
      <SchemaForm fields={fields} values={values} path="" onChange={change} />
    </FaultyForm>
  );
}

test("a form drawn from a schema gives back what was typed", async () => {
  const fields = formFields({
    required: ["path"],
    properties: { path: { type: "string", title: "File" }, follow: { type: "boolean", title: "Wait" } },
  });
  const typed: FormValues[] = [];
  render(<Form fields={fields} onChange={(values) => typed.push(values)} />);
  const path = screen.getByLabelText("File");
  expect(path.getAttribute("aria-invalid")).toBe("true");
  await userEvent.type(path, "in/a.csv");
  await userEvent.click(screen.getByLabelText("Wait"));
  expect(typed.at(-1)).toEqual({ path: "in/a.csv", follow: true });
});

test("a stored secret is not shown, is kept unless another is typed, and may be removed", async () => {
  const fields = formFields({ properties: { token: { type: "string", title: "Token", writeOnly: true } } });
  const typed: FormValues[] = [];
  render(<Form fields={fields} first={{ token: { sealed: true } }} onChange={(values) => typed.push(values)} />);
  const input = screen.getByPlaceholderText<HTMLInputElement>("kept; type to replace");
  expect([input.type, input.value]).toEqual(["password", ""]);
  await userEvent.type(input, "n");
  expect(typed.at(-1)).toEqual({ token: "n" });
  await userEvent.clear(input);
  expect(typed.at(-1)).toEqual({ token: { sealed: true } });
  await userEvent.click(screen.getByRole("button", { name: "Remove Token" }));
  expect(typed.at(-1)).toEqual({ token: "" });
});
