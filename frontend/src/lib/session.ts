/** Who is signed in, and what they may do; the way in is in `authentication.ts`. */

import { useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";
import type { Me, MyOrganisation, Permission, PermissionMatrix } from "../model/api";
import { permissionReason } from "../model/reasons";
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

/** What each role may do, in words too. */
export function usePermissionMatrix() {
  return useQuery({
    queryKey: ["permissions"],
    queryFn: (): Promise<PermissionMatrix> => unwrap(api.GET("/api/permissions/")),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Whether my role allows it here; the server decides again. */
export function useMay(permission: Permission): boolean {
  return useOrganisation()?.permissions.includes(permission) ?? false;
}

/** Why my role does not allow it here, for a disabled control; null if it does. */
export function useReason(permission: Permission): string | null {
  const organisation = useOrganisation();
  const matrix = usePermissionMatrix().data;
  if (organisation === undefined) return "You do not belong to this organisation.";
  if (organisation.permissions.includes(permission)) return null;
  return permissionReason(matrix, organisation.role, permission);
}
