import fc from "fast-check";
import { expect, test } from "vitest";
import { durationOf, partsOf, UNITS } from "./durations";

test("a number with a unit is split into parts and read back unchanged", () => {
  fc.assert(
    fc.property(fc.integer(), fc.constantFrom(...UNITS), (count, unit) => {
      expect(partsOf(`${count}${unit}`)).toEqual({ count: String(count), unit });
      expect(durationOf(partsOf(`${count}${unit}`))).toBe(`${count}${unit}`);
    }),
  );
});

test("ticks, ISO 8601 and an empty value are shown unchanged", () => {
  expect(partsOf(-3)).toEqual({ count: "-3", unit: "tick" });
  expect(durationOf(partsOf("PT1H30M"))).toBe("PT1H30M");
  expect(durationOf(partsOf("-P1DT2.5S"))).toBe("-P1DT2.5S");
  expect(durationOf(partsOf(null))).toBe(null);
  expect(durationOf(partsOf("5 minutes"))).toBe(undefined);
  expect(durationOf({ count: "PT", unit: "text" })).toBe(undefined);
  expect(durationOf({ count: "1.5", unit: "s" })).toBe(undefined);
});
