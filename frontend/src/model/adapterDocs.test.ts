import { expect, test } from "vitest";
import { optionDocs } from "./adapterDocs";
import { formFields } from "./schemaForm";

test("each option says what it holds, what it is when nothing is given, and why", () => {
  const docs = optionDocs(
    formFields({
      required: ["url"],
      properties: {
        url: { type: "string", title: "Address", description: "Where." },
        token: { anyOf: [{ type: "string", writeOnly: true }, { type: "null" }], default: null },
        rows: { type: "integer", default: 500 },
        ctis: { type: "boolean", default: false },
        form: { enum: ["a", "b"], default: "a" },
        more: { type: "object", properties: { key: { type: "array", default: [] } } },
      },
    }),
  );
  expect(docs.map(({ name, initial }) => [name, initial])).toEqual([
    ["url", ""],
    ["token", "none"],
    ["rows", "500"],
    ["ctis", "no"],
    ["form", "a"],
    ["more.key", "[]"],
  ]);
  expect(docs[0]).toEqual({ name: "url", title: "Address", holds: "text", initial: "", help: "Where." });
  expect(docs[1]?.holds).toContain("a secret");
  expect(docs[4]?.holds).toBe("“a”, “b”");
});
