import { useQuery } from "@tanstack/react-query";
import { askAccount } from "../../lib/account/authentication";
import { api, unwrap } from "../../lib/api/client";
import type { FactorKind } from "../../model/account/signIn";

/** Load whether sign-up is open, and the providers of this installation. */
export function useSignInOptions() {
  return useQuery({
    queryKey: ["sign-in", "options"],
    queryFn: () => unwrap(api.GET("/api/sign-in/")),
    staleTime: 60_000,
  });
}

export interface Address {
  email: string;
  verified: boolean;
  primary: boolean;
}

/** A second factor or passkey; times are in seconds since 1970. */
export interface Authenticator {
  type: FactorKind;
  id?: number;
  name?: string;
  created_at: number;
  last_used_at: number | null;
  is_passwordless?: boolean;
  total_code_count?: number;
  unused_code_count?: number;
  unused_codes?: readonly string[];
}

export interface Session {
  id: number;
  user_agent: string;
  ip: string;
  created_at: number;
  last_seen_at?: number;
  is_current: boolean;
}

export interface Connection {
  uid: string;
  display: string;
  provider: { id: string; name: string };
}

export const ADDRESSES = "/account/email";
export const AUTHENTICATORS = "/account/authenticators";
export const SESSIONS = "/auth/sessions";
export const CONNECTIONS = "/account/providers";

interface Listed {
  [ADDRESSES]: readonly Address[];
  [AUTHENTICATORS]: readonly Authenticator[];
  [SESSIONS]: readonly Session[];
  [CONNECTIONS]: readonly Connection[];
}

/** Load the account's items at an address of allauth. */
export function useListed<P extends keyof Listed>(path: P) {
  return useQuery({
    queryKey: ["account", path],
    queryFn: async () => (await askAccount<Listed[P]>("GET", path)).data as Listed[P],
  });
}
