import { expect, test } from "vitest";
import type { BindingResponse, VersionResponse } from "../api";
import {
  type BindingTyped,
  bindingText,
  movedTo,
  otherInputs,
  readBinding,
  typedBinding,
  UNTYPED,
  withVersion,
} from "./bindingForm";

const STORED = {
  id: "b1",
  name: "watch",
  query: "q1",
  query_name: "speeding",
  query_version: "v1",
  query_version_number: 1,
  dedicated: true,
  freshness: "200ms",
  completeness: 99.99,
  freshness_level: { within_s: 60, share: 99 },
  revision: "r1",
  inputs: [{ node: "cars", stream: "s1", stream_name: "cars", advance: { preset: "watermark(5s)" }, event_time: null }],
} as unknown as BindingResponse;

test("saving an unchanged binding sends the same binding", () => {
  expect(readBinding(typedBinding(STORED), ["cars"])).toEqual({
    name: "watch",
    query_version: "v1",
    dedicated: true,
    freshness: "200ms",
    completeness: 99.99,
    freshness_level: { within_s: 60, share: 99 },
    inputs: { cars: { stream: "s1", advance: { preset: "watermark(5s)" }, event_time: null } },
    upon: "r1",
  });
  expect(JSON.parse(bindingText(STORED))).toMatchObject({ freshness: "200ms", dedicated: true });
});

test("an old draft with free-text freshness gets the default", () => {
  const typed = { ...typedBinding(STORED), freshness: "7s" } as unknown as BindingTyped;
  expect(readBinding(typed, ["cars"]).freshness).toBe("5s");
});

test("an old draft without a completeness leaves it unchanged", () => {
  const { completeness: _, ...old } = typedBinding(STORED);
  expect(readBinding(old, ["cars"]).completeness).toBeNull();
});

test("an old draft without a freshness level leaves it unchanged, and no limit removes it", () => {
  const { level: _, ...old } = typedBinding(STORED);
  expect(readBinding(old, ["cars"])).not.toHaveProperty("freshness_level");
  expect(readBinding({ ...old, level: null }, ["cars"]).freshness_level).toBeNull();
});

test("moving to another query drops the inputs, and moving back restores them", () => {
  const typed = typedBinding(STORED);
  const moved = movedTo(typed, { id: "q2", version: "v7" }, STORED);
  expect(moved).toMatchObject({ query: "q2", version: "v7", inputs: {}, name: "watch" });
  expect(readBinding(moved, ["cars"])).toMatchObject({ query_version: "v7", inputs: {} });
  expect(movedTo(moved, { id: "q1", version: "v3" }, STORED)).toEqual({ ...typed, version: "v1" });
});

test("input changes in addition to the version change are detected", () => {
  const typed = typedBinding(STORED);
  const moved = movedTo(typed, { id: "q2", version: "v7" }, STORED);
  expect([typed, { ...typed, version: "v3" }, moved].map((each) => otherInputs(each, STORED))).toEqual([
    false,
    false,
    false,
  ]);
  const others = [
    { ...typed, inputs: { cars: { ...UNTYPED, stream: "s2" } } },
    { ...typed, inputs: { cars: { ...UNTYPED, stream: "s1" } } },
    { ...moved, inputs: { trucks: { ...UNTYPED, stream: "s1" } } },
  ];
  expect(others.map((each) => otherInputs(each, STORED))).toEqual([true, true, true]);
});

test("a binding's own event time can be shown, changed and removed, and is dropped with its query", () => {
  const event_time = { path: "at", unit: "ms", zone: "UTC" };
  const stored = { ...STORED, inputs: [{ ...STORED.inputs[0], event_time }] } as unknown as BindingResponse;
  const typed = typedBinding(stored);
  const read = (from: BindingTyped) => readBinding(from, ["cars"]).inputs?.cars?.event_time;
  expect(read(typed)).toEqual(event_time);
  const cars = { ...UNTYPED, ...typed.inputs.cars };
  const changed = { ...typed, inputs: { cars: { ...cars, path: " details.at ", unit: "iso" as const } } };
  expect(read(changed)).toEqual({ path: "details.at", unit: "iso", zone: "UTC" });
  expect(otherInputs(changed, stored)).toBe(true);
  expect(read({ ...typed, inputs: { cars: { ...cars, path: "" } } })).toBeNull();
  expect(read(movedTo(typed, { id: "q2", version: "v7" }, stored))).toBeUndefined();
});

test("an old draft without an event time field is read as one without an event time", () => {
  const old = { ...typedBinding(STORED), inputs: { cars: { stream: "s1", advance: "" } } } as unknown as BindingTyped;
  expect(readBinding(old, ["cars"]).inputs).toEqual({ cars: { stream: "s1", advance: null, event_time: null } });
});

function reading(id: string, streams: Record<string, string>): VersionResponse {
  const nodes = Object.entries(streams).map(([node, stream]) => ({ kind: "input", id: node, stream }));
  return { id, graph: { nodes } } as unknown as VersionResponse;
}

test("a new version keeps the streams and settings of inputs that it names as before", () => {
  const before = reading("v1", { cars: "cars" });
  const kept = { cars: { stream: "s1", advance: { preset: "watermark(5s)" }, event_time: null } };
  expect(withVersion(STORED, before, reading("v2", { cars: "cars", vans: "vans" }))).toMatchObject({
    name: "watch",
    query_version: "v2",
    dedicated: true,
    freshness: "200ms",
    upon: "r1",
    inputs: kept,
  });
  expect(withVersion(STORED, before, reading("v2", { cars: "buses" })).inputs).toEqual({});
  expect(withVersion(STORED, before, reading("v2", { vans: "vans" })).inputs).toEqual({});
});
