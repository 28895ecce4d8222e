/** Conversion of passkeys between JSON, for servers, and buffers, for browsers. */

export function toBase64Url(bytes: ArrayBuffer): string {
  const binary = Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Throws for text that isn't base64url. */
export function fromBase64Url(text: string): ArrayBuffer {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0)).buffer;
}

type DescriptorJson = PublicKeyCredentialDescriptorJSON;

function descriptor({ id, ...rest }: DescriptorJson): PublicKeyCredentialDescriptor {
  return { ...rest, id: fromBase64Url(id) } as PublicKeyCredentialDescriptor;
}

/** Return the options for `navigator.credentials.create`. */
export function creationOptions(json: PublicKeyCredentialCreationOptionsJSON): PublicKeyCredentialCreationOptions {
  return {
    ...json,
    challenge: fromBase64Url(json.challenge),
    user: { ...json.user, id: fromBase64Url(json.user.id) },
    excludeCredentials: (json.excludeCredentials ?? []).map(descriptor),
  } as object as PublicKeyCredentialCreationOptions;
}

/** Return the options for `navigator.credentials.get`. */
export function requestOptions(json: PublicKeyCredentialRequestOptionsJSON): PublicKeyCredentialRequestOptions {
  return {
    ...json,
    challenge: fromBase64Url(json.challenge),
    allowCredentials: (json.allowCredentials ?? []).map(descriptor),
  } as object as PublicKeyCredentialRequestOptions;
}

/** The used part of a browser's response; password managers return objects without `toJSON`. */
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

/** Return a new passkey for the server. */
export function registrationJson(credential: Credential & { response: Attestation }) {
  const { clientDataJSON, attestationObject } = credential.response;
  return {
    ...common(credential),
    response: { clientDataJSON: toBase64Url(clientDataJSON), attestationObject: toBase64Url(attestationObject) },
  };
}

/** Return a passkey's signature for the server. */
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
