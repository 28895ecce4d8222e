/** Who is signed in, and what they may do; the way in is in `authentication.ts`. */

import { useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";
import type { Me, MyOrganisation, Permission } from "../model/api";
import { ApiFailure, api, unwrap } from "./api";

export const ME = ["me"] as const;

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
