/** What allauth's headless API answers, and which page comes next. */

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

/** Where somebody stands on the way in. `confirm`: signed in, but must show again that it is really them. */
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

/** What an answer of an authentication address means. */
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

/** The page of a step; `next` is where the person wanted to go, kept until they are in. */
export function pageOf(step: Step, next: string): string {
  const page = PAGES[step.kind];
  return page === undefined ? next : withNext(page, next);
}

export function withNext(page: string, next: string): string {
  return next === "/" ? page : `${page}?next=${encodeURIComponent(next)}`;
}

/** Only an address of ours: anything else would send a user who just signed in to a stranger. */
export function safeNext(next: string | null): string {
  // Browsers drop tabs and line ends before they read an address: behind one, "/" and "/elsewhere" are "//elsewhere".
  return next?.startsWith("/") && !/^\/[/\\]|[\t\n\r]/.test(next) ? next : "/";
}

/** Where Django's sentences only say what is wrong, these say what to do as well. */
const SENTENCES: Record<string, string> = {
  required: "This is missing. Fill it in.",
  "email invalid": "This is not an e-mail address. Write it like name@company.example.",
  incorrect_code: "This code is wrong or was used already. Type the one that is shown now.",
  account_inactive: "This account is switched off. Ask whoever runs this installation.",
  email_taken: "There is an account with this address already. Sign in, or reset its password.",
  password_too_short: "This password is too short. Use at least 12 characters.",
  password_too_common: "This password is too common. Choose one that others would not think of.",
  password_too_similar: "This password is too much like your address. Choose another one.",
  duplicate_email: "This address is yours already. Choose another one.",
  same_as_current: "This is the same as now. Choose another one.",
  max_email_addresses: "You have as many addresses as are allowed. Remove one first.",
  unverified_email: "Verify your e-mail address first: open the link in the mail that you were sent.",
  cannot_remove_primary_email: "You sign in with this address. Change to another one first.",
  no_password: "Set a password first; without it you could not sign in any more.",
  no_verified_email: "Verify your e-mail address first; without it you could not sign in any more.",
};

/** The sentence of one fault for its reader. */
export function sentenceOf({ code = "", param = "", message }: AuthFault): string {
  return SENTENCES[code] ?? SENTENCES[`${param} ${code}`] ?? message;
}

/** The sentences by the field that they belong to; `""` holds those of no field. */
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
  cancelled: "You stopped at the other page. Nothing was changed; try again when you like.",
  denied: "The other page refused to say who you are. Try again, or sign in another way.",
  signup_closed: "There is no account for you here, and nobody can sign up alone. Ask an administrator to invite you.",
  permission_denied: "This account may not sign in here. Ask whoever runs this installation.",
  reauthentication_required: "Confirm that it is you first: sign out, sign in again, and connect the account then.",
  connected_other: "This account is connected to somebody else here. Disconnect it there first.",
};

/** What to tell somebody whom a provider sent back with `error` in the address. */
export function providerSentence(error: string): string {
  return (
    PROVIDER_SENTENCES[error] ??
    "Signing in at the other page did not succeed. Try again; if it stays, ask whoever runs this installation."
  );
}
