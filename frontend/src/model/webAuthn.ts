/** Passkeys as JSON, as servers write them, and as buffers, as browsers want them. */

export function toBase64Url(bytes: ArrayBuffer): string {
  const binary = Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Throws for what is not base64url. */
export function fromBase64Url(text: string): ArrayBuffer {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0)).buffer;
}

type DescriptorJson = PublicKeyCredentialDescriptorJSON;

function descriptor({ id, ...rest }: DescriptorJson): PublicKeyCredentialDescriptor {
  return { ...rest, id: fromBase64Url(id) } as PublicKeyCredentialDescriptor;
}

/** What `navigator.credentials.create` takes. */
export function creationOptions(json: PublicKeyCredentialCreationOptionsJSON): PublicKeyCredentialCreationOptions {
  return {
    ...json,
    challenge: fromBase64Url(json.challenge),
    user: { ...json.user, id: fromBase64Url(json.user.id) },
    excludeCredentials: (json.excludeCredentials ?? []).map(descriptor),
  } as object as PublicKeyCredentialCreationOptions;
}

/** What `navigator.credentials.get` takes. */
export function requestOptions(json: PublicKeyCredentialRequestOptionsJSON): PublicKeyCredentialRequestOptions {
  return {
    ...json,
    challenge: fromBase64Url(json.challenge),
    allowCredentials: (json.allowCredentials ?? []).map(descriptor),
  } as object as PublicKeyCredentialRequestOptions;
}

/** The part of a browser's answer that is read here; password managers give objects without `toJSON`. */
export interface Credential {
  id: string;
  rawId: ArrayBuffer;
  type: string;
  authenticatorAttachment: string | null;
  getClientExtensionResults: () => object;
}

export interface Attestation {
  clientDataJSON: ArrayBuffer;
  attestationObject: ArrayBuffer;
}

export interface Assertion {
  clientDataJSON: ArrayBuffer;
  authenticatorData: ArrayBuffer;
  signature: ArrayBuffer;
  userHandle: ArrayBuffer | null;
}

function common(credential: Credential) {
  return {
    id: credential.id,
    rawId: toBase64Url(credential.rawId),
    type: credential.type,
    authenticatorAttachment: credential.authenticatorAttachment ?? undefined,
    clientExtensionResults: credential.getClientExtensionResults(),
  };
}

/** A new passkey for the server. */
export function registrationJson(credential: Credential & { response: Attestation }) {
  const { clientDataJSON, attestationObject } = credential.response;
  return {
    ...common(credential),
    response: { clientDataJSON: toBase64Url(clientDataJSON), attestationObject: toBase64Url(attestationObject) },
  };
}

/** A passkey's signature for the server. */
export function authenticationJson(credential: Credential & { response: Assertion }) {
  const { clientDataJSON, authenticatorData, signature, userHandle } = credential.response;
  return {
    ...common(credential),
    response: {
      clientDataJSON: toBase64Url(clientDataJSON),
      authenticatorData: toBase64Url(authenticatorData),
      signature: toBase64Url(signature),
      userHandle: userHandle === null ? undefined : toBase64Url(userHandle),
    },
  };
}
