import { RETRY_AFTER } from "../text/retryAfterSnippet";

/** Programs that read the rows of an output; a token replaces YOUR_TOKEN. */

const HEADER = "Authorization: Bearer YOUR_TOKEN";

/** Return the address of an output in the API. */
export function outputAddress(origin: string, slug: string, binding: string, output: string): string {
  return `${origin}/api/t/${slug}/bindings/${binding}/outputs/${output}`;
}

/** Return shell commands that show the rows that stand, and follow the stream. */
export function curlSnippet(address: string): string {
  return [
    "# The rows that stand at the output's CTI",
    `curl -H '${HEADER}' '${address}/current/'`,
    "",
    "# Every committed row, then each new one; continue with -H 'Last-Event-ID: ID'",
    `curl -N -H '${HEADER}' -H 'Accept: text/event-stream' '${address}/stream/'`,
  ].join("\n");
}

/** Return a Python program, using only the standard library, that receives each committed row once. */
export function pythonSnippet(address: string): string {
  return `import email.utils, http.client, json, time, urllib.error, urllib.request

${RETRY_AFTER}

def events(last=None):
    """Yield each event after the id \`last\`: its id, its name and its data.

    After \`restarted\`, discard all rows received before. \`rows_missing\` counts rows whose files are missing.
    """
    while True:
        headers = {"Authorization": "Bearer YOUR_TOKEN", "Accept": "text/event-stream"}
        if last:
            headers["Last-Event-ID"] = last
        request = urllib.request.Request(${JSON.stringify(`${address}/stream/`)}, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                fields = {}
                for line in answer:
                    name, _, value = line.decode().rstrip("\\n").partition(": ")
                    if name:
                        fields[name] = value
                        continue
                    last = fields.get("id", last)
                    if "data" in fields:
                        yield last, fields["event"], json.loads(fields["data"])
                    fields = {}
            time.sleep(2)
        except urllib.error.HTTPError as error:
            if error.code not in (429, 502, 503, 504):
                raise SystemExit(error.read().decode())
            time.sleep(retry_after(error))
        except (OSError, http.client.HTTPException):
            time.sleep(2)

for cursor, name, data in events():
    print(cursor, name, data)`;
}
