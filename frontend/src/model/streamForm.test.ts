import { expect, test } from "vitest";
import { EMPTY_FORM, streamBody, withAdapter } from "./streamForm";

test("a whole number is a count of events, text is a duration", () => {
  const counted = streamBody({ ...EMPTY_FORM, every: "100", delay: "-1" }, {});
  expect(counted.definition.advance?.generate).toMatchObject({ every: 100, delay: -1 });
  const timed = streamBody({ ...EMPTY_FORM, every: "10s", delay: "PT5M" }, {});
  expect(timed.definition.advance?.generate).toMatchObject({ every: "10s", delay: "PT5M" });
});

test("the late policy is said also where no CTIs are generated", () => {
  expect(streamBody({ ...EMPTY_FORM, generate: false, late: "keep" }, {}).definition.advance).toEqual({ late: "keep" });
});

test("a point has no end column, whatever was typed before", () => {
  const form = { ...EMPTY_FORM, startColumn: "at", endColumn: "until" };
  expect(streamBody(form, {}).definition.event_time?.end).toBeNull();
  expect(streamBody({ ...form, shape: "interval" }, {}).definition.event_time?.end?.column).toBe("until");
});

test("fields without a name are left out", () => {
  const fields = [
    { key: 1, name: " a ", type: "long" },
    { key: 2, name: "", type: "string" },
  ];
  expect(streamBody({ ...EMPTY_FORM, fields }, {}).definition.fields).toEqual({ a: "long" });
});

test("an adapter that knows its fields fills them in, another one leaves what was typed", () => {
  const filled = withAdapter(EMPTY_FORM, "generator", { lane: "long", speed: "double" });
  expect(filled.adapter).toBe("generator");
  expect(filled.fields.map(({ name, type }) => [name, type])).toEqual([
    ["lane", "long"],
    ["speed", "double"],
  ]);
  expect(withAdapter(filled, "file", null).fields).toEqual(filled.fields);
});
