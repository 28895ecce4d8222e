import type { StreamDefinition } from "../api";
import { RETRY_AFTER } from "../text/retryAfterSnippet";

const EXAMPLES: Record<string, unknown> = {
  long: 42,
  double: 1.5,
  string: "text",
  boolean: true,
  decimal: "9.99",
  timestamp: "2026-11-23T10:00:00Z",
};
const START = "2026-11-23T10:00:00Z";
const END = "2026-11-23T10:05:00Z";
const UNITS: Record<string, number> = { s: 1, ms: 1_000, us: 1_000_000, ns: 1_000_000_000 };

function example(type: string): unknown {
  if (type.startsWith("array")) return [];
  const name = Object.keys(EXAMPLES).find((each) => type.startsWith(each));
  return name === undefined ? null : EXAMPLES[name];
}

function instant(text: string, unit: string | undefined): unknown {
  const factor = UNITS[unit ?? "iso"];
  return factor === undefined ? text : (Date.parse(text) / 1000) * factor;
}

function exampleTimes({ shape, event_time: time }: StreamDefinition): Record<string, unknown> {
  const row: Record<string, unknown> = { [time?.start.column ?? "start"]: instant(START, time?.start.unit) };
  if (shape === "interval") row[time?.end?.column ?? "end"] = instant(END, time?.end?.unit);
  if (shape === "edge") row[time?.edge ?? "edge"] = "start";
  return row;
}

/** Return an example row of the stream, with a value of each field's type and with its event time. */
export function exampleRow(definition: StreamDefinition): Record<string, unknown> {
  const row = definition.rowtime === "implicit" ? {} : exampleTimes(definition);
  for (const [name, type] of Object.entries(definition.fields)) {
    if (!(name in row)) row[name] = example(type);
  }
  return row;
}

/** Quote a text for a shell with single quotes; a quote inside ends and restarts the quoting. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

export interface PushAddress {
  url: string;
  token: string;
  row: Record<string, unknown>;
}

/** Return the shell command that pushes one row. */
export function curlSnippet({ url, token, row }: PushAddress): string {
  return [
    `curl ${quoted(url)} \\`,
    `  -H ${quoted(`Authorization: Bearer ${token}`)} \\`,
    `  -H 'Content-Type: application/x-ndjson' \\`,
    `  -H "Idempotency-Key: $(uuidgen)" \\`,
    `  --data-binary ${quoted(JSON.stringify(row))}`,
  ].join("\n");
}

/** Return a Python program, using only the standard library, that pushes batches and retries until they are stored. */
export function pythonSnippet({ url, token, row }: PushAddress): string {
  return `import email.utils, json, time, urllib.error, urllib.request, uuid

${RETRY_AFTER}

def push(rows):
    """Send up to a few hundred rows; return when they are stored exactly once."""
    request = urllib.request.Request(
        ${JSON.stringify(url)},
        data="\\n".join(json.dumps(row, allow_nan=False) for row in rows).encode(),
        headers={
            "Authorization": ${JSON.stringify(`Bearer ${token}`)},
            "Content-Type": "application/x-ndjson",
            "Idempotency-Key": str(uuid.uuid4()),
        },
    )
    while True:
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code not in (429, 503):
                raise SystemExit(error.read().decode())
            time.sleep(retry_after(error))
        except urllib.error.URLError:
            time.sleep(5)

push([json.loads(${JSON.stringify(JSON.stringify(row))})])`;
}
