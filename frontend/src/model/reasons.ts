/** Why something may not be done, in a sentence that says who may. */

import type { MemberShown, Permission, PermissionMatrix, Role } from "./api";

function either(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

/** Null: `role` may. `matrix` is undefined until it is loaded. */
export function permissionReason(
  matrix: PermissionMatrix | undefined,
  role: Role,
  permission: Permission,
): string | null {
  if (matrix === undefined) return `Your role ${role} may not do this; ask an admin or owner.`;
  const may = matrix.roles.filter((each) => each.permissions.includes(permission)).map((each) => each.role);
  if (may.includes(role)) return null;
  const allows = matrix.permissions.find((each) => each.permission === permission)?.allows ?? permission;
  return `Your role ${role} may not ${allows}; ${either(may)} may.`;
}

/** The roles that may do nothing that `role` may not: those that it may give to a program or a person. */
export function rolesWithin(matrix: PermissionMatrix | undefined, role: Role): Role[] {
  const mine = matrix?.roles.find((each) => each.role === role)?.permissions ?? [];
  return (matrix?.roles ?? [])
    .filter((each) => each.permissions.every((permission) => mine.includes(permission)))
    .map((each) => each.role);
}

export interface Standing {
  role: Role;
  /** Why I may not administer; null if I may. */
  administer: string | null;
  /** How many own the organisation. */
  owners: number;
}

function untouchable(member: MemberShown, mine: Standing): string | null {
  if (member.role !== "owner") return null;
  if (mine.role !== "owner")
    return `${member.email} is an owner, whom your role ${mine.role} may not change; owner may.`;
  if (mine.owners > 1) return null;
  return `${member.email} is the last owner. Make somebody else owner first.`;
}

/** Why the role of a member cannot be changed by me; null if it can. */
export function roleReason(member: MemberShown, mine: Standing): string | null {
  return mine.administer ?? untouchable(member, mine);
}

/** Why a member cannot be removed by me, or cannot leave; null if it goes. */
export function removalReason(member: MemberShown, mine: Standing): string | null {
  return (member.me ? null : mine.administer) ?? untouchable(member, mine);
}
