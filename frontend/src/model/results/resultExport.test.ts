import { expect, test } from "vitest";
import type { QueryGraph } from "../api";
import { type ExportChoice, exportParams, fileName, outputsOf } from "./resultExport";

const CHOICE: ExportChoice = { format: "csv", output: "", from: " ", to: "", revisions: "net", runs: "own" };

test("empty choices are not sent, and times are sent as they were written", () => {
  expect(exportParams(CHOICE).toString()).toBe("format=csv&revisions=net&runs=own");
  const range = exportParams({ ...CHOICE, from: " 2026-11-26T10:00+01:00 ", output: "out" });
  expect([range.get("from"), range.get("output"), range.has("to")]).toEqual(["2026-11-26T10:00+01:00", "out", false]);
});

test("the server names the file", () => {
  expect(fileName('attachment; filename="results-1-out.csv"')).toBe("results-1-out.csv");
  expect(fileName(null)).toBe("results");
});

test("only output nodes are outputs", () => {
  const graph = { nodes: [{ kind: "input", id: "cars" }, ...["a", "b"].map((id) => ({ kind: "output", id }))] };
  expect(outputsOf(graph as unknown as QueryGraph)).toEqual(["a", "b"]);
  expect(outputsOf(undefined)).toEqual([]);
});
