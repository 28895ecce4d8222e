/** Changes of an input's time settings, one at a time, for trials in the simulator. */

import type { AdvanceTimeSettings } from "../api";
import { parseDuration, type Ticks } from "../time/ticks";

type Generate = NonNullable<AdvanceTimeSettings["generate"]>;
export type Late = NonNullable<AdvanceTimeSettings["late"]>;

const UNITS: readonly (readonly [string, Ticks])[] = [
  ["d", 86_400_000_000],
  ["h", 3_600_000_000],
  ["m", 60_000_000],
  ["s", 1_000_000],
  ["ms", 1_000],
];

/** Return an exact duration in the notation of definitions: `12s`, `1500ms`, `-1tick`, `0s`. */
export function durationText(ticks: Ticks): string {
  if (ticks === 0) return "0s";
  if (ticks === -1) return "-1tick";
  const [unit, size] = UNITS.find(([, each]) => ticks % each === 0) ?? ["us", 1];
  return `${ticks / size}${unit}`;
}

/** The presets (T9), each with its initial arguments. */
export const PRESETS: readonly (readonly [string, string])[] = [
  ["watermark", "watermark(5s)"],
  ["increasing_start_time", "increasing_start_time"],
  ["strictly_increasing_start_time", "strictly_increasing_start_time"],
  ["rowtime", "rowtime"],
  ["lenses", "lenses"],
  ["spl_event_time", "spl_event_time(5s, 1s)"],
  ["azure", "azure(5s, 1h, drop)"],
];

const CALLED = /^\s*([a-z_]+)\s*(?:\((.*)\))?\s*$/;

interface Preset {
  name: string;
  given: string[];
}

export function readPreset(text: string): Preset {
  const [, name = text, given] = CALLED.exec(text) ?? [];
  return { name, given: given === undefined || given.trim() === "" ? [] : given.split(",").map((each) => each.trim()) };
}

/** Presets whose first argument is the delay. */
const DELAYED = new Set(["watermark", "spl_event_time", "azure"]);

/** The settings of presets without arguments (T9), so that single settings can be changed. */
const SPELLED: Record<string, { generate: Generate; late: Late }> = {
  increasing_start_time: { generate: { every: 1, delay: 0, basis: "last", final: true }, late: "drop" },
  strictly_increasing_start_time: { generate: { every: 1, delay: "-1tick", basis: "last", final: true }, late: "drop" },
  rowtime: { generate: { every: 1, delay: 0, basis: "last", final: false }, late: "drop" },
  lenses: { generate: { every: 1, delay: 0, basis: "max", final: false }, late: "keep" },
};

const BASE: Generate = { every: 1, delay: 0, basis: "max", final: true };

function spelledOut(settings: AdvanceTimeSettings): AdvanceTimeSettings {
  if (settings.preset == null) return settings;
  const { name, given } = readPreset(settings.preset);
  const delay = DELAYED.has(name) ? (given[0] ?? 0) : 0;
  const late: Late = name === "spl_event_time" ? "keep" : name === "azure" && given[2] === "shift" ? "shift" : "drop";
  const spelled = SPELLED[name] ?? { generate: { ...BASE, delay, final: false }, late };
  return { ...settings, preset: null, ...spelled };
}

/** Return the delay of generated CTIs, in ticks; null if no CTIs are generated. */
export function delayOf(settings: AdvanceTimeSettings | undefined): Ticks | null {
  if (settings === undefined) return null;
  const generate = spelledOut(settings).generate;
  return generate == null ? null : parseDuration(generate.delay ?? 0);
}

/** Return the settings with this delay; a preset with a delay argument keeps its name. */
export function withDelay(settings: AdvanceTimeSettings | undefined, delay: Ticks): AdvanceTimeSettings {
  const text = durationText(delay);
  if (settings?.preset != null) {
    const { name, given } = readPreset(settings.preset);
    if (DELAYED.has(name)) return { ...settings, preset: `${name}(${[text, ...given.slice(1)].join(", ")})` };
  }
  const spelled = spelledOut(settings ?? {});
  return { ...spelled, generate: { ...(spelled.generate ?? BASE), delay: text }, late: spelled.late ?? "drop" };
}

/** Return the settings with this late policy. */
export function withLate(settings: AdvanceTimeSettings | undefined, late: Late): AdvanceTimeSettings {
  return { ...spelledOut(settings ?? {}), late };
}

/** Return the late policy in force. */
export function lateOf(settings: AdvanceTimeSettings | undefined): Late {
  return spelledOut(settings ?? {}).late ?? "drop";
}

/** Return the settings with a change to the generated CTIs. */
export function withGenerate(
  settings: AdvanceTimeSettings | undefined,
  change: Partial<Generate>,
): AdvanceTimeSettings {
  const spelled = spelledOut(settings ?? {});
  return { ...spelled, generate: { ...(spelled.generate ?? BASE), ...change }, late: spelled.late ?? "drop" };
}

/** Return another preset with its usual arguments; null: custom settings, initially those of the preset. */
export function withPreset(settings: AdvanceTimeSettings | undefined, name: string | null): AdvanceTimeSettings {
  if (name === null) {
    const spelled = spelledOut(settings ?? {});
    return { ...spelled, generate: spelled.generate ?? BASE, late: spelled.late ?? "drop" };
  }
  const rest = { ...(settings ?? {}), generate: null, late: null };
  return { ...rest, preset: PRESETS.find(([each]) => each === name)?.[1] ?? name };
}

/** Return the settings without generated CTIs: only sent or copied CTIs advance time. */
export function withoutGenerate(settings: AdvanceTimeSettings | undefined): AdvanceTimeSettings {
  return { ...spelledOut(settings ?? {}), generate: null, late: lateOf(settings) };
}

/** Return the settings with the CTIs of another input copied (T26); null: not copied. */
export function withImport(settings: AdvanceTimeSettings | undefined, source: string | null): AdvanceTimeSettings {
  const late = settings?.preset == null ? { late: lateOf(settings) } : {};
  return { ...(settings ?? {}), ...late, import_from: source };
}

/** Return the settings of generated CTIs, whether written in full or as a preset. */
export function generateOf(settings: AdvanceTimeSettings | undefined): Generate | null {
  return spelledOut(settings ?? {}).generate ?? null;
}

/**
 * Return the label of the settings in force: `today` for those of the query and its streams, `tried` if others replace
 * them for one of `inputs`.
 */
export function forceWord(tried: Readonly<Record<string, unknown>>, inputs: readonly string[]): "today" | "tried" {
  return inputs.some((input) => tried[input] !== undefined) ? "tried" : "today";
}
