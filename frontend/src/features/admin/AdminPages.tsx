import { Navigate, NavLink, Route, Routes } from "react-router";
import { useSlug } from "../../lib/account/session";
import { AuditPage } from "./audit/AuditPage";
import { MembersPage } from "./members/MembersPage";
import { RolesPage } from "./members/RolesPage";
import { LimitsPage } from "./organisation/LimitsPage";
import { OrganisationPage } from "./organisation/OrganisationPage";
import { ServiceAccountPage } from "./tokens/ServiceAccountPage";
import { ServiceAccountsPage } from "./tokens/ServiceAccountsPage";
import { TokensPage } from "./tokens/TokensPage";

const PAGES = [
  ["members", "Members"],
  ["roles", "Roles"],
  ["service-accounts", "Service accounts"],
  ["tokens", "Access tokens"],
  ["limits", "Limits"],
  ["audit", "Audit log"],
  ["organisation", "Settings"],
] as const;

/** The administration pages of an organisation with their navigation. */
export function AdminPages() {
  const slug = useSlug();
  return (
    <div className="admin">
      <nav className="side" aria-label="Organisation">
        {PAGES.map(([path, name]) => (
          <NavLink key={path} to={`/t/${slug}/admin/${path}`}>
            {name}
          </NavLink>
        ))}
      </nav>
      <div className="stack start">
        <Routes>
          <Route index element={<Navigate to="members" replace />} />
          <Route path="members" element={<MembersPage />} />
          <Route path="roles" element={<RolesPage />} />
          <Route path="service-accounts" element={<ServiceAccountsPage />} />
          <Route path="service-accounts/:account" element={<ServiceAccountPage />} />
          <Route path="tokens" element={<TokensPage />} />
          <Route path="limits" element={<LimitsPage />} />
          <Route path="audit" element={<AuditPage />} />
          <Route path="organisation" element={<OrganisationPage />} />
          <Route path="*" element={<Navigate to={`/t/${slug}/admin/members`} replace />} />
        </Routes>
      </div>
    </div>
  );
}
