/** A link that reproduces what is seen: query, sample, and where one looks at it, compressed behind the # of an address. */

import type { AdvanceTimeSettings } from "../api";
import type { EndMode, SampleItem } from "./sample";

export interface LinkedState {
  text: string;
  /** The rows of the sample, and the marks of micro-batches between them. */
  rows: readonly SampleItem[];
  end: EndMode;
  /** Settings of time, by input, that are tried and not in the text. */
  tried: Readonly<Record<string, AdvanceTimeSettings>>;
  /** Which of the ways to see the simulation is open. */
  tab: string;
  /** How many rows have arrived; null: all. */
  scrub: number | null;
  /** The number of the selected row, or the id of the selected pane or result. */
  selected: { kind: "row" | "pane" | "result"; id: number } | null;
}

export const LINK_NAME = "simulation=";

/** Longer addresses are cut by some programs through which people send them. */
export const LONGEST_LINK = 16_000;

async function through(bytes: Uint8Array<ArrayBuffer>, stream: CompressionStream | DecompressionStream) {
  const piped = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(piped).arrayBuffer());
}

/** The part of an address behind its #. */
export async function linkOf(state: LinkedState): Promise<string> {
  const packed = await through(new TextEncoder().encode(JSON.stringify(state)), new CompressionStream("deflate-raw"));
  let binary = "";
  for (const byte of packed) binary += String.fromCharCode(byte);
  return LINK_NAME + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** What a link says; null where it is none of ours, or was cut on its way. */
export async function stateOfLink(fragment: string): Promise<LinkedState | null> {
  const found = fragment.replace(/^#/, "");
  if (!found.startsWith(LINK_NAME)) return null;
  try {
    const binary = atob(found.slice(LINK_NAME.length).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (sign) => sign.charCodeAt(0));
    const text = new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw")));
    const state = { tried: {}, tab: "timeline", ...JSON.parse(text) } as LinkedState;
    return typeof state.text === "string" && Array.isArray(state.rows) ? state : null;
  } catch {
    return null;
  }
}
