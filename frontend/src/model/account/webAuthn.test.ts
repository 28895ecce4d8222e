import { expect, test } from "vitest";
import { authenticationJson, creationOptions, fromBase64Url, requestOptions, toBase64Url } from "./webAuthn";

const buffer = (...bytes: number[]) => Uint8Array.from(bytes).buffer;

test.each([
  [[], ""],
  [[0], "AA"],
  [[0, 16], "ABA"],
  [[251, 255, 191], "-_-_"],
  [[255, 254, 253, 252], "__79_A"],
] as const)("bytes %j are %j in base64url, and back", (bytes, text) => {
  expect(toBase64Url(buffer(...bytes))).toBe(text);
  expect([...new Uint8Array(fromBase64Url(text))]).toEqual([...bytes]);
});

test("a text that is not base64url is refused", () => {
  expect(() => fromBase64Url("not base64")).toThrow();
});

test("the challenge, the user and the known passkeys become buffers; the rest stays as it is", () => {
  const options = creationOptions({
    challenge: "AQI",
    rp: { id: "punctual.example", name: "Punctual" },
    user: { id: "Aw", name: "ada@punctual.example", displayName: "Ada" },
    pubKeyCredParams: [{ type: "public-key", alg: -7 }],
    excludeCredentials: [{ type: "public-key", id: "BA" }],
  });
  expect(options.challenge).toEqual(buffer(1, 2));
  expect(options.user).toEqual({ id: buffer(3), name: "ada@punctual.example", displayName: "Ada" });
  expect(options.excludeCredentials).toEqual([{ type: "public-key", id: buffer(4) }]);
  expect(options.rp).toEqual({ id: "punctual.example", name: "Punctual" });
});

test("a sign-in without a named passkey lets the browser choose one", () => {
  expect(requestOptions({ challenge: "AQI" }).allowCredentials).toEqual([]);
});

test("a security key without a user handle sends none", () => {
  const json = authenticationJson({
    id: "BA",
    rawId: buffer(4),
    type: "public-key",
    authenticatorAttachment: null,
    getClientExtensionResults: () => ({}),
    response: { clientDataJSON: buffer(1), authenticatorData: buffer(2), signature: buffer(3), userHandle: null },
  });
  expect(JSON.parse(JSON.stringify(json))).toEqual({
    id: "BA",
    rawId: "BA",
    type: "public-key",
    clientExtensionResults: {},
    response: { clientDataJSON: "AQ", authenticatorData: "Ag", signature: "Aw" },
  });
});
