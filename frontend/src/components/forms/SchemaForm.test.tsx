// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, expect, test } from "vitest";
import { type FormField, type FormValues, formFields, initialValues } from "../../model/forms/schemaForm";
import { FaultyForm } from "./FieldFaults";
import { SchemaForm } from "./SchemaForm";

afterEach(cleanup);

const WRONG = { path: "This field is required." };

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

test("a form made from a schema returns the typed values", async () => {
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

test("a stored secret is hidden, stays until it is replaced, and can be removed", async () => {
  const fields = formFields({ properties: { token: { type: "string", title: "Token", writeOnly: true } } });
  const typed: FormValues[] = [];
  render(<Form fields={fields} first={{ token: { sealed: true } }} onChange={(values) => typed.push(values)} />);
  const input = screen.getByPlaceholderText<HTMLInputElement>("stored; type to replace");
  expect([input.type, input.value]).toEqual(["password", ""]);
  await userEvent.type(input, "n");
  expect(typed.at(-1)).toEqual({ token: "n" });
  await userEvent.clear(input);
  expect(typed.at(-1)).toEqual({ token: { sealed: true } });
  await userEvent.click(screen.getByRole("button", { name: "Remove Token" }));
  expect(typed.at(-1)).toEqual({ token: "" });
});
