/** The API client: typed by OpenAPI, with the CSRF header on writes; every error is an `ApiFailure`. */

import createClient, { type Middleware } from "openapi-fetch";
import type { paths } from "../../generated/api";
import type { ErrorEnvelope, Fault } from "../../model/api";
import { parseExactly } from "../../model/text/exactJson";
import { fetchChanged } from "./unchanged";

/** An error response, or a server that can't be reached (status 0). The message is for the user. */
export class ApiFailure extends Error {
  readonly status: number;
  readonly code: string;
  readonly faults: readonly Fault[];

  constructor(status: number, envelope: ErrorEnvelope) {
    super(envelope.message);
    this.name = "ApiFailure";
    this.status = status;
    this.code = envelope.code;
    this.faults = envelope.faults;
  }
}

export const UNREACHABLE: ErrorEnvelope = {
  code: "unreachable",
  message: "The server can't be reached. Check that it is running and that you are connected, then try again.",
  faults: [],
};

function isEnvelope(body: unknown): body is ErrorEnvelope {
  return typeof body === "object" && body !== null && "code" in body && "message" in body;
}

export function failureOf(status: number, body: unknown): ApiFailure {
  if (isEnvelope(body)) return new ApiFailure(status, { ...body, faults: body.faults ?? [] });
  const message = `The server answered with status ${status} without an explanation. Try again. If it keeps failing, check the server's log.`;
  return new ApiFailure(status, { code: "unexplained", message, faults: [] });
}

export function csrfToken(): string {
  const found = /(?:^|; )(?:__Host-)?csrftoken=([^;]*)/.exec(document.cookie);
  return decodeURIComponent(found?.[1] ?? "");
}

const READS = new Set(["GET", "HEAD", "OPTIONS"]);

const csrf: Middleware = {
  onRequest({ request }) {
    if (!READS.has(request.method)) request.headers.set("X-CSRFToken", csrfToken());
    return request;
  },
  onError() {
    return new ApiFailure(0, UNREACHABLE);
  },
};

/** Parse bodies with sixteen or more digits in a row exactly; only these could be rounded by JSON.parse. */
const exactLongs: Middleware = {
  async onResponse({ response }) {
    if (!response.ok || response.status === 204) return undefined;
    const text = await response.text();
    const body = /\d{16}/.test(text) ? JSON.stringify(parseExactly(text)) : text;
    return new Response(body, { status: response.status, headers: response.headers });
  },
};

export const api = createClient<paths>({
  baseUrl: window.location.origin,
  fetch: fetchChanged,
});
api.use(csrf, exactLongs);

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** Return the body of a response. Throws `ApiFailure` for an error response. */
export async function unwrap<T>(answering: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await answering;
  if (!response.ok) throw failureOf(response.status, error);
  return data as T;
}

/** Return the message to show for anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "Something went wrong. Reload the page and try again.";
}

/** Return true if the object does not exist, was deleted, or is not accessible any more. */
export function isGone(error: unknown): boolean {
  return error instanceof ApiFailure && error.status === 404;
}

export function faultsOf(error: unknown): readonly Fault[] {
  return error instanceof ApiFailure ? error.faults : [];
}
