import { expect, test } from "vitest";
import type { Fault } from "./api";
import { placedFaults } from "./fieldFaults";

function fault(field: string | null, message: string): Fault {
  return { code: "bad_shape", severity: "error", node: null, field, message, remedy: "Mend it." };
}

test("a fault stands at the nearest field that leads to it, and two at one field are both told", () => {
  const faults = [
    fault("definition.event_time.start.column", "One."),
    fault("definition.event_time.start.column", "Two."),
    fault("definition.event_time.end.unit", "Three."),
  ];
  const { at, rest } = placedFaults(faults, ["definition.event_time.start.column", "definition.event_time.end"]);
  expect(at).toEqual({
    "definition.event_time.start.column": "One. Mend it. Two. Mend it.",
    "definition.event_time.end": "Three. Mend it.",
  });
  expect(rest).toEqual([]);
});

test("a fault of no field, or of one whose name only begins alike, is not lost", () => {
  const faults = [fault(null, "Whole."), fault("names", "Other.")];
  expect(placedFaults(faults, ["name"])).toEqual({ at: {}, placed: [], rest: faults });
});
