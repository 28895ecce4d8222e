/** A link that reproduces the simulator's state: query, sample and view, compressed after the # of an address. */

import type { AdvanceTimeSettings } from "../../api";
import type { EndMode, SampleItem } from "./sample";

export interface LinkedState {
  text: string;
  /** The rows of the sample, with the marks of micro-batches between them. */
  rows: readonly SampleItem[];
  end: EndMode;
  /** Time settings on trial, by input, which are not in the text. */
  tried: Readonly<Record<string, AdvanceTimeSettings>>;
  /** The open view of the simulation. */
  tab: string;
  /** The number of arrived rows; null: all. */
  scrub: number | null;
  /** The number of the selected row, or the id of the selected pane, result or attempt. */
  selected: { kind: "row" | "pane" | "result" | "attempt"; id: number } | null;
}

export const LINK_NAME = "simulation=";

/** Some programs truncate longer addresses. */
export const LONGEST_LINK = 16_000;

async function through(bytes: Uint8Array<ArrayBuffer>, stream: CompressionStream | DecompressionStream) {
  const piped = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(piped).arrayBuffer());
}

/** Return the part of an address after its #. */
export async function linkOf(state: LinkedState): Promise<string> {
  const packed = await through(new TextEncoder().encode(JSON.stringify(state)), new CompressionStream("deflate-raw"));
  let binary = "";
  for (const byte of packed) binary += String.fromCharCode(byte);
  return LINK_NAME + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Return the state of a link; null for other or truncated links. */
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
