/** Responses of allauth's headless API, and the next page for each. */

export type FactorKind = "totp" | "recovery_codes" | "webauthn";

export interface Flow {
  id: string;
  is_pending?: boolean;
  types?: readonly FactorKind[];
  provider?: { id: string; name: string };
}

export interface AuthFault {
  message: string;
  code?: string;
  param?: string;
}

export interface AuthAnswer<T = unknown> {
  status: number;
  data?: T;
  meta?: { is_authenticated?: boolean };
  errors?: readonly AuthFault[];
}

export interface FlowData {
  flows?: readonly Flow[];
}

/** A person's state during sign-in. `confirm`: signed in, but must confirm their identity again. */
export type Step =
  | { kind: "signed_in" }
  | { kind: "signed_out" }
  | { kind: "second_factor"; types: readonly FactorKind[] }
  | { kind: "mailbox" }
  | { kind: "finish_sign_up"; provider: string }
  | { kind: "confirm"; flows: readonly Flow[] }
  | { kind: "unknown"; flow: string };

function pendingStep(flow: Flow): Step {
  switch (flow.id) {
    case "mfa_authenticate":
      return { kind: "second_factor", types: flow.types ?? [] };
    case "verify_email":
      return { kind: "mailbox" };
    case "provider_signup":
      return { kind: "finish_sign_up", provider: flow.provider?.name ?? "" };
    default:
      return { kind: "unknown", flow: flow.id };
  }
}

/** Return the step in a response. */
export function stepOf(answer: AuthAnswer<FlowData>): Step {
  const flows = answer.data?.flows ?? [];
  if (answer.status === 200 || answer.status === 409) return { kind: "signed_in" };
  if (answer.meta?.is_authenticated === true) return { kind: "confirm", flows };
  const pending = flows.find((flow) => flow.is_pending === true);
  return pending === undefined ? { kind: "signed_out" } : pendingStep(pending);
}

const PAGES: Partial<Record<Step["kind"], string>> = {
  signed_out: "/sign-in",
  second_factor: "/sign-in/second-factor",
  mailbox: "/verify-email",
  finish_sign_up: "/sign-up/finish",
};

/** Return the page of a step; `next` is the page that the person wanted, kept until they are signed in. */
export function pageOf(step: Step, next: string): string {
  const page = PAGES[step.kind];
  return page === undefined ? next : withNext(page, next);
}

export function withNext(page: string, next: string): string {
  return next === "/" ? page : `${page}?next=${encodeURIComponent(next)}`;
}

/** Return only our own addresses: others would send a person who just signed in to a foreign site. */
export function safeNext(next: string | null): string {
  // Browsers drop tabs and line ends from addresses: with one in between, "/" and "/elsewhere" become "//elsewhere".
  return next?.startsWith("/") && !/^\/[/\\]|[\t\n\r]/.test(next) ? next : "/";
}

/** Messages for codes where Django's own messages don't say what to do. */
const SENTENCES: Record<string, string> = {
  required: "This field is required.",
  "email invalid": "Enter a valid email address, for example name@company.example.",
  incorrect_code: "This code is wrong or was already used. Enter the current one.",
  account_inactive: "This account is disabled. Contact your administrator.",
  email_taken: "An account with this address already exists. Sign in, or reset its password.",
  password_too_short: "This password is too short. Use at least 12 characters.",
  password_too_common: "This password is too common. Choose a less common one.",
  password_too_similar: "This password is too similar to your address. Choose another one.",
  duplicate_email: "You already have this address. Enter another one.",
  same_as_current: "This is the current one. Choose another one.",
  max_email_addresses: "You have reached the maximum number of addresses. Remove one first.",
  unverified_email: "Verify your email address first: open the link in the email that we sent you.",
  cannot_remove_primary_email: "You sign in with this address. Switch to another one first.",
  no_password: "Set a password first, or you could not sign in any more.",
  no_verified_email: "Verify your email address first, or you could not sign in any more.",
};

/** Return the message of one error. */
export function sentenceOf({ code = "", param = "", message }: AuthFault): string {
  return SENTENCES[code] ?? SENTENCES[`${param} ${code}`] ?? message;
}

/** Return the messages by field; `""` has those without a field. */
export function faultsByField(errors: readonly AuthFault[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const each of errors) {
    const field = each.param ?? "";
    const sentence = sentenceOf(each);
    found[field] = found[field] === undefined ? sentence : `${found[field]} ${sentence}`;
  }
  return found;
}

const PROVIDER_SENTENCES: Record<string, string> = {
  cancelled: "You cancelled the sign-in with your provider. Nothing was changed.",
  denied: "Your provider did not confirm your identity. Try again, or sign in another way.",
  signup_closed: "You have no account here, and accounts are by invitation only. Ask an administrator to invite you.",
  permission_denied: "This account is not allowed to sign in here. Contact your administrator.",
  reauthentication_required: "Confirm your identity first: sign out, sign in again, then connect the account.",
  connected_other: "This account is connected to another person here. Disconnect it there first.",
};

/** Return the message for a person whom a provider redirected with `error` in the address. */
export function providerSentence(error: string): string {
  return (
    PROVIDER_SENTENCES[error] ??
    "Sign-in with your provider failed. Try again. If it keeps failing, contact your administrator."
  );
}
