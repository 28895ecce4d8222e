import { expect, test } from "vitest";
import { type AuthAnswer, type FlowData, faultsByField, pageOf, providerSentence, safeNext, stepOf } from "./signIn";

const LOGIN = { id: "login" };

function answer(...flows: FlowData["flows"] & object): AuthAnswer<FlowData> {
  return { status: 401, data: { flows }, meta: { is_authenticated: false } };
}

test.each([
  ["a session opens what was asked for", { status: 200 }, "/t/demo/runs"],
  ["being signed in already does so too", { status: 409 }, "/t/demo/runs"],
  ["nobody signed in", answer(LOGIN), "/sign-in?next=%2Ft%2Fdemo%2Fruns"],
  [
    "a second factor is asked for",
    answer(LOGIN, { id: "mfa_authenticate", is_pending: true, types: ["totp"] }),
    "/sign-in/second-factor?next=%2Ft%2Fdemo%2Fruns",
  ],
  [
    "the address is not verified",
    answer(LOGIN, { id: "verify_email", is_pending: true }),
    "/verify-email?next=%2Ft%2Fdemo%2Fruns",
  ],
  [
    "a provider gave no address",
    answer({ id: "provider_signup", is_pending: true }),
    "/sign-up/finish?next=%2Ft%2Fdemo%2Fruns",
  ],
] as const)("the next page: %s", (_, given, page) => {
  expect(pageOf(stepOf(given), "/t/demo/runs")).toBe(page);
});

test("a flow that is possible but not started is no step", () => {
  expect(stepOf(answer(LOGIN, { id: "verify_email" }))).toEqual({ kind: "signed_out" });
});

test("a refused signed-in person must confirm their identity, in the ways that the server names", () => {
  const flows = [{ id: "reauthenticate" }, { id: "mfa_reauthenticate", types: ["totp"] as const }];
  expect(stepOf({ status: 401, data: { flows }, meta: { is_authenticated: true } })).toEqual({
    kind: "confirm",
    flows,
  });
});

test("the second factor's kinds reach the page", () => {
  const types = ["webauthn", "recovery_codes"] as const;
  expect(stepOf(answer({ id: "mfa_authenticate", is_pending: true, types }))).toEqual({ kind: "second_factor", types });
});

test("an unknown step is reported, not ignored", () => {
  expect(stepOf(answer({ id: "verify_phone", is_pending: true }))).toEqual({ kind: "unknown", flow: "verify_phone" });
});

test("errors appear at their fields, several of one field together, the rest at the form", () => {
  const found = faultsByField([
    { message: "too short", code: "password_too_short", param: "password" },
    { message: "It is blue.", code: "blue", param: "password" },
    { message: "Closed.", code: "closed" },
  ]);
  expect(found).toEqual({
    password: "This password is too short. Use at least 12 characters. It is blue.",
    "": "Closed.",
  });
});

test("an unknown error of a provider still says what to do", () => {
  expect(providerSentence("moon")).toMatch(/Try again/);
});

test("after signing in, the requested address opens", () => {
  expect(safeNext("/t/demo/runs")).toBe("/t/demo/runs");
});

test.each([
  null,
  "",
  "https://elsewhere.example",
  "//elsewhere.example",
  "/\\elsewhere.example",
  "/\t/elsewhere.example",
  "/\n\\elsewhere.example",
  "javascript:alert(1)",
])("%s is not one of our addresses", (next) => {
  expect(safeNext(next)).toBe("/");
});
