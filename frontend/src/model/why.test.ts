import { describe, expect, it } from "vitest";
import { asWhyParams, batchWords, movedWords, type WhyAsked, whyAsked, whyBody } from "./why";

const PLACE: WhyAsked = { kind: "place", output: "out", at: "2026-01-01T00:00:05Z", field: "plate", value: "AB 1" };

describe("what an address asks", () => {
  it.each([{ kind: "row", id: "7-0-3" } as WhyAsked, PLACE])("is what was written into it", (asked) => {
    const address = asWhyParams(new URLSearchParams("why=1-1-1&span=5"), asked);
    expect(whyAsked(address)).toEqual(asked);
    expect(address.get("span")).toBe("5");
    expect(asWhyParams(address, null).toString()).toBe("span=5");
  });
});

describe("what the server is asked", () => {
  it("is nothing before a time is said", () => {
    expect(whyBody("b", { ...PLACE, at: " " }, 10)).toBeNull();
  });

  it("takes a time as ticks or as text, and the value that rows must have", () => {
    expect(whyBody("b", { ...PLACE, at: "12" }, 10)?.place?.at).toBe(12);
    expect(whyBody("b", PLACE, 10)?.place?.key).toEqual({ plate: "AB 1" });
    expect(whyBody("b", { ...PLACE, field: "" }, 10)?.place?.key).toEqual({});
  });
});

describe("the batch that gave a row", () => {
  it("says how far it brought the inputs", () => {
    const made = { batch: 7, first: 7, last: 7, at: 1, repaired_by: null };
    const input = { input: "cars", before: 0, after: 5_000_000, ended: false };
    expect(movedWords({ ...made, inputs: [input] })).toEqual([
      "The CTI of 'cars' came from 1970-01-01 00:00:00Z to 1970-01-01 00:00:05Z.",
    ]);
    expect(movedWords({ ...made, inputs: [{ ...input, before: null, after: null }] })).toEqual([
      "'cars' had no CTI yet.",
    ]);
    expect(batchWords({ ...made, inputs: [] })).toBe("Batch 7");
    expect(batchWords({ ...made, first: 3, inputs: [] })).toBe("One of the batches 3 to 7, which are kept as one");
  });
});
