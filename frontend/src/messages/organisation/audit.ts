/** Audit events in words, and the differences between two states as lines. */

import type { AuditEventResponse } from "../../model/api";

/** Actions by their name in the log; a test compares them with those that the server records. */
export const ACTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  stream: {
    created: "created a stream",
    replaced: "changed a stream",
    deleted: "deleted a stream",
    sampled: "sampled a stream",
  },
  query: {
    created: "created a query",
    version_made: "saved a version of a query",
    text_replaced: "changed the text of a query",
    labelled: "changed tags or owner of a query",
    nodes_moved: "moved nodes of a query on the canvas",
    deleted: "deleted a query",
  },
  scenario: { created: "created a scenario", replaced: "changed a scenario", deleted: "deleted a scenario" },
  binding: {
    created: "created a binding",
    replaced: "changed a binding",
    deleted: "deleted a binding",
    refused_deleted: "put aside refused requests of an output",
    repaired: "repaired results of a binding",
    change_begun: "started a version change of a running binding",
    change_cancelled: "cancelled a version change of a binding",
  },
  run: {
    started: "started a run",
    stopped: "stopped a run",
    failed: "recorded the failure of a run",
    lost: "lost contact with a run",
    ended: "recorded the end of a run",
  },
  file: {
    brought: "uploaded a file",
    replaced: "replaced a file",
    downloaded: "downloaded a file",
    deleted: "deleted a file",
  },
  board: {
    created: "created a board",
    version_made: "saved a version of a board",
    renamed: "renamed a board",
    deleted: "deleted a board",
  },
  alert: { acknowledged: "acknowledged an alert" },
  incident: { opened: "opened an incident", taken: "took an incident", resolved: "resolved an incident" },
  annotation: { created: "wrote a note", deleted: "deleted a note" },
  silence: { created: "silenced alerts", ended: "ended a silence of alerts" },
  channel: {
    created: "created a channel of alerts",
    replaced: "changed a channel of alerts",
    deleted: "deleted a channel of alerts",
    tested: "sent a test to a channel of alerts",
  },
  alert_rule: { changed: "changed a rule of alerts", reset: "reset a rule of alerts" },
  upload: { cancelled: "cancelled an upload" },
  footprint: {
    left: "left a footprint on another server",
    removed: "removed a footprint from another server",
    put_aside: "put aside a footprint on another server",
  },
  results: { deleted: "deleted results", exported: "exported results" },
  quarantine: { deleted: "deleted quarantine", exported: "exported quarantine" },
  confirmation: {
    requested: "asked for the confirmation of a plan",
    confirmed: "confirmed a plan",
    refused: "refused a plan",
    carried_out: "carried out a plan",
  },
  definitions: { applied: "applied definitions", exported: "exported definitions" },
  member: {
    joined: "joined",
    role_changed: "changed the role of a member",
    removed: "removed a member",
    left: "left the organisation",
  },
  invitation: {
    created: "invited a person",
    resent: "sent an invitation again",
    revoked: "revoked an invitation",
    accepted: "accepted an invitation",
    role_changed: "changed the role of an invitation",
  },
  service_account: {
    created: "created a service account",
    replaced: "changed a service account",
    deleted: "deleted a service account",
  },
  token: { created: "created a token", renamed: "renamed a token", revoked: "revoked a token" },
  organisation: {
    created: "created the organisation",
    renamed: "renamed the organisation",
    transferred: "transferred the organisation",
    deletion_asked: "requested the deletion of the organisation",
    deletion_taken_back: "cancelled the deletion",
    deleted: "deleted the organisation",
  },
  export: {
    requested: "requested an export",
    link_made: "created a link to an export",
    downloaded: "downloaded an export",
    deleted: "deleted an export",
  },
  audit: { exported: "exported the audit log" },
  limit: { set: "set a limit" },
  runner: { given: "assigned an own runner to the organisation", taken_back: "removed the organisation's own runner" },
  person: {
    signed_up: "signed up",
    signed_in: "signed in",
    signed_out: "signed out",
    sign_in_failed: "failed to sign in",
    password_set: "set a password",
    password_changed: "changed the password",
    password_reset: "reset the password",
    reset_link_made: "created a link to reset a password",
    rights_changed: "changed a person's permissions",
    address_added: "added an email address",
    address_changed: "changed the email address",
    address_verified: "verified an email address",
    address_removed: "removed an email address",
  },
  provider: { connected: "connected a sign-in provider", disconnected: "disconnected a sign-in provider" },
  second_factor: {
    added: "added a second factor",
    made_anew: "renewed a second factor",
    removed: "removed a second factor",
    refused: "entered a wrong second factor",
  },
  impersonation: { started: "started impersonating a member", ended: "stopped impersonating a member" },
};

/** Return `changed a stream` for `stream.replaced`; for a newer server's `stream.renamed_all` `stream: renamed all`. */
export function actionWords(action: string): string {
  const [area = "", what = ""] = action.split(".");
  return ACTIONS[area]?.[what] ?? [area, what].map(plainWords).join(": ");
}

function plainWords(name: string): string {
  return name.replaceAll("_", " ");
}

/** Return an event's object as people know it: `stream cars`. */
export function targetWords({ kind, label }: AuditEventResponse["target"]): string {
  return label === "" ? plainWords(kind) : `${plainWords(kind)} ${label}`;
}

/** Return `service accounts` for `service_account`. */
export function areaWords(area: string): string {
  if (area === "person") return "people";
  const words = plainWords(area);
  return /^(results|quarantine|definitions|audit|impersonation)$/.test(area)
    ? words
    : words.replace(/y$/, "ie").concat("s");
}

/** Return the actor, with an impersonating administrator or the token of a program. */
export function actorWords({ actor }: Pick<AuditEventResponse, "actor">): string {
  const by = actor.impersonator === null ? actor.label : `${actor.impersonator} as ${actor.label}`;
  if (actor.kind === "service") return `${by} (service account)`;
  return actor.kind === "token" ? `${by} (by a token)` : by;
}

export interface Difference {
  /** `advance.delay`, or `inputs[0].stream`. */
  path: string;
  /** Undefined: absent before. */
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

type State = AuditEventResponse["before"];

const leaves = (state: State) =>
  state === null || Object.keys(state).length === 0 ? new Map() : flatten(state, "", new Map());

/** Return an event's changes, one line for each differing value, in the order of the states. */
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

/** Return the lengths of the longest common subsequences of both remainders from each position on. */
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

/** Return the next line; `lengths` shows in which direction the most lines are kept. */
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

/** Return the lines of both texts in one order. */
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

/** Return two multi-line texts as one, with removed and added lines; null if that would not be easier to read. */
export function lineDifference(before: string | undefined, after: string | undefined): Line[] | null {
  if (before === undefined || after === undefined) return null;
  const old = before.split("\n");
  const fresh = after.split("\n");
  const longest = Math.max(old.length, fresh.length);
  return longest < 2 || longest > MOST_LINES ? null : merged(old, fresh, common(old, fresh));
}

/** The page's filters as in its address; empty: no filter. Times are in UTC, `2026-11-22T01:00`. */
export interface AuditFilters {
  action: string;
  actor: string;
  target: string;
  since: string;
  until: string;
}

export const FILTERS = ["action", "actor", "target", "since", "until"] as const;

/** Return the filters for the API: only active ones, times with their offset. */
export function wantedEvents(filters: AuditFilters): Partial<AuditFilters> {
  const wanted: Partial<AuditFilters> = {};
  for (const name of FILTERS) {
    const value = filters[name].trim();
    if (value !== "") wanted[name] = name === "since" || name === "until" ? `${value}Z` : value;
  }
  return wanted;
}
