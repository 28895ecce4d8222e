/** Creating and using passkeys: the browser's dialog between two requests to the server. */

import {
  type Assertion,
  type Attestation,
  authenticationJson,
  type Credential,
  creationOptions,
  registrationJson,
  requestOptions,
} from "../../model/account/webAuthn";
import { ask, askAccount, takeStep } from "./authentication";

export function passkeysWork(): boolean {
  return "PublicKeyCredential" in window && window.isSecureContext;
}

const NOT_GIVEN =
  "No passkey was used: the browser's dialog was closed or found no passkey. Try again, or sign in another way.";
const KNOWN_ALREADY =
  "This device already has a passkey for this account. Use it, or add a passkey from another device.";

/** Replace the browser's technical errors with readable ones. */
async function awaitPasskey<T>(asking: Promise<unknown>): Promise<T> {
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

/** Let the browser sign the challenge of the address `path`. */
async function signed(path: string): Promise<object> {
  const answer = await ask<Requested>("GET", path);
  const options = answer.data?.request_options;
  if (options === undefined) throw new Error("The sign-in has expired. Start again.");
  const credential = await awaitPasskey<Credential & { response: Assertion }>(
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

/** Create a passkey that signs in without a second step. Returns whether the server also created recovery codes. */
export async function addPasskey(name: string): Promise<boolean> {
  const path = "/account/authenticators/webauthn";
  const begun = await askAccount<Begun>("GET", `${path}?passwordless`);
  const options = begun.data?.creation_options;
  if (options === undefined)
    throw new Error("The server did not start the creation of a passkey. Reload the page and try again.");
  const credential = await awaitPasskey<Credential & { response: Attestation }>(
    navigator.credentials.create({ publicKey: creationOptions(options.publicKey) }),
  );
  const body = { name, credential: registrationJson(credential), passwordless: true };
  const made = await askAccount("POST", path, { body });
  return (made.meta as { recovery_codes_generated?: boolean } | undefined)?.recovery_codes_generated === true;
}
