/** The invitation that brought somebody here, until it is accepted. */

import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "../../lib/api";
import { useNext } from "./onward";

export const INVITATION_PAGE = "/invitation";

const KEY = "punctual-invitation";

/**
 * Kept across the way in, which may lead through another tab. It opens nothing for whoever does not own the invited
 * address, and stands in no address that is sent to a server.
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

/** What the invitation says. The server remembers it for this session, so that its holder may sign up. */
export function useLook(token: string | null) {
  return useQuery({
    queryKey: ["invitation", token],
    queryFn: () => unwrap(api.POST("/api/invitations/look/", { body: { token: token ?? "" } })),
    enabled: token !== null,
    staleTime: 60_000,
  });
}

/** The invitation on whose account somebody signs in or up; null when they came without one. */
export function useInvitation() {
  const invited = useNext() === INVITATION_PAGE;
  return useLook(invited ? keptInvitation() : null).data ?? null;
}
