/** Requests to allauth's headless API. Responses 200 and 401 are steps; all others are thrown. */

import {
  type AuthAnswer,
  type AuthFault,
  type Flow,
  type FlowData,
  faultsByField,
  type Step,
  stepOf,
} from "../../model/account/signIn";
import { csrfToken, failureOf } from "../api/client";
import { FieldFailure } from "../api/fieldFailure";
import { sendForm } from "../api/sendForm";

const AUTH = "/_allauth/browser/v1";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The server requires the person to confirm their identity; `flows` are the ways to do that. */
export class ConfirmationNeeded extends Error {
  readonly flows: readonly Flow[];

  constructor(flows: readonly Flow[]) {
    super("Confirm that it is you, then try again.");
    this.name = "ConfirmationNeeded";
    this.flows = flows;
  }
}

const SAID: Record<number, string> = {
  0: "The server can't be reached. Check that it is running and that you are connected, then try again.",
  401: "You are signed out. Sign in again.",
  403: "This page was open for too long, or you are not allowed to do this. Reload the page and try again.",
  404: "This is not available here. Contact your administrator.",
  409: "This was already done or is no longer possible. Reload the page to see the current state.",
  429: "Too many attempts. Wait a few minutes and try again.",
};

function refusal(status: number, errors: readonly AuthFault[]): FieldFailure {
  const fields = faultsByField(errors);
  const message = fields[""] ?? SAID[status] ?? `The server answered with status ${status}. Try again in a minute.`;
  return new FieldFailure(status, Object.keys(fields).length > 0 ? (fields[""] ?? "") : message, fields);
}

function headers(body: object | undefined): Record<string, string> {
  const always = { Accept: "application/json", "X-CSRFToken": csrfToken() };
  return body === undefined ? always : { ...always, "Content-Type": "application/json" };
}

interface RequestOptions {
  body?: object;
  headers?: Record<string, string>;
  /** Statuses that count as responses, in addition to 200 and 401. */
  also?: readonly number[];
}

/** Send a request; 200, 401 and the statuses in `also` are responses. Throws `FieldFailure` for all others. */
export async function ask<T>(
  method: Method,
  path: string,
  asked: RequestOptions = {},
): Promise<AuthAnswer<T & FlowData>> {
  const init: RequestInit = { method, headers: { ...headers(asked.body), ...asked.headers } };
  if (asked.body !== undefined) init.body = JSON.stringify(asked.body);
  let response: Response;
  try {
    response = await fetch(`${AUTH}${path}`, init);
  } catch {
    throw refusal(0, []);
  }
  const answer = (await response.json().catch(() => ({}))) as AuthAnswer<T & FlowData>;
  if (response.ok || response.status === 401 || asked.also?.includes(response.status)) {
    return { ...answer, status: response.status };
  }
  if (response.status >= 500) throw failureOf(response.status, answer);
  throw refusal(response.status, answer.errors ?? []);
}

/** Request a step of the sign-in. */
export async function takeStep(path: string, body?: object): Promise<Step> {
  const answer = await ask(body === undefined ? "GET" : "POST", path, {
    ...(body === undefined ? {} : { body }),
    also: [409],
  });
  return stepOf(answer);
}

/** Request something about the signed-in person's account. Throws `ConfirmationNeeded` too. */
export async function askAccount<T>(method: Method, path: string, asked: RequestOptions = {}): Promise<AuthAnswer<T>> {
  const answer = await ask<T>(method, path, asked);
  if (answer.status !== 401) return answer as AuthAnswer<T>;
  const step = stepOf(answer);
  if (step.kind === "confirm") throw new ConfirmationNeeded(step.flows);
  throw refusal(401, []);
}

export const currentStep = () => takeStep("/auth/session");
export const signIn = (email: string, password: string) => takeStep("/auth/login", { email, password });
export const signOut = () => ask("DELETE", "/auth/session");

export const signUp = (email: string, password: string) => takeStep("/auth/signup", { email, password });
export const finishSignUp = (email: string) => takeStep("/auth/provider/signup", { email });
export const answerCode = (code: string) => takeStep("/auth/2fa/authenticate", { code });
export const askForReset = (email: string) => ask("POST", "/auth/password/request", { body: { email } });
export const resetPassword = (key: string, password: string) => takeStep("/auth/password/reset", { key, password });
export const confirmByPassword = (password: string) => takeStep("/auth/reauthenticate", { password });
export const confirmByCode = (code: string) => takeStep("/auth/2fa/reauthenticate", { code });
/** Works during sign-in and when signed in. */
export const verifyEmail = (key: string) => takeStep("/auth/email/verify", { key });

/** Send a key from an email. An error about the key belongs to no field of the form. */
async function askWithKey<T>(path: string, header: string, key: string): Promise<T | undefined> {
  try {
    return (await ask<T>("GET", path, { headers: { [header]: key } })).data;
  } catch (error) {
    throw error instanceof FieldFailure ? new Error(error.fields.key ?? error.message) : error;
  }
}

/** Return the address of an emailed key. Throws if the key is used or expired. */
export async function addressOfKey(key: string): Promise<string> {
  const found = await askWithKey<{ email: string }>("/auth/email/verify", "X-Email-Verification-Key", key);
  return found?.email ?? "";
}

/** Throws if the key of a reset is used or expired. */
export async function checkResetKey(key: string): Promise<true> {
  await askWithKey("/auth/password/reset", "X-Password-Reset-Key", key);
  return true;
}

/** Go to a provider's sign-in page; it redirects the person back to `callback`. */
export function goToProvider(provider: string, callback: string, process: "login" | "connect"): void {
  sendForm(`${AUTH}/auth/provider/redirect`, { provider, process, callback_url: callback });
}
