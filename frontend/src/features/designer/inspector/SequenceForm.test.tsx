// @vitest-environment happy-dom
import { cleanup, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, expect, test, vi } from "vitest";
import type { SequenceNode } from "../../../messages/definition/summary";
import { type Designer, DesignerContext } from "../page/designer";
import type { FormScope } from "./formScope";
import { SequenceSteps } from "./SequenceForm";

vi.mock("./ExpressionField", () => ({
  ExpressionField: ({ label, value }: { label: string; value: string }) => (
    <p>
      {label}: {value}
    </p>
  ),
}));
afterEach(cleanup);

const BEGUN: SequenceNode = {
  kind: "match_recognize",
  id: "m",
  input: "s",
  pattern: "A B",
  define: [{ name: "A", of: "x > 1" }],
  measures: [{ name: "y", of: "A.x" }],
};

function Form({ begun, readOnly = false }: { begun: SequenceNode; readOnly?: boolean }) {
  const [node, setNode] = useState(begun);
  const edit = ({ fields }: { fields: Partial<SequenceNode> }) => setNode((before) => ({ ...before, ...fields }));
  const scope: FormScope = {
    node,
    readOnly,
    incoming: { x: "long" },
    shared: [],
    streams: [],
    readable: [],
    faults: [],
  };
  return (
    <DesignerContext value={{ act: { edit } } as unknown as Designer}>
      <SequenceSteps scope={scope} node={node} />
      <output>{JSON.stringify([node.pattern, node.define, node.measures])}</output>
    </DesignerContext>
  );
}

function drawn(pattern: string) {
  render(<Form begun={{ ...BEGUN, pattern }} />);
  return userEvent.setup();
}

const written = () => JSON.parse(screen.getByRole("status").textContent ?? "") as [string, unknown, unknown];
const button = (name: string) => screen.getByRole("button", { name });
const step = (name: string) => within(screen.getByRole("group", { name }));

test("groups, alternatives and repetitions are made by mouse", async () => {
  const user = drawn("A B");
  await user.click(button("Group with next, step 1"));
  expect(written()[0]).toBe("A B");
  await user.click(screen.getByRole("button", { name: "Add step" }));
  await user.click(button("Group with next, step 1"));
  expect(written()[0]).toBe("(A B) B_2");
  await user.selectOptions(step("Step 1: group").getAllByLabelText("Repetitions")[0] as HTMLElement, "1 or more");
  expect(written()[0]).toBe("(A B)+ B_2");
  await user.click(button("Add alternative to step 2"));
  expect(written()[0]).toBe("(A B)+ (B_2 | B_3)");
  await user.click(button("Add step to alternative 2.2"));
  expect(written()[0]).toBe("(A B)+ (B_2 | B_3 B_4)");
  await user.click(button("Remove step 2.1"));
  expect(written()[0]).toBe("(A B)+ (() | B_3 B_4)");
  await user.click(button("Move alternative 2.1 down"));
  expect(written()[0]).toBe("(A B)+ (B_3 B_4 | ())");
  await user.selectOptions(screen.getAllByLabelText("Its parts")[1] as HTMLElement, "in any order");
  expect(written()[0]).toBe("(A B)+ PERMUTE(B_3 B_4, ())");
});

test("a step is moved, repeated and renamed by keyboard, and the keyboard stays at it", async () => {
  const user = drawn("A B C");
  button("Move step 1 down").focus();
  await user.keyboard("{Enter}");
  expect(written()[0]).toBe("B A C");
  expect(document.activeElement).toBe(screen.getByRole("group", { name: "Step 2: A" }));
  await user.tab();
  expect(document.activeElement).toBe(step("Step 2: A").getByLabelText("Variable"));
  await user.clear(document.activeElement as HTMLElement);
  await user.keyboard("PLACED{Enter}");
  expect(written()).toEqual(["B PLACED C", [{ name: "PLACED", of: "x > 1" }], [{ name: "y", of: "PLACED.x" }]]);
  await user.selectOptions(step("Step 2: PLACED").getByLabelText("Repetitions"), "any number");
  await user.click(step("Step 2: PLACED").getByLabelText("As few rows as possible"));
  expect(written()[0]).toBe("B PLACED*? C");
});

test("an absence is offered only where nothing follows, also in an alternative", () => {
  drawn("A (B | C D) E?");
  const offers = (name: string) => step(name).queryAllByRole("option", { name: "absent for …" }).length;
  expect(offers("Step 3: E")).toBe(1);
  expect(offers("Step 2.2.2: D")).toBe(0);
  cleanup();
  drawn("A (B | C D)");
  expect(offers("Step 2.2.2: D")).toBe(1);
  expect(offers("Step 2.2.1: C")).toBe(0);
  expect(offers("Step 1: A")).toBe(0);
});

test("a pattern that the form can't show keeps its text, and the reason is shown", () => {
  drawn("A -- first\nB");
  expect(screen.getByText(/would lose the comments/)).toBeTruthy();
  expect(screen.queryByRole("button")).toBeNull();
  cleanup();
  drawn("A (");
  expect(screen.getByText(/its text has an error/)).toBeTruthy();
  expect(written()[0]).toBe("A (");
});

test("nothing can be changed by a reader", () => {
  render(<Form begun={{ ...BEGUN, pattern: "(A | B)+" }} readOnly />);
  expect(screen.getByRole("group", { name: "Step 1: alternatives" })).toBeTruthy();
  expect(screen.queryByRole("button")).toBeNull();
});
