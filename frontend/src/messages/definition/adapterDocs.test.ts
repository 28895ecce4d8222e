import { expect, test } from "vitest";
import { formFields } from "../../model/forms/schemaForm";
import { optionDocs } from "./adapterDocs";

test("each option has its type, its default and its help", () => {
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
