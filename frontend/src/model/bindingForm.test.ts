import { expect, test } from "vitest";
import type { BindingShown } from "./api";
import { bindingText, movedTo, otherInputs, readBinding, typedBinding } from "./bindingForm";

const STORED = {
  id: "b1",
  name: "watch",
  query: "q1",
  query_name: "speeding",
  query_version: "v1",
  query_version_number: 1,
  dedicated: true,
  freshness: "200ms",
  revision: "r1",
  inputs: [{ node: "cars", stream: "s1", stream_name: "cars", advance: { preset: "watermark(5s)" }, event_time: null }],
} as unknown as BindingShown;

test("a binding that is saved as it was opened is replaced by itself", () => {
  expect(readBinding(typedBinding(STORED), ["cars"], STORED)).toEqual({
    body: {
      name: "watch",
      query_version: "v1",
      dedicated: true,
      freshness: "200ms",
      inputs: { cars: { stream: "s1", advance: { preset: "watermark(5s)" }, event_time: null } },
      upon: "r1",
    },
    wrong: {},
  });
  expect(JSON.parse(bindingText(STORED))).toMatchObject({ freshness: "200ms", dedicated: true });
});

test("a freshness that is emptied is the product's own again", () => {
  const typed = { ...typedBinding(STORED), freshness: " " };
  expect(readBinding(typed, ["cars"], STORED).body.freshness).toBeNull();
  expect(typedBinding({ ...STORED, freshness: null }).freshness).toBe("");
});

test("settings that are no JSON are told at their input", () => {
  const typed = { ...typedBinding(STORED), inputs: { cars: { stream: "s1", advance: "soon" } } };
  expect(Object.keys(readBinding(typed, ["cars"], STORED).wrong)).toEqual(["inputs.cars.advance"]);
});

test("a binding that moves to another query takes none of its inputs along, and all of them when it moves back", () => {
  const typed = typedBinding(STORED);
  const moved = movedTo(typed, { id: "q2", version: "v7" }, STORED);
  expect(moved).toMatchObject({ query: "q2", version: "v7", inputs: {}, name: "watch" });
  expect(readBinding(moved, ["cars"], STORED).body).toMatchObject({ query_version: "v7", inputs: {} });
  expect(movedTo(moved, { id: "q1", version: "v3" }, STORED)).toEqual({ ...typed, version: "v1" });
});

test("inputs that are typed otherwise than a change of version would bring them are told from those that are not", () => {
  const typed = typedBinding(STORED);
  const moved = movedTo(typed, { id: "q2", version: "v7" }, STORED);
  expect([typed, { ...typed, version: "v3" }, moved].map((each) => otherInputs(each, STORED))).toEqual([
    false,
    false,
    false,
  ]);
  const others = [
    { ...typed, inputs: { cars: { stream: "s2", advance: "" } } },
    { ...typed, inputs: { cars: { stream: "s1", advance: "" } } },
    { ...moved, inputs: { trucks: { stream: "s1", advance: "" } } },
  ];
  expect(others.map((each) => otherInputs(each, STORED))).toEqual([true, true, true]);
});

test("an event time of its own stays with the query whose input it is about", () => {
  const event_time = { column: "at" };
  const stored = { ...STORED, inputs: [{ ...STORED.inputs[0], event_time }] } as unknown as BindingShown;
  const typed = typedBinding(stored);
  expect(readBinding(typed, ["cars"], stored).body.inputs).toMatchObject({ cars: { event_time } });
  const elsewhere = { ...typed, query: "q2" };
  expect(readBinding(elsewhere, ["cars"], stored).body.inputs).toMatchObject({ cars: { event_time: null } });
});
