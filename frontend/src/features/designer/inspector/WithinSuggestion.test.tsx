// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import type { SequenceNode } from "../../../messages/definition/summary";
import type { Fault } from "../../../model/api";
import { type Designer, DesignerContext } from "../page/designer";
import { stepsHaveConditions, WithinSuggestion } from "./WithinSuggestion";

afterEach(cleanup);

const NODE: SequenceNode = { kind: "match_recognize", id: "m", input: "s", pattern: "A (B | C)+" };
const WAITS = "Without 'within' a complete match can wait forever, because B or C may take more rows of its group.";
const FAULT: Fault = {
  code: "unbounded_state",
  severity: "warning",
  node: "m",
  field: "within",
  message: WAITS,
  remedy: "Set 'within'.",
  at: null,
  span: null,
};

test("a match that may wait forever gets its bound by one press", async () => {
  const edit = vi.fn();
  const scope = { node: NODE, readOnly: false, incoming: {}, shared: [], streams: [], readable: [], faults: [FAULT] };
  render(
    <DesignerContext value={{ act: { edit } } as unknown as Designer}>
      <WithinSuggestion node={NODE} scope={scope} />
    </DesignerContext>,
  );
  expect(screen.getByText(WAITS, { exact: false })).toBeTruthy();
  await userEvent.setup().click(screen.getByRole("button", { name: "Add WITHIN 1h" }));
  expect(edit).toHaveBeenCalledWith({ do: "set", id: "m", fields: { within: "1h" } });
});

test("conditions of groups are in the steps, those of other names are not", () => {
  const node = (name: string) => ({ ...NODE, define: [{ name, of: "x > 1" }] });
  expect(stepsHaveConditions(node("C"))).toBe(true);
  expect(stepsHaveConditions(node("D"))).toBe(false);
});
