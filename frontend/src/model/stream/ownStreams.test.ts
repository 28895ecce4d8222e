import { expect, it } from "vitest";
import type { TemplateInput, TemplateStream } from "../api";
import { fitting, guessed, proposedChoice, unfinished } from "./ownStreams";

function stream(id: string, missing: string[] = []): TemplateStream {
  const offered = [{ name: "street", type: "string" }];
  const field = { field: "road", type: "string", offered, proposed: "street", reason: "Its name is similar." };
  return { id, name: `name of ${id}`, missing, note: "", fields: missing.length > 0 ? [] : [field] };
}

function input(name: string, proposed: string | null, streams: TemplateStream[]): TemplateInput {
  return { input: name, needs: "points with road (any simple type)", proposed, streams };
}

it("offers matching streams and selects the proposed one", () => {
  const cars = input("cars", "b", [stream("a"), stream("b"), stream("c", ["It has no field that could be road."])]);
  expect(fitting(cars).map(({ id }) => id)).toEqual(["a", "b"]);
  expect(proposedChoice([cars])).toEqual({ cars: { stream: "b", fields: { road: "street" } } });
  expect(guessed(stream("a"))).toEqual({ stream: "a", fields: { road: "street" } });
});

it("names the missing choices", () => {
  const none = input("roads", null, [stream("c", ["It has no field that could be road."])]);
  expect(unfinished([none], proposedChoice([none]))).toBe("None of your streams matches roads.");
  const one = input("cars", "a", [stream("a")]);
  const other = input("lorries", null, [stream("a")]);
  expect(unfinished([one], proposedChoice([one]))).toBeNull();
  expect(unfinished([one, other], proposedChoice([one, other]))).toBe("Choose another stream for each input.");
});
