/** Audit events in words, and what differs between two states as lines. */

import type { AuditEventShown } from "./api";

/** What was done, by its name in the log; a name that is not here is shown as it is. */
export const ACTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  stream: {
    created: "made a stream",
    replaced: "changed a stream",
    deleted: "deleted a stream",
    sampled: "sampled a stream",
  },
  query: {
    created: "made a query",
    version_made: "saved a version of a query",
    text_replaced: "changed the text of a query",
    nodes_moved: "moved nodes of a query on the canvas",
    deleted: "deleted a query",
  },
  scenario: { created: "made a scenario", replaced: "changed a scenario", deleted: "deleted a scenario" },
  binding: {
    created: "made a binding",
    replaced: "changed a binding",
    deleted: "deleted a binding",
    refused_deleted: "put aside what an output's target had refused",
  },
  run: {
    started: "started a run",
    stopped: "stopped a run",
    failed: "saw a run fail",
    lost: "lost sight of a run",
    ended: "saw a run end",
  },
  results: { deleted: "deleted results" },
  quarantine: { deleted: "deleted quarantine", exported: "took quarantine out as a file" },
  definitions: { applied: "applied definitions", exported: "exported definitions" },
  member: {
    joined: "joined",
    role_changed: "changed the role of a member",
    removed: "removed a member",
    left: "left the organisation",
  },
  invitation: {
    created: "invited somebody",
    resent: "sent an invitation again",
    revoked: "revoked an invitation",
    accepted: "accepted an invitation",
  },
  service_account: {
    created: "made a service account",
    replaced: "changed a service account",
    deleted: "deleted a service account",
  },
  token: { created: "made a token", revoked: "revoked a token" },
  organisation: {
    created: "made the organisation",
    renamed: "renamed the organisation",
    transferred: "handed the organisation over",
    deletion_asked: "asked for the deletion of the organisation",
    deletion_taken_back: "took the deletion back",
  },
  export: {
    requested: "asked for an export",
    link_made: "made a link to an export",
    downloaded: "downloaded an export",
  },
  audit: { exported: "exported the audit log" },
  limit: { set: "set a limit" },
  runner: { given: "gave the organisation a runner of its own", taken_back: "took back the organisation's own runner" },
  impersonation: { started: "began to act as a member", ended: "ended acting as a member" },
};

/** `changed a stream` for `stream.replaced`. */
export function actionWords(action: string): string {
  const [area = "", what = ""] = action.split(".");
  return ACTIONS[area]?.[what] ?? action;
}

/** `service accounts` for `service_account`. */
export function areaWords(area: string): string {
  const words = area.replaceAll("_", " ");
  return /^(results|quarantine|definitions|audit|impersonation)$/.test(area)
    ? words
    : words.replace(/y$/, "ie").concat("s");
}

/** Who acted: with the installation's admin who sat behind the session, and the token that a program used. */
export function actorWords({ actor }: Pick<AuditEventShown, "actor">): string {
  const by = actor.impersonator === null ? actor.label : `${actor.impersonator} as ${actor.label}`;
  if (actor.kind === "service") return `${by} (service account)`;
  return actor.kind === "token" ? `${by} (by a token)` : by;
}

export interface Difference {
  /** `advance.delay`, or `inputs[0].stream`. */
  path: string;
  /** Undefined: it was not there. */
  before: string | undefined;
  after: string | undefined;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function flatten(value: unknown, path: string, into: Map<string, string>): Map<string, string> {
  const nested = typeof value === "object" && value !== null && Object.keys(value).length > 0;
  if (!nested || (Array.isArray(value) && value.every((each) => typeof each !== "object"))) {
    into.set(path, text(value));
    return into;
  }
  for (const [name, each] of Object.entries(value)) {
    const at = Array.isArray(value) ? `${path}[${name}]` : path === "" ? name : `${path}.${name}`;
    flatten(each, at, into);
  }
  return into;
}

type State = AuditEventShown["before"];

const leaves = (state: State) =>
  state === null || Object.keys(state).length === 0 ? new Map() : flatten(state, "", new Map());

/** What the event changed, a line for each value that differs, in the order of the states. */
export function differences(before: State, after: State): Difference[] {
  const old: Map<string, string> = leaves(before);
  const fresh: Map<string, string> = leaves(after);
  return [...new Set([...old.keys(), ...fresh.keys()])]
    .map((path) => ({ path, before: old.get(path), after: fresh.get(path) }))
    .filter((each) => each.before !== each.after);
}

export interface Line {
  kind: "same" | "removed" | "added";
  text: string;
}

const MOST_LINES = 400;

/** The lengths of the longest common subsequences of what is left of both from each place on. */
function common(old: readonly string[], fresh: readonly string[]): number[][] {
  const lengths = Array.from({ length: old.length + 1 }, () => new Array<number>(fresh.length + 1).fill(0));
  const at = (row: number, column: number) => lengths[row]?.[column] ?? 0;
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = fresh.length - 1; column >= 0; column -= 1) {
      const same = old[row] === fresh[column];
      const length = same ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
      lengths[row]?.splice(column, 1, length);
    }
  }
  return lengths;
}

/** What becomes of the next line; `lengths` says on which way the most lines stay. */
function step(
  old: readonly string[],
  fresh: readonly string[],
  lengths: number[][],
  at: [number, number],
): Line["kind"] {
  const [row, column] = at;
  if (column >= fresh.length) return "removed";
  if (row >= old.length) return "added";
  if (old[row] === fresh[column]) return "same";
  return (lengths[row + 1]?.[column] ?? 0) >= (lengths[row]?.[column + 1] ?? 0) ? "removed" : "added";
}

/** The lines of both texts in one order. */
function merged(old: readonly string[], fresh: readonly string[], lengths: number[][]): Line[] {
  const lines: Line[] = [];
  let row = 0;
  let column = 0;
  while (row < old.length || column < fresh.length) {
    const kind = step(old, fresh, lengths, [row, column]);
    lines.push({ kind, text: (kind === "added" ? fresh[column] : old[row]) ?? "" });
    if (kind !== "added") row += 1;
    if (kind !== "removed") column += 1;
  }
  return lines;
}

/** Two texts of several lines as one, with what was removed and added; null where that would not help to read them. */
export function lineDifference(before: string | undefined, after: string | undefined): Line[] | null {
  if (before === undefined || after === undefined) return null;
  const old = before.split("\n");
  const fresh = after.split("\n");
  const longest = Math.max(old.length, fresh.length);
  return longest < 2 || longest > MOST_LINES ? null : merged(old, fresh, common(old, fresh));
}

/** The filters of the page, as its address keeps them; empty: everything. Times are of UTC, `2026-11-22T01:00`. */
export interface AuditFilters {
  action: string;
  actor: string;
  target: string;
  since: string;
  until: string;
}

export const FILTERS = ["action", "actor", "target", "since", "until"] as const;

/** The filters as the API takes them: only those that are set, times with their offset. */
export function wantedEvents(filters: AuditFilters): Partial<AuditFilters> {
  const wanted: Partial<AuditFilters> = {};
  for (const name of FILTERS) {
    const value = filters[name].trim();
    if (value !== "") wanted[name] = name === "since" || name === "until" ? `${value}Z` : value;
  }
  return wanted;
}
