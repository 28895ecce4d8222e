import { expect, test } from "vitest";
import { type LayoutNode, layeredLayout } from "./layout";

function node(id: string, ...inputs: string[]): LayoutNode {
  return { id, inputs, width: 100, height: 40 };
}

test("a node is to the right of everything it reads from", () => {
  const placed = layeredLayout([node("out", "w"), node("w", "f"), node("f", "in"), node("in"), node("raw", "in")]);
  const x = (id: string) => placed.get(id)?.x ?? Number.NaN;
  expect([x("in"), x("f"), x("w"), x("out")]).toEqual([0, 156, 312, 468]);
  expect(x("raw")).toBe(x("f"));
});

test("nodes of one column do not overlap", () => {
  const placed = layeredLayout([node("a"), node("b"), node("c")]);
  const rows = ["a", "b", "c"].map((id) => placed.get(id)?.y ?? Number.NaN);
  expect(rows).toEqual([0, 68, 136]);
});

test("edges do not cross where the order of a column can prevent it", () => {
  const placed = layeredLayout([node("a"), node("b"), node("after_b", "b"), node("after_a", "a")]);
  expect(placed.get("after_a")?.y).toBe(placed.get("a")?.y);
  expect(placed.get("after_b")?.y).toBe(placed.get("b")?.y);
});

test("a cycle or an unknown input still gives every node a place", () => {
  const placed = layeredLayout([node("a", "b"), node("b", "a"), node("c", "nowhere")]);
  expect([...placed.keys()].toSorted()).toEqual(["a", "b", "c"]);
});

test("downwards, a node is below everything it reads from", () => {
  const placed = layeredLayout([node("in"), node("a", "in"), node("b", "in")], "down");
  expect(placed.get("in")).toEqual({ x: 64, y: 0 });
  expect(placed.get("a")).toEqual({ x: 0, y: 76 });
  expect(placed.get("b")).toEqual({ x: 128, y: 76 });
});
