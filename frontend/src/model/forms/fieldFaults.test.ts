import { expect, test } from "vitest";
import type { Fault } from "../api";
import { placedFaults } from "./fieldFaults";

function fault(field: string | null, message: string): Fault {
  return { code: "bad_shape", severity: "error", node: null, field, message, remedy: "Fix it." };
}

test("an error appears at its nearest field, and two at one field are both shown", () => {
  const faults = [
    fault("definition.event_time.start.column", "One."),
    fault("definition.event_time.start.column", "Two."),
    fault("definition.event_time.end.unit", "Three."),
  ];
  const { at, rest } = placedFaults(faults, ["definition.event_time.start.column", "definition.event_time.end"]);
  expect(at).toEqual({
    "definition.event_time.start.column": "One. Fix it. Two. Fix it.",
    "definition.event_time.end": "Three. Fix it.",
  });
  expect(rest).toEqual([]);
});

test("an error without a field, or with a similar field name, is not lost", () => {
  const faults = [fault(null, "Whole."), fault("names", "Other.")];
  expect(placedFaults(faults, ["name"])).toEqual({ at: {}, placed: [], rest: faults });
});
