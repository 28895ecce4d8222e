/** Why an action isn't allowed, in a sentence that names the roles with the permission. */

import type { MemberResponse, Permission, PermissionMatrix, Role } from "../../model/api";

function either(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

/** Return null if `role` may. `matrix` is undefined until it is loaded. */
export function permissionReason(
  matrix: PermissionMatrix | undefined,
  role: Role,
  permission: Permission,
): string | null {
  if (matrix === undefined) return `Your role ${role} can't do this. Ask an admin or owner.`;
  const may = matrix.roles.filter((each) => each.permissions.includes(permission)).map((each) => each.role);
  if (may.includes(role)) return null;
  const allows = matrix.permissions.find((each) => each.permission === permission)?.allows ?? permission;
  return `Your role ${role} can't ${allows}; ${either(may)} can.`;
}

/** Return the roles without permissions that `role` lacks: those that it may assign to a program or a person. */
export function rolesWithin(matrix: PermissionMatrix | undefined, role: Role): Role[] {
  const mine = matrix?.roles.find((each) => each.role === role)?.permissions ?? [];
  return (matrix?.roles ?? [])
    .filter((each) => each.permissions.every((permission) => mine.includes(permission)))
    .map((each) => each.role);
}

export interface Standing {
  role: Role;
  /** The reason why the person may not administer; null if allowed. */
  administer: string | null;
  /** The number of owners of the organisation. */
  owners: number;
}

function untouchable(member: MemberResponse, mine: Standing): string | null {
  if (member.role !== "owner") return null;
  if (mine.role !== "owner")
    return `${member.email} is an owner. Your role ${mine.role} can't change owners; an owner can.`;
  if (mine.owners > 1) return null;
  return `${member.email} is the last owner. Assign another owner first.`;
}

/** Return why the person can't change a member's role; null if allowed. */
export function roleReason(member: MemberResponse, mine: Standing): string | null {
  return mine.administer ?? untouchable(member, mine);
}

/** Return why the person can't remove a member, or why a member can't leave; null if allowed. */
export function removalReason(member: MemberResponse, mine: Standing): string | null {
  return (member.me ? null : mine.administer) ?? untouchable(member, mine);
}
