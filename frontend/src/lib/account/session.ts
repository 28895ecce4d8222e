/** The signed-in person and their permissions; `authentication.ts` handles signing in. */

import { useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";
import { permissionReason } from "../../messages/organisation/reasons";
import type { Me, MyOrganisation, Permission, PermissionMatrix } from "../../model/api";
import { ApiFailure, api, unwrap } from "../api/client";

export const ME = ["me"] as const;

/** Return the signed-in person; null without one. */
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

/** Return the slug in the address; empty outside organisations. */
export function useSlug(): string {
  return useParams().slug ?? "";
}

export function useOrganisation(): MyOrganisation | undefined {
  const slug = useSlug();
  return useMe().data?.organisations.find((each) => each.slug === slug);
}

/** The permissions of each role, with descriptions. */
export function usePermissionMatrix() {
  return useQuery({
    queryKey: ["permissions"],
    queryFn: (): Promise<PermissionMatrix> => unwrap(api.GET("/api/permissions/")),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Return whether the person's role allows it here; the server checks again. */
export function useMay(permission: Permission): boolean {
  return useOrganisation()?.permissions.includes(permission) ?? false;
}

/** Return why the person's role does not allow it here, for a disabled control; null if allowed. */
export function useReason(permission: Permission): string | null {
  const organisation = useOrganisation();
  const matrix = usePermissionMatrix().data;
  if (organisation === undefined) return "You are not a member of this organisation.";
  if (organisation.permissions.includes(permission)) return null;
  return permissionReason(matrix, organisation.role, permission);
}
