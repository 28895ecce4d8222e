import { expect, test } from "vitest";
import type { BindingShown } from "./api";
import { bindingText, readBinding, typedBinding } from "./bindingForm";

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
