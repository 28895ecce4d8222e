import { expect, test } from "vitest";
import type { MemberResponse, PermissionMatrix, Role } from "../../model/api";
import { permissionReason, removalReason, roleReason, rolesWithin } from "./reasons";

const MATRIX: PermissionMatrix = {
  roles: [
    { role: "viewer", words: "", permissions: ["view"] },
    { role: "designer", words: "", permissions: ["view", "edit"] },
    { role: "operator", words: "", permissions: ["view", "operate"] },
    { role: "admin", words: "", permissions: ["view", "edit", "operate", "administer"] },
    { role: "owner", words: "", permissions: ["view", "edit", "operate", "administer", "own"] },
  ],
  permissions: [
    { permission: "operate", allows: "start and stop bindings" },
    { permission: "own", allows: "delete the organisation" },
  ],
};

const person = (email: string, role: Role, me = false): MemberResponse => ({
  id: email,
  email,
  role,
  me,
  joined_at: "2026-11-22T00:00:00Z",
  second_factor: null,
});

test("a reason names the role, the missing permission, and the roles that have it", () => {
  expect(permissionReason(MATRIX, "designer", "operate")).toBe(
    "Your role designer can't start and stop bindings; operator, admin or owner can.",
  );
  expect(permissionReason(MATRIX, "admin", "own")).toBe("Your role admin can't delete the organisation; owner can.");
});

test("there is no reason if the role has the permission", () => {
  expect(permissionReason(MATRIX, "operator", "operate")).toBeNull();
});

test("a reason exists even before the descriptions are loaded", () => {
  expect(permissionReason(undefined, "viewer", "edit")).toContain("viewer");
});

test("a role may assign roles without additional permissions", () => {
  expect(rolesWithin(MATRIX, "designer")).toEqual(["viewer", "designer"]);
  expect(rolesWithin(MATRIX, "admin")).toEqual(["viewer", "designer", "operator", "admin"]);
  expect(rolesWithin(undefined, "owner")).toEqual([]);
});

test("an admin can change all members except owners", () => {
  const mine = { role: "admin", administer: null, owners: 2 } as const;
  expect(roleReason(person("a@x", "viewer"), mine)).toBeNull();
  expect(roleReason(person("o@x", "owner"), mine)).toContain("o@x is an owner");
});

test("the last owner can't be demoted or leave, one of two can", () => {
  const mine = { role: "owner", administer: null, owners: 1 } as const;
  expect(roleReason(person("o@x", "owner", true), mine)).toContain("last owner");
  expect(removalReason(person("o@x", "owner", true), mine)).toContain("last owner");
  expect(removalReason(person("o@x", "owner", true), { ...mine, owners: 2 })).toBeNull();
});

test("a viewer may leave and remove nobody else", () => {
  const mine = { role: "viewer", administer: "Your role viewer may not.", owners: 1 } as const;
  expect(removalReason(person("v@x", "viewer", true), mine)).toBeNull();
  expect(removalReason(person("d@x", "designer"), mine)).toBe("Your role viewer may not.");
});
