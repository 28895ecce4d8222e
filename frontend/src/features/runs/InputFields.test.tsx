// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { FaultyForm } from "../../components/FieldFaults";
import { type InputTyped, UNTYPED } from "../../model/bindingForm";
import { InputFields } from "./InputFields";

afterEach(cleanup);

interface FormProps {
  save: () => void;
  told: (said: InputTyped) => void;
}

function Form({ save, told }: FormProps) {
  const [said, setSaid] = useState<InputTyped>({ ...UNTYPED, stream: "s1" });
  told(said);
  return (
    <FaultyForm error={null} paths={[]} onSubmit={save}>
      <InputFields node="cars" named="cars" said={said} streams={[]} others={["gates"]} onChange={setSaid} />
      <button type="submit">Save</button>
    </FaultyForm>
  );
}

function shown() {
  const save = vi.fn();
  const told = vi.fn<(said: InputTyped) => void>();
  render(<Form save={save} told={told} />);
  return { said: () => told.mock.lastCall?.[0], save };
}

test("settings of time of a binding are chosen and typed, and may be given up again", async () => {
  const { said } = shown();
  const moves = screen.getByRole("combobox", { name: "How its time moves" });
  await userEvent.selectOptions(moves, "by settings of this binding");
  await userEvent.clear(screen.getByLabelText("delay"));
  await userEvent.type(screen.getByLabelText("delay"), "20s");
  await userEvent.selectOptions(screen.getByLabelText("late rows"), "keep");
  await userEvent.selectOptions(screen.getByLabelText("copies the CTIs of"), "gates");
  expect(said()?.advance).toMatchObject({ generate: { delay: "20s" }, late: "keep", import_from: "gates" });
  await userEvent.selectOptions(moves, "as the query says, else as the stream does");
  expect(said()?.advance).toBeNull();
});

test("a delay that cannot be read is not saved as the one before it", async () => {
  const { save } = shown();
  await userEvent.selectOptions(
    screen.getByRole("combobox", { name: "How its time moves" }),
    "by settings of this binding",
  );
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
