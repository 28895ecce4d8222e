/** Making and using passkeys: the browser's dialog between two requests to the server. */

import {
  type Assertion,
  type Attestation,
  authenticationJson,
  type Credential,
  creationOptions,
  registrationJson,
  requestOptions,
} from "../model/webAuthn";
import { ask, askAccount, takeStep } from "./authentication";

export function passkeysWork(): boolean {
  return "PublicKeyCredential" in window && window.isSecureContext;
}

const NOT_GIVEN = "No passkey was given: the browser's dialog was closed or found none. Try again, or use another way.";
const KNOWN_ALREADY = "This device holds a passkey for this account already. Use it, or add one of another device.";

/** The browser's own errors are for programmers; these are for people. */
async function given<T>(asking: Promise<unknown>): Promise<T> {
  try {
    const credential = await asking;
    if (credential !== null) return credential as T;
  } catch (error) {
    if (error instanceof DOMException && error.name === "InvalidStateError") throw new Error(KNOWN_ALREADY);
    if (!(error instanceof DOMException)) throw error;
  }
  throw new Error(NOT_GIVEN);
}

interface Requested {
  request_options: { publicKey: PublicKeyCredentialRequestOptionsJSON };
}

/** Let the browser sign what the address `path` asks for. */
async function signed(path: string): Promise<object> {
  const answer = await ask<Requested>("GET", path);
  const options = answer.data?.request_options;
  if (options === undefined) throw new Error("You waited too long. Sign in from the beginning.");
  const credential = await given<Credential & { response: Assertion }>(
    navigator.credentials.get({ publicKey: requestOptions(options.publicKey) }),
  );
  return { credential: authenticationJson(credential) };
}

async function stepByPasskey(path: string) {
  return takeStep(path, await signed(path));
}

export const signInByPasskey = () => stepByPasskey("/auth/webauthn/login");
export const answerByPasskey = () => stepByPasskey("/auth/webauthn/authenticate");
export const confirmByPasskey = () => stepByPasskey("/auth/webauthn/reauthenticate");

interface Begun {
  creation_options: { publicKey: PublicKeyCredentialCreationOptionsJSON };
}

/** Make a passkey that signs in alone. Returns whether the server made recovery codes with it. */
export async function addPasskey(name: string): Promise<boolean> {
  const path = "/account/authenticators/webauthn";
  const begun = await askAccount<Begun>("GET", `${path}?passwordless`);
  const options = begun.data?.creation_options;
  if (options === undefined) throw new Error("The server offered no passkey. Reload the page and try again.");
  const credential = await given<Credential & { response: Attestation }>(
    navigator.credentials.create({ publicKey: creationOptions(options.publicKey) }),
  );
  const body = { name, credential: registrationJson(credential), passwordless: true };
  const made = await askAccount("POST", path, { body });
  return (made.meta as { recovery_codes_generated?: boolean } | undefined)?.recovery_codes_generated === true;
}
