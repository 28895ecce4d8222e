/** Signing in and out by allauth's headless API, and who is signed in. */

import { useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";
import type { Me, MyOrganisation, Permission } from "../model/api";
import { ApiFailure, api, csrfToken, failureOf, unwrap } from "./api";

export const ME = ["me"] as const;

const AUTH = "/_allauth/browser/v1";

/** Null: nobody is signed in. */
export async function fetchMe(): Promise<Me | null> {
  try {
    return await unwrap(api.GET("/api/me/"));
  } catch (error) {
    if (error instanceof ApiFailure && (error.status === 401 || error.status === 403)) return null;
    throw error;
  }
}

export function useMe() {
  return useQuery({ queryKey: ME, queryFn: fetchMe, staleTime: 60_000 });
}

/** The slug in the address; empty outside an organisation. */
export function useSlug(): string {
  return useParams().slug ?? "";
}

export function useOrganisation(): MyOrganisation | undefined {
  const slug = useSlug();
  return useMe().data?.organisations.find((each) => each.slug === slug);
}

/** Whether my role allows it here; the server decides again. */
export function useMay(permission: Permission): boolean {
  return useOrganisation()?.permissions.includes(permission) ?? false;
}

async function authRequest(path: string, method: "GET" | "POST" | "DELETE", body?: object): Promise<Response> {
  const headers: Record<string, string> = { Accept: "application/json", "X-CSRFToken": csrfToken() };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const init: RequestInit = { method, headers, credentials: "same-origin" };
  if (body !== undefined) init.body = JSON.stringify(body);
  try {
    return await fetch(`${AUTH}${path}`, init);
  } catch {
    throw failureOf(0, {
      code: "unreachable",
      message: "The server cannot be reached. Check that it runs and that you are connected, then try again.",
      faults: [],
    });
  }
}

interface AuthErrors {
  errors?: { message: string }[];
}

const SAID: Record<number, string> = {
  401: "Signing in needs one more step that these pages do not offer yet. Ask whoever runs this installation.",
  403: "The sign-in page was open for too long. Reload it and try again.",
  429: "Too many attempts. Wait a few minutes and try again.",
};

/** Sign in. Throws an error with a sentence for the user. */
export async function signIn(email: string, password: string): Promise<void> {
  await authRequest("/config", "GET"); // sets the CSRF cookie where it is missing
  const response = await authRequest("/auth/login", "POST", { email, password });
  if (response.ok || response.status === 409) return; // 409: signed in already
  if (response.status === 400) {
    const body = (await response.json().catch(() => ({}))) as AuthErrors;
    const said = body.errors?.map((error) => error.message).join(" ");
    throw new Error(said || "The e-mail address or the password is wrong. Check both and try again.");
  }
  throw new Error(SAID[response.status] ?? `Signing in failed with status ${response.status}. Try again in a minute.`);
}

export async function signOut(): Promise<void> {
  await authRequest("/auth/session", "DELETE");
}
