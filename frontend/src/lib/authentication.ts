/** Requests to allauth's headless API. Its answers 200 and 401 are steps; whatever else it says is thrown. */

import {
  type AuthAnswer,
  type AuthFault,
  type Flow,
  type FlowData,
  faultsByField,
  type Step,
  stepOf,
} from "../model/signIn";
import { csrfToken, failureOf } from "./api";
import { FieldFailure } from "./fieldFailure";
import { sendForm } from "./sendForm";

const AUTH = "/_allauth/browser/v1";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The server wants to be sure who sits here before it does this; `flows` are the ways to show it. */
export class ConfirmationNeeded extends Error {
  readonly flows: readonly Flow[];

  constructor(flows: readonly Flow[]) {
    super("Confirm that it is you, then try again.");
    this.name = "ConfirmationNeeded";
    this.flows = flows;
  }
}

const SAID: Record<number, string> = {
  0: "The server cannot be reached. Check that it runs and that you are connected, then try again.",
  401: "You are signed out. Sign in again.",
  403: "This page was open for too long, or you may not do this. Reload the page and try again.",
  404: "This is not offered here. Ask whoever runs this installation.",
  409: "This was done already or is no longer possible. Reload the page to see how things stand.",
  429: "Too many attempts. Wait a few minutes and try again.",
};

function refusal(status: number, errors: readonly AuthFault[]): FieldFailure {
  const fields = faultsByField(errors);
  const said = fields[""] ?? SAID[status] ?? `The server answered with status ${status}. Try again in a minute.`;
  return new FieldFailure(status, Object.keys(fields).length > 0 ? (fields[""] ?? "") : said, fields);
}

function headers(body: object | undefined): Record<string, string> {
  const always = { Accept: "application/json", "X-CSRFToken": csrfToken() };
  return body === undefined ? always : { ...always, "Content-Type": "application/json" };
}

interface Asked {
  body?: object;
  headers?: Record<string, string>;
  /** Statuses that are answers too. */
  also?: readonly number[];
}

/** Ask; 200, 401 and what `also` names are answers. Throws `FieldFailure` for everything else. */
export async function ask<T>(method: Method, path: string, asked: Asked = {}): Promise<AuthAnswer<T & FlowData>> {
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

/** Ask for a step on the way in. */
export async function takeStep(path: string, body?: object): Promise<Step> {
  const answer = await ask(body === undefined ? "GET" : "POST", path, {
    ...(body === undefined ? {} : { body }),
    also: [409],
  });
  return stepOf(answer);
}

/** Ask for something of the account of who is signed in. Throws `ConfirmationNeeded` too. */
export async function askAccount<T>(method: Method, path: string, asked: Asked = {}): Promise<AuthAnswer<T>> {
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
/** Works for who is on the way in or signed in. */
export const verifyEmail = (key: string) => takeStep("/auth/email/verify", { key });

/** What a refusal of a key says has no field to stand at: the key came by mail. */
async function askWithKey<T>(path: string, header: string, key: string): Promise<T | undefined> {
  try {
    return (await ask<T>("GET", path, { headers: { [header]: key } })).data;
  } catch (error) {
    throw error instanceof FieldFailure ? new Error(error.fields.key ?? error.message) : error;
  }
}

/** The address of a key that came by mail. Throws when the key is used or too old. */
export async function addressOfKey(key: string): Promise<string> {
  const found = await askWithKey<{ email: string }>("/auth/email/verify", "X-Email-Verification-Key", key);
  return found?.email ?? "";
}

/** Throws when the key of a reset is used or too old. */
export async function checkResetKey(key: string): Promise<true> {
  await askWithKey("/auth/password/reset", "X-Password-Reset-Key", key);
  return true;
}

/** Leave these pages for a provider's; it sends the person back to `callback`. */
export function goToProvider(provider: string, callback: string, process: "login" | "connect"): void {
  sendForm(`${AUTH}/auth/provider/redirect`, { provider, process, callback_url: callback });
}
