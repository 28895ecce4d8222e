// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { FaultyForm } from "../../components/forms/FieldFaults";
import { type InputTyped, UNTYPED } from "../../model/binding/bindingForm";
import { InputFields } from "./InputFields";

afterEach(cleanup);

interface FormProps {
  save: () => void;
  onSaved: (typedInput: InputTyped) => void;
}

function Form({ save, onSaved }: FormProps) {
  const [typedInput, setTypedInput] = useState<InputTyped>({ ...UNTYPED, stream: "s1" });
  onSaved(typedInput);
  return (
    <FaultyForm error={null} paths={[]} onSubmit={save}>
      <InputFields
        node="cars"
        named="cars"
        typedInput={typedInput}
        streams={[]}
        others={["gates"]}
        onChange={setTypedInput}
      />
      <button type="submit">Save</button>
    </FaultyForm>
  );
}

function renderForm() {
  const save = vi.fn();
  const onSaved = vi.fn<(typedInput: InputTyped) => void>();
  render(<Form save={save} onSaved={onSaved} />);
  return { typedInput: () => onSaved.mock.lastCall?.[0], save };
}

test("time settings of a binding can be set and removed again", async () => {
  const { typedInput } = renderForm();
  const moves = screen.getByRole("combobox", { name: "Time settings" });
  await userEvent.selectOptions(moves, "set by this binding");
  await userEvent.clear(screen.getByLabelText("delay"));
  await userEvent.type(screen.getByLabelText("delay"), "20s");
  await userEvent.selectOptions(screen.getByLabelText("late rows"), "keep");
  await userEvent.selectOptions(screen.getByLabelText("copies the CTIs of"), "gates");
  expect(typedInput()?.advance).toMatchObject({ generate: { delay: "20s" }, late: "keep", import_from: "gates" });
  await userEvent.selectOptions(moves, "set by the query, otherwise by the stream");
  expect(typedInput()?.advance).toBeNull();
});

test("an invalid delay is not saved as the previous one", async () => {
  const { save } = renderForm();
  await userEvent.selectOptions(screen.getByRole("combobox", { name: "Time settings" }), "set by this binding");
  const delay = screen.getByLabelText("delay");
  await userEvent.clear(delay);
  await userEvent.type(delay, "soon");
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  expect(save).not.toHaveBeenCalled();
  expect(document.activeElement).toBe(delay);
  await userEvent.clear(delay);
  await userEvent.type(delay, "7s");
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  expect(save).toHaveBeenCalledOnce();
});
