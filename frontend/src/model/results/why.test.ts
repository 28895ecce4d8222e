import { describe, expect, it } from "vitest";
import { asWhyParams, batchWords, movedWords, readWhyRequest, type WhyRequest, whyBody } from "./why";

const PLACE: WhyRequest = { kind: "place", output: "out", at: "2026-01-01T00:00:05Z", field: "plate", value: "AB 1" };

describe("the question in an address", () => {
  it.each([{ kind: "row", id: "7-0-3" } as WhyRequest, PLACE])("is the question that was written into it", (asked) => {
    const address = asWhyParams(new URLSearchParams("why=1-1-1&span=5"), asked);
    expect(readWhyRequest(address)).toEqual(asked);
    expect(address.get("span")).toBe("5");
    expect(asWhyParams(address, null).toString()).toBe("span=5");
  });
});

describe("the request to the server", () => {
  it("is null without a time", () => {
    expect(whyBody("b", { ...PLACE, at: " " })).toBeNull();
  });

  it("takes a time as ticks or text, and the value of the rows", () => {
    expect(whyBody("b", { ...PLACE, at: "12" })?.place?.at).toBe(12);
    expect(whyBody("b", PLACE)?.place?.key).toEqual({ plate: "AB 1" });
    expect(whyBody("b", { ...PLACE, field: "" })?.place?.key).toEqual({});
  });
});

describe("the batch that emitted a row", () => {
  it("states how far it advanced the inputs", () => {
    const made = { batch: 7, first: 7, last: 7, at: 1, repaired_by: null };
    const input = { input: "cars", before: 0, after: 5_000_000, ended: false };
    expect(movedWords({ ...made, inputs: [input] })).toEqual([
      "The CTI of 'cars' advanced from 1970-01-01 00:00:00Z to 1970-01-01 00:00:05Z.",
    ]);
    expect(movedWords({ ...made, inputs: [{ ...input, before: null, after: null }] })).toEqual([
      "'cars' had no CTI yet.",
    ]);
    expect(batchWords({ ...made, inputs: [] })).toBe("Batch 7");
    expect(batchWords({ ...made, first: 3, inputs: [] })).toBe("One of the batches 3 to 7, which are stored together");
  });
});
