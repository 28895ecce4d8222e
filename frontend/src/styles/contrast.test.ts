import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { OUTCOMES } from "../model/run/outcomes";

const CSS = readFileSync(join(import.meta.dirname, "tokens.css"), "utf8");

function tokensOf(block: string | undefined): Map<string, string> {
  return new Map([...(block ?? "").matchAll(/--([\w-]+):\s*(#[0-9a-f]{6})/g)].map((m) => [m[1] ?? "", m[2] ?? ""]));
}

function blockAfter(selector: string): Map<string, string> {
  return tokensOf(CSS.slice(CSS.indexOf(selector)).split("}")[0]);
}

function luminance(colour: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const PAIRS = [
  ...["surface", "ground", "sunken"].flatMap((ground) =>
    ["ink", "ink-2", "accent"].map((ink) => [ink, ground] as const),
  ),
  ...OUTCOMES.flatMap((outcome) => [[outcome, "surface"] as const, [outcome, "sunken"] as const]),
  ...["good", "busy", "bad", "warn"].map((tone) => [tone, `${tone}-soft`] as const),
  ["on-accent", "accent"] as const,
  ["on-bad", "strong-bad"] as const,
  ["accent", "accent-soft"] as const,
];

const LIGHT = blockAfter(":root {");
const SYSTEM_DARK = blockAfter(':root:not([data-theme="light"])');
const CHOSEN_DARK = blockAfter(':root[data-theme="dark"]');

test.each([
  ["light", LIGHT],
  ["dark", CHOSEN_DARK],
])("every text reaches WCAG AA on its background: %s", (_, tokens) => {
  const low = PAIRS.filter(([ink, ground]) => !(contrast(tokens.get(ink) ?? "", tokens.get(ground) ?? "") >= 4.5));
  expect(low).toEqual([]);
});

test("the system's dark theme equals the chosen one, and both have every colour of the light theme", () => {
  expect([...SYSTEM_DARK]).toEqual([...CHOSEN_DARK]);
  expect([...CHOSEN_DARK.keys()].toSorted()).toEqual([...LIGHT.keys()].toSorted());
});
