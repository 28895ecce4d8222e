/** The options of a kind of input or output in words, from the schema of its options. */

import type { FormField } from "../../model/forms/schemaForm";

export interface OptionDoc {
  name: string;
  title: string;
  holds: string;
  /** Empty: required. */
  initial: string;
  help: string;
}

const HOLDS: Record<FormField["kind"], string> = {
  text: "text",
  lines: "multi-line text",
  secret: "a secret: stored encrypted, never shown again",
  integer: "a whole number",
  number: "a number",
  boolean: "yes or no",
  choice: "",
  json: "JSON",
  group: "",
};

function initialOf({ kind, initial, required }: FormField): string {
  if (required) return "";
  if (typeof initial === "boolean") return initial ? "yes" : "no";
  if (kind === "secret" || initial === "" || typeof initial === "object") return "none";
  return initial;
}

/** Return the options in the order of the form; nested ones are named `outer.inner`. */
export function optionDocs(fields: readonly FormField[], outer = ""): OptionDoc[] {
  return fields.flatMap((field) => {
    const name = `${outer}${field.name}`;
    if (field.kind === "group") return optionDocs(field.fields, `${name}.`);
    const holds = field.kind === "choice" ? field.choices.map((each) => `“${each}”`).join(", ") : HOLDS[field.kind];
    return [{ name, title: field.title, holds, initial: initialOf(field), help: field.help }];
  });
}
