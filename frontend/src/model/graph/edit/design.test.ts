import fc from "fast-check";
import { expect, test } from "vitest";
import type { QueryGraph } from "../../api";
import { EDITS, GRAPHS } from "./arbitraries";
import {
  type Answer,
  type Ask,
  answered,
  backToReadable,
  beginning,
  changeForm,
  type Design,
  type DesignEdit,
  designOf,
  editAll,
  editGraph,
  moveNodes,
  pendingAsk,
  redo,
  replaceText,
  shownText,
  storableText,
  typeText,
  undo,
} from "./design";
import { newNode } from "./kinds";

/** A fake server with a simple language: a line of comments, then the JSON of the graph; other texts are invalid. */
function written(graph: QueryGraph, comments: Record<string, string>): string {
  return `${JSON.stringify(comments)}\n${JSON.stringify(graph)}`;
}

function readAs(text: string): { graph: QueryGraph; comments: Record<string, string> } | null {
  try {
    const [comments = "", graph = ""] = text.split("\n");
    return { comments: JSON.parse(comments), graph: JSON.parse(graph) };
  } catch {
    return null;
  }
}

function serve(ask: Ask): Answer {
  const none = { faults: [], schemas: {} };
  const read = readAs(ask.text);
  if (!("graph" in ask)) {
    const result = read ?? { graph: null, comments: {} };
    return { ...result, text: ask.text, ...none };
  }
  if (!Array.isArray(ask.graph?.nodes)) return { graph: null, comments: {}, text: ask.text, ...none }; // JSON that isn't a graph
  const comments = { ...read?.comments, ...ask.comments };
  const kept = Object.fromEntries(
    Object.entries(comments).filter(([id, result]) => result !== "" && ask.graph.nodes.some((node) => node.id === id)),
  );
  return { graph: ask.graph, text: written(ask.graph, kept), comments: kept, ...none };
}

/** Answer all open requests. */
function settled(design: Design): Design {
  let now = design;
  for (let ask = pendingAsk(now); ask !== null; ask = pendingAsk(now)) now = answered(now, now.revision, serve(ask));
  return now;
}

const CHAIN: QueryGraph = {
  version: 1,
  name: "q",
  nodes: [
    newNode("input", "cars"),
    newNode("filter", "fast", { input: "cars" }),
    newNode("output", "out", { input: "fast" }),
  ],
};
const begun = () => settled(designOf(beginning(written(CHAIN, {}))));
const ids = ({ present }: Design) => present.graph?.nodes.map(({ id }) => id);
const SHIFT: DesignEdit = { do: "add", node: newNode("shift", "later"), after: "fast", between: true };

test("an edit of the canvas is written into the text, which then leads", () => {
  const edited = editGraph(begun(), SHIFT);
  expect(storableText(edited.present)).toBe(null);
  const { present } = settled(edited);
  expect(readAs(present.sql)?.graph).toEqual(present.graph);
  expect(storableText(present)).toBe(present.sql);
});

test("an answer to an outdated request changes nothing", () => {
  const first = editGraph(begun(), SHIFT);
  const ask = pendingAsk(first);
  const second = editGraph(first, { do: "rename", from: "later", to: "much_later" });
  if (ask === null) throw new Error("nothing was asked");
  expect(answered(second, first.revision, serve(ask))).toBe(second);
  expect(ids(settled(second))).toContain("much_later");
});

test("canvas edits during the check of a text are applied to that text", () => {
  const other: QueryGraph = { ...CHAIN, name: "other" };
  const typed = typeText(begun(), written(other, {}));
  const waiting = editGraph(typed, SHIFT);
  expect(waiting.present.waiting).toEqual([SHIFT]);
  const done = settled(waiting);
  expect(done.present.graph?.name).toBe("other");
  expect(ids(done)).toEqual(["cars", "fast", "later", "out"]);
});

test("typing while the canvas is written into the text is kept, together with the canvas edit", () => {
  const edited = editGraph(begun(), { do: "set", id: "fast", fields: { where: "speed > 1" } });
  const typed = typeText(edited, shownText(edited.present).replace("{}", '{"out":"typed"}'));
  expect(shownText(typed.present)).toContain("typed");
  const done = settled(typed);
  expect(done.present.comments).toEqual({ out: "typed" });
  expect(done.present.graph?.nodes[1]).toMatchObject({ where: "speed > 1" });
  expect(done.present.clashed).toBe(false);
});

test("if both changed one place, typing wins, the page reports it, and undo restores the canvas edit", () => {
  const edited = editGraph(begun(), { do: "set", id: "fast", fields: { where: "speed > 1" } });
  const typed = typeText(edited, shownText(edited.present).replace("true", "false"));
  const done = settled(typed);
  expect(done.present.clashed).toBe(true);
  expect(done.present.graph?.nodes[1]).toMatchObject({ where: "false" });
  expect(settled(undo(done)).present.graph?.nodes[1]).toMatchObject({ where: "speed > 1" });
});

test("with an invalid text the canvas shows the last graph, refuses edits, and offers a way back", () => {
  const broken = settled(typeText(begun(), "SELEC"));
  expect(broken.present).toMatchObject({ known: "unreadable", graph: CHAIN });
  const refused = editGraph(broken, SHIFT);
  expect(refused.refused).toBe(1);
  expect(refused.present).toBe(broken.present);
  expect(shownText(backToReadable(broken).present)).toBe(written(CHAIN, {}));
  expect(shownText(redo(backToReadable(broken)).present)).toBe("SELEC");
});

test("an edit that waits for an invalid text waits until it is valid", () => {
  const waiting = settled(editGraph(typeText(begun(), "SELEC"), SHIFT));
  expect(waiting.present).toMatchObject({ known: "unreadable", waiting: [SHIFT] });
  expect(ids(settled(typeText(waiting, written(CHAIN, {}))))).toContain("later");
});

test("comments follow their node and its name", () => {
  const result = settled(editGraph(begun(), { do: "comment", id: "fast", text: "why" }));
  expect(result.present.comments).toEqual({ fast: "why" });
  expect(settled(editGraph(result, { do: "rename", from: "fast", to: "quick" })).present.comments).toEqual({
    quick: "why",
  });
  expect(settled(editGraph(result, { do: "remove", ids: ["fast"] })).present.comments).toEqual({});
});

test("a move can be undone, follows a rename, and sends no request", () => {
  const moved = moveNodes(begun(), { fast: { x: 1, y: 2 } });
  expect(pendingAsk(moved)).toBe(null);
  expect(editGraph(moved, { do: "rename", from: "fast", to: "quick" }).present.positions).toEqual({
    quick: { x: 1, y: 2 },
  });
  expect(undo(moved).present.positions).toEqual({});
});

test("each word is one undo step", () => {
  let design = begun();
  for (const letter of "ab cd") design = typeText(design, shownText(design.present) + letter);
  expect(shownText(undo(design).present)).toBe(`${written(CHAIN, {})}ab`);
  expect(shownText(undo(undo(design)).present)).toBe(written(CHAIN, {}));
});

test("JSON keeps its underlying text, and shows canvas edits", () => {
  const json = changeForm(settled(editGraph(begun(), { do: "comment", id: "out", text: "kept" })));
  expect(shownText(json.present)).toContain('"nodes"');
  const typed = settled(typeText(json, shownText(json.present).replace('"true"', '"speed > 2"')));
  expect(readAs(typed.present.sql)).toMatchObject({ comments: { out: "kept" } });
  const edited = settled(editGraph(typed, SHIFT));
  expect(shownText(edited.present)).toContain("later");
  const back = changeForm(edited);
  expect(back.present.form).toBe("sql");
  expect(readAs(shownText(back.present))?.graph).toEqual(edited.present.graph);
  expect(settled(typeText(json, "{")).present.known).toBe("unreadable");
});

test("replacing the whole text is one undo step", () => {
  const replaced = settled(replaceText(editGraph(begun(), SHIFT), written(CHAIN, { out: "new" })));
  expect(replaced.present.comments).toEqual({ out: "new" });
  expect(ids(undo(replaced))).toContain("later");
});

test("several edits are one undo step", () => {
  const design = editAll(begun(), [SHIFT, { do: "rename", from: "later", to: "soon" }]);
  expect(ids(design)).toContain("soon");
  expect(ids(undo(design))).toEqual(["cars", "fast", "out"]);
});

type Step =
  | { at: "edit"; edit: DesignEdit }
  | { at: "type"; text: string; whole: boolean }
  | { at: "move"; x: number }
  | { at: "undo" | "redo" | "form" | "ask" }
  | { at: "answer"; which: number };

const TEXTS = fc.oneof(
  GRAPHS.map((graph) => written(graph, {})),
  fc.string({ maxLength: 6 }),
);
const STEPS: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ at: fc.constant("edit" as const), edit: EDITS }),
  fc.record({ at: fc.constant("type" as const), text: TEXTS, whole: fc.boolean() }),
  fc.record({ at: fc.constant("move" as const), x: fc.nat() }),
  fc.record({ at: fc.constantFrom("undo" as const, "redo" as const, "form" as const, "ask" as const) }),
  fc.record({ at: fc.constant("answer" as const), which: fc.nat(5) }),
);

interface Open {
  revision: number;
  answer: Answer;
}

function acted(design: Design, step: Step, open: Open[]): Design {
  switch (step.at) {
    case "edit":
      return editGraph(design, step.edit);
    case "type":
      return typeText(design, step.whole ? step.text : shownText(design.present) + step.text);
    case "move":
      return moveNodes(design, { a: { x: step.x, y: 0 } });
    case "undo":
      return undo(design);
    case "redo":
      return redo(design);
    case "form":
      return changeForm(design);
    case "ask": {
      const ask = pendingAsk(design);
      if (ask !== null) open.push({ revision: design.revision, answer: serve(ask) });
      return design;
    }
    case "answer": {
      const [found] = open.splice(step.which % Math.max(1, open.length), 1);
      return found === undefined ? design : answered(design, found.revision, found.answer);
    }
  }
}

/** The visible contents that an answer must never remove. */
function contents({ present }: Design): string[] {
  const { waiting, typed, positions } = present;
  return [shownText(present), JSON.stringify([waiting, typed, positions])];
}

function checkedStep(before: Design, step: Step, open: Open[]): Design {
  const after = acted(before, step, open);
  if (step.at !== "answer") return after;
  const leads = before.present.lead === "text" && before.present.waiting.length === 0;
  if (leads) expect(contents(after)).toEqual(contents(before));
  expect(after.past).toBe(before.past);
  return after;
}

test("answers in any order never change typed text, and all forms agree", () => {
  fc.assert(
    fc.property(GRAPHS, fc.array(STEPS, { maxLength: 40 }), (graph, steps) => {
      const open: Open[] = [];
      let design = settled(designOf(beginning(written(graph, {}))));
      for (const step of steps) design = checkedStep(design, step, open);
      const done = settled(design).present;
      if (done.known !== "same") return;
      expect([done.waiting, done.typed]).toEqual([[], null]);
      expect(readAs(done.sql)?.graph).toEqual(done.graph);
    }),
    { numRuns: 400 },
  );
});

test("undo to the start and redo to the end is exact, with any edits between answers", () => {
  fc.assert(
    fc.property(GRAPHS, fc.array(STEPS, { maxLength: 30 }), (graph, steps) => {
      const open: Open[] = [];
      let design = settled(designOf(beginning(written(graph, {}))));
      for (const step of steps) design = acted(design, step, open);
      const states = [...design.past, design.present, ...design.future];
      let there = design;
      while (there.past.length > 0) there = undo(there);
      for (const state of states.slice(1)) {
        expect(there.present).not.toBe(state);
        there = redo(there);
        expect(there.present).toBe(state);
      }
      expect(redo(there)).toBe(there);
    }),
  );
});

test("canvas edits are all in the text at the end", () => {
  fc.assert(
    fc.property(
      GRAPHS,
      fc.array(EDITS, { maxLength: 15 }),
      fc.array(fc.boolean(), { minLength: 15, maxLength: 15 }),
      (graph, edits, pauses) => {
        let slow = settled(designOf(beginning(written(graph, {}))));
        let quick = slow;
        for (const [index, edit] of edits.entries()) {
          slow = editGraph(slow, edit);
          quick = settled(editGraph(quick, edit));
          if (pauses[index]) slow = settled(slow);
        }
        expect(settled(slow).present.graph).toEqual(quick.present.graph);
        expect(settled(slow).present.comments).toEqual(quick.present.comments);
      },
    ),
  );
});
