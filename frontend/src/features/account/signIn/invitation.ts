/** The invitation that the person followed, until it is accepted. */

import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "../../../lib/api/client";
import { useNext } from "./onward";

export const INVITATION_PAGE = "/invitation";

const KEY = "punctual-invitation";

/**
 * Stored during sign-in, which may lead through another tab. The token is useless to anybody who does not own the
 * invited address, and no server receives it in an address.
 */
export function keepInvitation(text: string): void {
  try {
    localStorage.setItem(KEY, text);
  } catch {
    // Storage is refused: the link of the mail has to be opened again after signing in.
  }
}

export function keptInvitation(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

export function forgetInvitation(): void {
  try {
    localStorage.removeItem(KEY);
  } catch {
    // Nothing was kept.
  }
}

/** Load an invitation. The server stores it in the session, so that its holder may sign up. */
export function useLook(token: string | null) {
  return useQuery({
    queryKey: ["invitation", token],
    queryFn: () => unwrap(api.POST("/api/invitations/look/", { body: { token: token ?? "" } })),
    enabled: token !== null,
    staleTime: 60_000,
  });
}

/** Return the invitation with which somebody signs in or up; null without one. */
export function useInvitation() {
  const invited = useNext() === INVITATION_PAGE;
  return useLook(invited ? keptInvitation() : null).data ?? null;
}
