/** Organisations and invitations outside of an organisation's own addresses. */

import type { InvitationLooked } from "../model/api";
import { csrfToken, failureOf } from "./api";

async function post<T>(path: string, body: object): Promise<T> {
  const headers = { Accept: "application/json", "Content-Type": "application/json", "X-CSRFToken": csrfToken() };
  const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
  const answer: unknown = await response.json().catch(() => null);
  if (!response.ok) throw failureOf(response.status, answer);
  return answer as T;
}

/** What an invitation says. The server remembers it for this session, so that its holder may sign up. */
export const lookAtInvitation = (token: string) => post<InvitationLooked>("/api/invitations/look/", { token });
export const acceptInvitation = (token: string) => post<{ slug: string }>("/api/invitations/accept/", { token });
export const createOrganisation = (name: string, slug: string) =>
  post<{ slug: string }>("/api/organisations/", { name, slug });
export const stopImpersonation = () => post<unknown>("/api/impersonation/stop/", {});
